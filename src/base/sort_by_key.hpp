// Sorts many values by an integer key.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dri::inline base {

constexpr size_t many_values = size_t{1} << 16; // fewer are sorted by digits

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

// Sorts values by keys that all differ: swaps each value into the section of its key, then sorts the sections one
// by one. A long section is sorted in the same way. copy: memory for the values of a short one.
template <class T, class Key> void sort_in_sections(std::span<T> values, Key key, std::vector<T> &copy) {
    constexpr int bits = 8;
    constexpr size_t sections = size_t{1} << bits;
    int64_t min = key(values.front()), max = min;
    bool sorted = true;
    for (size_t i = 1; i < values.size(); ++i) {
        const int64_t k = key(values[i]);
        sorted = sorted && key(values[i - 1]) <= k;
        min = std::min(min, k);
        max = std::max(max, k);
    }
    if (sorted)
        return;
    const auto distance = [&](int64_t k) { return static_cast<uint64_t>(k) - static_cast<uint64_t>(min); };
    const int shift = std::max(static_cast<int>(std::bit_width(distance(max))) - bits, 0);
    const auto section = [&](const T &v) { return static_cast<size_t>(distance(key(v)) >> shift); };
    std::array<size_t, sections> next{}, end{};
    for (const T &v : values)
        ++end[section(v)];
    size_t at = 0;
    for (size_t s = 0; s < sections; ++s) {
        next[s] = at;
        end[s] = at += end[s];
    }
    for (size_t s = 0; s < sections; ++s)
        while (next[s] < end[s]) {
            T v = values[next[s]];
            for (size_t to = section(v); to != s; to = section(v))
                std::swap(v, values[next[to]++]);
            values[next[s]++] = v;
        }
    size_t begin = 0;
    for (const size_t section_end : end) {
        const std::span<T> part = values.subspan(begin, section_end - begin);
        begin = section_end;
        if (part.size() >= many_values) {
            sort_in_sections(part, key, copy);
            continue;
        }
        copy.assign(part.begin(), part.end());
        sort_by_key(copy, key);
        std::copy(copy.begin(), copy.end(), part.begin());
    }
}

// Sorts values by keys that all differ. Beside the values it needs memory for at most two times many_values of
// them. Sections stay in cache, so many values take less time, too.
template <class T, class Key> void sort_by_distinct_key(std::vector<T> &values, Key key) {
    if (values.size() < many_values)
        return sort_by_key(values, key);
    std::vector<T> copy;
    sort_in_sections(std::span<T>(values), key, copy);
}

} // namespace dri::inline base
