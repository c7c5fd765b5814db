// The buffer that a caller works on, as an address and as memory with strides.
#pragma once

#include "base/fixed_vector.hpp"
#include "commit/endpoint.hpp"
#include "model/even_axis.hpp"

#include <cstddef>
#include <cstdint>

namespace dri::commit {

struct BufferView {
    std::byte *data = nullptr; // the first owned element
    int64_t step_bytes = 0;    // of a step of 1
    int64_t plane = 0;         // split: from a real part to its imaginary part, in steps; otherwise 0
    FixedVector<model::EvenAxis, max_dims> axes;
    Dims steps;
};

// Both fail with DRI_ERR_STATE as Endpoint::current_frame() does. view_of() also fails with DRI_ERR_UNSUPPORTED if
// the part of process `rank` is not evenly spaced.
std::byte *current_buffer(const Endpoint &endpoint);
// The number of all buffers. Copies their addresses in the order of their use, unless `to` is null. Of a buffer
// that moves it is the address of the next frame. Allocates nothing.
size_t copy_buffers(const Endpoint &endpoint, void **to);
BufferView view_of(const Endpoint &endpoint, int rank);

} // namespace dri::commit
