// Runs of indices that two parts share along one dimension.
#pragma once

#include "plan/value_iterator.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dri::planner {

// Consecutive indices that two parts share: where they lie locally in the source's part and in the sink's.
struct SharedRun {
    int64_t source = 0, sink = 0, size = 0;
};

// A list of runs. If the indices of a part have no pattern, the list is as long as the part, and nothing that
// planning needs is larger. A run therefore takes 12 bytes if 32 bits hold its numbers, and memory grows by a
// quarter.
class SharedRuns {
public:
    using Iterator = plan::ValueIterator<SharedRuns, SharedRun>;

    size_t size() const { return narrow_.size() + wide_.size(); }
    bool empty() const { return size() == 0; }
    SharedRun operator[](size_t i) const { return wide_.empty() ? of(narrow_[i]) : of(wide_[i]); }
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

    void reserve(int64_t n) { narrow_.reserve(static_cast<size_t>(n)); }
    void push_back(const SharedRun &run);
    // Sorts by the sink's indices, and joins neighbours that continue each other on both sides.
    void sort_and_join();

private:
    template <class Int> struct Packed { Int source, sink, size; };
    template <class Int> static SharedRun of(const Packed<Int> &p) {
        return {int64_t{p.source}, int64_t{p.sink}, int64_t{p.size}};
    }
    template <class Int> static void append(std::vector<Packed<Int>> &all, const SharedRun &run);
    template <class Int> static void join(std::vector<Packed<Int>> &all);

    std::vector<Packed<uint32_t>> narrow_; // one of these two is used
    std::vector<Packed<int64_t>> wide_;
};

} // namespace dri::planner
