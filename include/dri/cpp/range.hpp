// Ranges of indices with a stride.
#pragma once

#include <cstdint>

namespace dri {
inline namespace v1 {

// The indices first, first + stride, ...: `size` of them. A negative stride counts downwards.
struct Range {
    constexpr Range() = default;
    constexpr Range(std::int64_t from, std::int64_t step, std::int64_t n) : first(from), stride(step), size(n) {}
    Range(std::int64_t, std::int64_t) = delete; // dri: range(lo, hi) makes the indices from lo to hi - 1
    Range(std::int64_t) = delete;               // dri: a slice of one index is the number itself

    std::int64_t first = 0, stride = 1, size = 0;
    friend constexpr bool operator==(const Range &, const Range &) = default;
};

// Every stride-th index of [lo, hi), from lo; with a negative stride from hi - 1 downwards.
constexpr Range range(std::int64_t lo, std::int64_t hi, std::int64_t stride = 1) {
    const std::int64_t width = stride < 0 ? -stride : stride, length = hi > lo ? hi - lo : 0;
    return {stride < 0 ? hi - 1 : lo, stride, width == 0 ? 0 : (length + width - 1) / width};
}

} // namespace v1
} // namespace dri
