// Buffers that are used in turn.
#pragma once

#include <cstdint>

namespace dri {

// Which of `count` buffers a frame is in. No division where they are one, two or four, as most are: each would
// cost tens of cycles, several times a frame.
constexpr int64_t ring_slot(int64_t frame, int64_t count) {
    return (count & (count - 1)) == 0 ? frame & (count - 1) : frame % count;
}

} // namespace dri
