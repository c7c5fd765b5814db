// Returns the values of a list in rising order, without duplicates.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace dri::inline base {

template <class T> std::vector<T> sorted_once(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

} // namespace dri::inline base
