#pragma once

#include "geometry.hpp"

#include <cstddef>

namespace bench {

// Copies a box between two strided arrays. If the same dimension is contiguous on both sides, it copies rows.
// Otherwise it transposes in blocks.
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
    Loop across_{1, 0, 0}; // contiguous in the source; used by transpositions only
    Loop along_{1, 1, 1};  // contiguous in the destination
};

} // namespace bench
