// Collective steps built on tree_step: all_gather and agree.
#include "transport/collective.hpp"

#include "transport/tree_step.hpp"

#include <algorithm>
#include <map>

namespace dri::transport {

std::vector<Bytes> all_gather(Transport &transport, const Step &step, Bytes mine) {
    Writer out;
    out.put(std::span<const std::byte>(mine));
    const auto append = [](Bytes &content, Bytes &&following) {
        content.insert(content.end(), following.begin(), following.end());
    };
    const Bytes content = tree_step(transport, step, out.take(), append);
    // The tree returns the contents in ascending order of ranks. The result is in the order of the members.
    std::vector<int> sorted(step.members.begin(), step.members.end());
    std::sort(sorted.begin(), sorted.end());
    std::map<int, Bytes> of_rank;
    Reader in(content);
    for (int rank : sorted)
        of_rank[rank] = in.get_bytes();
    std::vector<Bytes> all;
    for (int rank : step.members)
        all.push_back(std::move(of_rank[rank]));
    return all;
}

Outcome agree(Transport &transport, const Step &step, const Outcome &mine) {
    // Success has no content. A failure begins with the member's position, so that the first one can be found.
    Bytes content;
    if (mine.code != DRI_SUCCESS) {
        Writer out;
        out.put(std::find(step.members.begin(), step.members.end(), transport.rank()) - step.members.begin());
        out.put(mine.code);
        out.put(mine.rank < 0 ? transport.rank() : mine.rank);
        out.put(std::string_view(mine.message));
        content = out.take();
    }
    const auto keep_first = [](Bytes &first, Bytes &&other) {
        const auto position = [](const Bytes &failure) { return Reader(failure).get<ptrdiff_t>(); };
        if (first.empty() || (!other.empty() && position(other) < position(first)))
            first = std::move(other);
    };
    content = tree_step(transport, step, std::move(content), keep_first);
    Outcome outcome;
    if (content.empty())
        return outcome;
    Reader in(content);
    in.get<ptrdiff_t>();
    outcome.code = in.get<DRI_Code>();
    outcome.rank = in.get<int>();
    outcome.message = in.get_string();
    return outcome;
}

} // namespace dri::transport
