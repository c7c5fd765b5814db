// Finds names by binary search.
#include "graph/operation_names.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

template <class T> int64_t place_of(const std::vector<T> &sorted, const T &one) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), one);
    return at != sorted.end() && *at == one ? at - sorted.begin() : -1;
}

} // namespace

int64_t OperationNames::find_transfer(const std::string &name) const { return place_of(transfers_, name); }

int64_t OperationNames::find(const OperationName &name) const {
    if (name.is_transfer())
        return name.src == -1 && name.dest == -1 ? find_transfer(name.tag) : -1;
    const int64_t tag = place_of(tags_, name.tag);
    const int64_t found = tag < 0 ? -1 : place_of(pairs_, {name.src, name.dest, static_cast<int>(tag)});
    return found < 0 ? -1 : transfers() + found;
}

} // namespace dri::graph
