// One dimension of one process's part, with what the protocol leaves out written out.
#pragma once

#include <dri/dap.h>

#include <array>
#include <cstdint>
#include <span>

namespace dri::dap {

// A valid one: make_dimension() takes a DRI_Dap_dim that keeps to the rules of one dimension.
struct Dimension {
    int32_t type = 'b'; // 'b', 'c' or 'u'
    int32_t grid = 1, rank = 0;
    bool periodic = false, one_to_one = false;
    int64_t size = 0;
    int64_t start = 0, stop = 0; // 'b': with padding. 'c': only start
    std::array<int64_t, 2> padding{};
    int64_t block = 1;
    const int64_t *indices = nullptr; // of another process: NULL, unless one_to_one
    int64_t nindices = 0;

    std::span<const int64_t> list() const {
        return {indices, indices ? static_cast<size_t>(nindices) : size_t{0}};
    }
    bool is_first() const { return rank == 0; }
    bool is_last() const { return rank == grid - 1; }
    // Communication padding. Boundary padding is owned.
    int64_t left() const { return is_first() ? 0 : padding[0]; }
    int64_t right() const { return is_last() ? 0 : padding[1]; }
    int64_t left_boundary() const { return is_first() ? padding[0] : 0; }
    int64_t right_boundary() const { return is_last() ? padding[1] : 0; }
    // 'b': the indices that the process owns.
    int64_t first_owned() const { return start + left(); }
    int64_t end_of_owned() const { return stop - right(); }

    int64_t owned() const; // number of indices that the process owns
    int64_t held() const;  // elements of the buffer along the dimension

    // -1 for an index that the process does not hold.
    int64_t place_of(int64_t index) const;
    // 0 <= place < held().
    int64_t index_at(int64_t place) const;
};

// extent: elements of the buffer along the dimension, for an empty dimension {}.
Dimension make_dimension(const DRI_Dap_dim &dim, int64_t extent);

// Whether it is the empty dimension {} of the protocol.
bool is_empty_dictionary(const DRI_Dap_dim &dim);

} // namespace dri::dap
