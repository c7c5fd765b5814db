// Windows that slide: where, in the array of one side, the elements lie that both sides of a transfer have.
#pragma once

#include "base/fixed_vector.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace dri {

// Where a window is: how far from where it was planned, and what that comes to in the buffer of one process.
struct WindowOffset {
    Dims offset;
    int64_t bytes = 0;
};
static_assert(std::is_trivially_copyable_v<WindowOffset>); // others read it in shared memory

// Of one end on one process.
struct Window {
    Dims lowest, highest; // offsets that keep it in the array; both 0 along dimensions that do not slide
    Dims step_bytes;      // from one element of the buffer to the next along each dimension
    // What of the buffer lies between the window's first and last byte, where it was planned.
    int64_t first_byte = 0, bytes = 0;

    WindowOffset at_rest() const { return {Dims(lowest.size(), 0), 0}; }
    // Fails with DRI_ERR_ARG where the window would leave the array. offset: one number per dimension.
    WindowOffset at(std::span<const int64_t> offset) const;
};

std::string offset_text(const Dims &offset); // "[5,0]"

} // namespace dri
