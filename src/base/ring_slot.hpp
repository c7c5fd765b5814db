// Buffers that are used cyclically: frame f uses buffer f modulo their number.
#pragma once

#include <cstdint>

namespace dri::inline base {

// The index of the buffer, out of `count`, that holds a frame. There is no division if `count` is a power of two,
// which is the usual case: a division would cost tens of cycles, several times per frame.
constexpr int64_t ring_slot(int64_t frame, int64_t count) {
    return (count & (count - 1)) == 0 ? frame & (count - 1) : frame % count;
}

} // namespace dri::inline base
