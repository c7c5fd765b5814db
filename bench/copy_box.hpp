#pragma once

#include "geometry.hpp"

#include <cstddef>

namespace bench {

// A copy of a box between two strided arrays: rows where both sides have the same dimension contiguous, else
// transposition in blocks.
class BoxCopy {
public:
    // Strides in elements, one per dimension.
    BoxCopy(int64_t element_bytes, const Dims &extents, const Dims &from_strides, const Dims &to_strides);

    void run(std::byte *to, const std::byte *from) const;

private:
    struct Loop {
        int64_t count, from_stride, to_stride;
    };
    void run_loops(size_t k, std::byte *to, const std::byte *from) const;
    void run_core(std::byte *to, const std::byte *from) const;

    int64_t element_bytes_;
    bool is_empty_ = false;
    std::vector<Loop> outer_;
    Loop across_{1, 0, 0}; // contiguous in the source, of a transposition
    Loop along_{1, 1, 1};  // contiguous in the destination
};

} // namespace bench
