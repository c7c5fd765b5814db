// A list of integers in as few bytes as it needs. Lists of offsets make up most of a plan for index lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dri::plan {

// Integers that never change. They take no memory if they follow a step, four bytes each if they span less than
// 2^32, and eight bytes each otherwise.
class Column {
public:
    Column() = default;
    // each(take) calls take(integer) for each of n integers, in their order.
    template <class Each> Column(size_t n, const Each &each);

    int64_t operator[](size_t i) const {
        return !narrow_.empty() ? first_ + narrow_[i]
               : !wide_.empty() ? wide_[i]
                                : first_ + static_cast<int64_t>(i) * step_;
    }
    // Calls f with a function that returns integer i. There is one such function for each form, so that a loop
    // inside f decides nothing.
    template <class F> void with(const F &f) const;

    int64_t heap_bytes() const {
        return static_cast<int64_t>(narrow_.size() * sizeof(uint32_t) + wide_.size() * sizeof(int64_t));
    }

private:
    int64_t first_ = 0, step_ = 0;
    std::vector<uint32_t> narrow_; // distances from first_
    std::vector<int64_t> wide_;
};

template <class Each> Column::Column(size_t n, const Each &each) {
    if (n == 0)
        return;
    int64_t min = INT64_MAX, max = INT64_MIN, before = 0;
    size_t i = 0;
    bool steady = true;
    each([&](int64_t value) {
        if (i == 0)
            first_ = value;
        else if (i == 1)
            step_ = value - before;
        else
            steady = steady && value - before == step_;
        min = value < min ? value : min;
        max = value > max ? value : max;
        before = value;
        ++i;
    });
    if (steady)
        return;
    step_ = 0;
    if (max - min > int64_t{UINT32_MAX}) {
        wide_.reserve(n);
        each([&](int64_t value) { wide_.push_back(value); });
        return;
    }
    first_ = min;
    narrow_.reserve(n);
    each([&](int64_t value) { narrow_.push_back(static_cast<uint32_t>(value - min)); });
}

template <class F> void Column::with(const F &f) const {
    const int64_t first = first_, step = step_;
    if (const uint32_t *narrow = narrow_.data(); !narrow_.empty())
        f([=](size_t i) { return first + narrow[i]; });
    else if (const int64_t *wide = wide_.data(); !wide_.empty())
        f([=](size_t i) { return wide[i]; });
    else
        f([=](size_t i) { return first + static_cast<int64_t>(i) * step; });
}

} // namespace dri::plan
