// The runs of all lists of a cut by indices, sorted by their first indices. They tell which lists have an index.
#pragma once

#include "base/sort_by_key.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dri::model {

// A run of the list of one part.
struct ListStretch {
    int64_t lo, hi;      // indices
    int64_t part, block; // the part, and the number of lo in its list
};

// The lists of all processes together may be long. A stretch therefore takes 16 bytes if 32 bits hold its numbers.
class Stretches {
public:
    // for_each(f) calls f for each of `count` stretches; equal ones stay in this order. max: no number is larger.
    template <class ForEach> void fill(int64_t count, int64_t max, const ForEach &for_each) {
        if (max <= int64_t{UINT32_MAX})
            sort(narrow_, count, for_each);
        else
            sort(wide_, count, for_each);
        find_furthest();
    }

    size_t size() const { return narrow_.size() + wide_.size(); }
    int64_t heap_bytes() const {
        return static_cast<int64_t>(narrow_.size() * sizeof(Packed<uint32_t>) +
                                    wide_.size() * sizeof(Packed<int64_t>) + furthest_.size() * sizeof(int64_t));
    }
    ListStretch operator[](size_t i) const { return wide_.empty() ? of(narrow_[i]) : of(wide_[i]); }
    // Calls f(stretch) for all stretches that have an index of [lo, hi), in rising order of their first indices.
    // Cost: O(log) for each of them.
    template <class F> void each(int64_t lo, int64_t hi, F f) const { visit(0, size(), lo, hi, f); }

private:
    template <class Int> struct Packed { Int lo, size, part, block; };
    template <class Int> static ListStretch of(const Packed<Int> &p) {
        return {int64_t{p.lo}, int64_t{p.lo} + int64_t{p.size}, int64_t{p.part}, int64_t{p.block}};
    }
    // Puts each of many stretches into the section of its indices at once, and sorts the sections one by one.
    // Sorting all of them together would take twice the memory.
    template <class Int, class ForEach>
    static void sort(std::vector<Packed<Int>> &all, int64_t count, const ForEach &for_each) {
        constexpr size_t sections = 2048;
        const auto key = [](const Packed<Int> &p) { return int64_t{p.lo}; };
        const auto pack = [](const ListStretch &s) {
            return Packed<Int>{static_cast<Int>(s.lo), static_cast<Int>(s.hi - s.lo), static_cast<Int>(s.part),
                               static_cast<Int>(s.block)};
        };
        all.reserve(static_cast<size_t>(count));
        if (count < int64_t{2 * sections}) {
            for_each([&](const ListStretch &s) { all.push_back(pack(s)); });
            return sort_by_key(all, key);
        }
        int64_t max = 0;
        for_each([&](const ListStretch &s) { max = std::max(max, s.lo); });
        const int shift = std::max(static_cast<int>(std::bit_width(static_cast<uint64_t>(max))) -
                                       static_cast<int>(std::bit_width(sections - 1)),
                                   0);
        const auto section = [&](int64_t lo) { return static_cast<size_t>(lo >> shift); };
        std::vector<size_t> end(sections);
        for_each([&](const ListStretch &s) { ++end[section(s.lo)]; });
        size_t at = 0;
        for (size_t &n : end)
            n = std::exchange(at, at + n); // where the section begins; when it is full, where it ends
        all.resize(static_cast<size_t>(count));
        for_each([&](const ListStretch &s) { all[end[section(s.lo)]++] = pack(s); });
        std::vector<Packed<Int>> some;
        size_t begin = 0;
        for (const size_t section_end : end) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin),
                       last = all.begin() + static_cast<std::ptrdiff_t>(section_end);
            begin = section_end;
            some.assign(first, last);
            sort_by_key(some, key);
            std::copy(some.begin(), some.end(), first);
        }
    }
    // The stretches are a search tree. The middle of a range is its root, and the stretches on either side are its
    // subtrees.
    void find_furthest();
    int64_t reach(size_t begin, size_t end); // fills furthest_ for a range; returns its greatest hi
    // Visits a range in order. Skips subtrees that end at or before lo.
    template <class F> void visit(size_t begin, size_t end, int64_t lo, int64_t hi, F &f) const {
        while (begin < end) {
            const size_t middle = begin + (end - begin) / 2;
            const ListStretch at = (*this)[middle];
            if (!furthest_.empty() && furthest_[middle] <= lo)
                return;
            if (!furthest_.empty() || at.hi > lo) // otherwise all stretches before this one end before lo, too
                visit(begin, middle, lo, hi, f);
            if (at.lo >= hi)
                return;
            if (at.hi > lo)
                f(at);
            begin = middle + 1;
        }
    }

    std::vector<Packed<uint32_t>> narrow_; // one of these two is used
    std::vector<Packed<int64_t>> wide_;
    // The greatest hi in the subtree of each stretch. Empty if no stretch starts before the end of the one before.
    std::vector<int64_t> furthest_;
};

} // namespace dri::model
