// Sorts many values by an integer key.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace dri::inline base {

// Sorts by key(value), an int64_t; values with equal keys keep their order. This is a radix sort from the lowest
// digit. Cost: O(n) for each digit in which any two keys differ, a few nanoseconds per value. A comparison sort
// takes log n steps per value, whose branches no processor can predict.
template <class T, class Key> void sort_by_key(std::vector<T> &values, Key key) {
    constexpr int bits = 11;
    constexpr size_t digits = size_t{1} << bits;
    if (values.size() < digits / 4) // counting the digits would cost more than sorting so few values
        return std::stable_sort(values.begin(), values.end(),
                                [&](const T &a, const T &b) { return key(a) < key(b); });
    // Inverting the sign bit makes unsigned order equal to signed order.
    const auto rising = [&](const T &v) { return static_cast<uint64_t>(key(v)) ^ uint64_t { 1 } << 63; };
    uint64_t differ = 0;
    bool sorted = true;
    for (size_t i = 1; i < values.size(); ++i) {
        differ |= rising(values[i]) ^ rising(values[0]);
        sorted = sorted && rising(values[i - 1]) <= rising(values[i]);
    }
    if (sorted)
        return;
    std::vector<T> other(values.size());
    for (int shift = 0; shift < 64; shift += bits) {
        if ((differ >> shift & (digits - 1)) == 0)
            continue;
        const auto digit = [&](const T &v) { return static_cast<size_t>(rising(v) >> shift & (digits - 1)); };
        std::array<size_t, digits> next{};
        for (const T &v : values)
            ++next[digit(v)];
        size_t at = 0;
        for (size_t &n : next)
            n = std::exchange(at, at + n);
        for (const T &v : values)
            other[next[digit(v)]++] = v;
        values.swap(other);
    }
}

} // namespace dri::inline base
