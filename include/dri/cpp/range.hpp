// Ranges of indices with a stride.
#pragma once

#include <cstdint>

namespace dri {
inline namespace v1 {

// The indices first, first + stride, ...: `size` of them. A negative stride counts downwards.
struct Range {
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
