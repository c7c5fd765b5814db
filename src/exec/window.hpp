// Sliding windows. A window is the box of one side's array that holds the elements that both sides of a transfer
// have.
#pragma once

#include "base/fixed_vector.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace dri::exec {

// How far a window is from its position at the commit: in elements per dimension, and in bytes of one process's
// buffer.
struct WindowOffset {
    Dims offset;
    int64_t bytes = 0;
};
static_assert(std::is_trivially_copyable_v<WindowOffset>); // other processes read it in shared memory

// The window of one endpoint on one process.
struct Window {
    Dims lowest, highest; // offsets that keep it inside the array; both 0 along dimensions that do not slide
    Dims step_bytes;      // from one element of the buffer to the next, per dimension
    // The bytes of the buffer from the window's first to its last element, at the position of the commit.
    int64_t first_byte = 0, bytes = 0;

    WindowOffset at_rest() const { return {Dims(lowest.size(), 0), 0}; }
    // Throws DRI_ERR_ARG if the window would leave the array. offset: one number per dimension.
    WindowOffset at(std::span<const int64_t> offset) const;
};

std::string offset_text(const Dims &offset); // "[5,0]"

} // namespace dri::exec
