// What a part holds along one dimension, overlap and pads included, and where it lies locally.
#pragma once

#include "model/index_set.hpp"

#include <optional>
#include <string>

namespace dri::model {

// What happens to overlap beyond the array.
enum class Edge : int32_t { truncate, wrap, pad_zero, pad_replicate };

// Overlap requested around every block of a part.
struct Overlap {
    int64_t left = 0, right = 0;
    Edge left_edge = Edge::truncate, right_edge = Edge::truncate;
    friend bool operator==(const Overlap &, const Overlap &) = default;

    bool none() const { return left == 0 && right == 0; }
};

// Limits the width at each truncating edge to n, the size of the array.
Overlap clipped(const Overlap &overlap, int64_t n);

// Whether 64 bits hold the indices of the overlap, counted on beyond edges, and the local indices of a part that
// owns `owned` indices in `blocks` blocks. The overlap is clipped.
bool fits_indices(const Overlap &overlap, int64_t n, int64_t blocks, int64_t owned);

// Local indices [local, local + size) that hold no element of their own.
struct Pad {
    int64_t local = 0, size = 0;
    std::optional<int64_t> copy_of; // global index that all of them repeat; none: zeros
    friend bool operator==(const Pad &, const Pad &) = default;
};

struct PartAxis {
    IndexSet owned; // their local indices count the overlap before them
    // Elements of other parts and, with Edge::wrap, of the part itself; in any order. One index may occur several
    // times: runs of a list may overlap (global_step < size), or each be the whole array again (global_step 0).
    std::vector<Runs> overlap;
    std::vector<Pad> pads;
    int64_t extent = 0; // local indices are [0, extent); each belongs to exactly one of the above
};

// A list in which each run is a block.
struct Blocks {
    Runs runs;          // make_axis() does not read their local indices
    bool again = false; // the part owns the indices already, so these count as overlap
};

// The axis of a part in a dimension of n indices: its blocks in local order, each stored with its overlap around
// it. Cost: the number of lists, and of the blocks whose overlap reaches beyond an edge.
PartAxis make_axis(const std::vector<Blocks> &blocks, int64_t n, const Overlap &overlap);

// One block with the overlap that it has after clipping.
struct AxisBlock {
    int64_t global = 0, size = 0; // the owned indices
    int64_t local = 0;            // local index of the first owned one
    int64_t left_real = 0, right_real = 0, left_pad = 0, right_pad = 0;

    int64_t left() const { return left_real + left_pad; }
    int64_t right() const { return right_real + right_pad; }
};

// The block [global, global + size), size > 0, with its overlap. Its local index stays 0.
AxisBlock block_with_overlap(int64_t global, int64_t size, int64_t n, const Overlap &overlap);

// The global index that an index counted on beyond the edges stands for. Inside [0, n) it is the index itself;
// outside, what the edge makes of it. Nothing for a pad of zeros.
std::optional<int64_t> index_beyond(int64_t virtual_index, int64_t n, const Overlap &overlap);

// "<2z:1w>": widths, each with a letter for its edge unless that truncates; empty if there is no overlap.
std::string to_text(const Overlap &overlap);
// For parts that differ, "<0-2z:1w>": their minimum and maximum widths. The edges are the same.
std::string to_text(const Overlap &min, const Overlap &max);

} // namespace dri::model
