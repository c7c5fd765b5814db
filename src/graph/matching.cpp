// Sorts the ends by name, so that those of one operation are neighbours.
#include "graph/matching.hpp"

#include <algorithm>
#include <numeric>

namespace dri::graph {

namespace {

// The ends of one operation, at places [begin, end) of the order.
class EndsOfOne {
public:
    EndsOfOne(const std::vector<OperationEnd> &ends, const size_t *begin, const size_t *end)
        : ends_(ends), begin_(begin), end_(end) {}

    MatchedEnds find(std::vector<GraphFault> &faults) const {
        MatchedEnds one{ends_[*begin_].name, first(true, faults), first(false, faults)};
        if (one.send < 0)
            faults.push_back({DRI_FAULT_MISSING_SEND, one.name, one.name.src});
        if (one.recv < 0)
            faults.push_back({DRI_FAULT_MISSING_RECV, one.name, one.name.dest});
        return one;
    }

private:
    std::ptrdiff_t first(bool send, std::vector<GraphFault> &faults) const {
        std::ptrdiff_t found = -1;
        bool is_told = false;
        for (const size_t *at = begin_; at != end_; ++at) {
            const OperationEnd &one = ends_[*at];
            if (one.is_send != send)
                continue;
            if (found >= 0 && !is_told)
                faults.push_back(
                    {send ? DRI_FAULT_DUPLICATE_SEND : DRI_FAULT_DUPLICATE_RECV, one.name, one.rank, one.pid});
            is_told = found >= 0;
            if (found < 0)
                found = static_cast<std::ptrdiff_t>(*at);
        }
        return found;
    }

    const std::vector<OperationEnd> &ends_;
    const size_t *begin_, *end_;
};

} // namespace

MatchingFound match_without_shapes(const std::vector<OperationEnd> &ends) {
    std::vector<size_t> order(ends.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ends[a].name < ends[b].name; });
    MatchingFound found;
    for (size_t at = 0; at < order.size();) {
        const OperationEnd &one = ends[order[at]];
        size_t end = at;
        while (end < order.size() && ends[order[end]].name == one.name)
            ++end;
        if (one.name.src == one.name.dest)
            found.faults.push_back({DRI_FAULT_SELF, one.name, one.rank, one.pid});
        else
            found.operations.push_back(EndsOfOne(ends, order.data() + at, order.data() + end).find(found.faults));
        at = end;
    }
    return found;
}

} // namespace dri::graph
