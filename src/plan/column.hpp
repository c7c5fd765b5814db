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
    // get(i): integer i of n.
    template <class Get> Column(size_t n, const Get &get);

    int64_t operator()(size_t i) const { return (*this)[i]; }
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

template <class Get> Column::Column(size_t n, const Get &get) {
    if (n == 0)
        return;
    first_ = get(0);
    step_ = n > 1 ? get(1) - first_ : 0;
    int64_t min = first_, max = first_, next = first_;
    bool steady = true;
    for (size_t i = 0; i < n; ++i, next += step_) {
        const int64_t value = get(i);
        steady = steady && value == next;
        min = value < min ? value : min;
        max = value > max ? value : max;
    }
    if (steady)
        return;
    step_ = 0;
    if (max - min > int64_t{UINT32_MAX}) {
        wide_.resize(n);
        for (size_t i = 0; i < n; ++i)
            wide_[i] = get(i);
        return;
    }
    first_ = min;
    narrow_.resize(n);
    for (size_t i = 0; i < n; ++i)
        narrow_[i] = static_cast<uint32_t>(get(i) - min);
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
