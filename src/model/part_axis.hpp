// What a part holds along one dimension, overlap and pad included, and where it lies locally.
#pragma once

#include "model/index_set.hpp"

#include <optional>
#include <string>

namespace dri {

// What overlap beyond the array becomes.
enum class Edge : int32_t { truncate, wrap, pad_zero, pad_replicate };

// Overlap asked for around every block of a part.
struct Overlap {
    int64_t left = 0, right = 0;
    Edge left_edge = Edge::truncate, right_edge = Edge::truncate;
    friend bool operator==(const Overlap &, const Overlap &) = default;

    bool none() const { return left == 0 && right == 0; }
};

// An edge that truncates leaves of a width no more than the array has.
Overlap clipped(const Overlap &overlap, int64_t n);

// Whether 64 bits hold the indices of overlap, counted on beyond edges, and the local ones of a part that owns so
// many in so many blocks. The overlap is clipped.
bool fits_indices(const Overlap &overlap, int64_t n, int64_t blocks, int64_t owned);

// Local indices [local, local + size) that hold no element of their own.
struct Pad {
    int64_t local = 0, size = 0;
    std::optional<int64_t> copy_of; // the global index that all of them repeat; none: zeros
    friend bool operator==(const Pad &, const Pad &) = default;
};

struct PartAxis {
    IndexSet owned; // local indices count the overlap before them
    // Other parts' elements, and with Edge::wrap its own; in any order. One index may come several times: runs of
    // a list may overlap (global_step < size), or be whole turns round the array (global_step 0).
    std::vector<Runs> overlap;
    std::vector<Pad> pads;
    int64_t extent = 0; // local indices are [0, extent); each lies in exactly one of the above
};

// A list whose every run is a block.
struct Blocks {
    Runs runs;          // their local indices are not read
    bool again = false; // the indices are there already: these go to the overlap
};

// The axis of a part of a dimension of n indices: its blocks in local order, each stored with its overlap around
// it. Cost: the lists, and the blocks whose overlap reaches over an edge.
PartAxis make_axis(const std::vector<Blocks> &blocks, int64_t n, const Overlap &overlap);

// One block with the overlap that it really has.
struct AxisBlock {
    int64_t global = 0, size = 0; // what is owned
    int64_t local = 0;            // where the first owned index lies
    int64_t left_real = 0, right_real = 0, left_pad = 0, right_pad = 0;

    int64_t left() const { return left_real + left_pad; }
    int64_t right() const { return right_real + right_pad; }
};

// The overlap of the block [global, global + size) > 0; its local index is left 0.
AxisBlock block_with_overlap(int64_t global, int64_t size, int64_t n, const Overlap &overlap);

// The index at distance `offset` from a block's first owned one: the index itself inside [0, n), else what the
// edge makes of it; nothing for a pad of zeros.
std::optional<int64_t> index_beyond(int64_t virtual_index, int64_t n, const Overlap &overlap);

// "<2z:1w>": widths with a letter for the edge where it is no truncation; empty where there is no overlap.
std::string to_text(const Overlap &overlap);
// Of parts that differ, "<0-2z:1w>": their least and most widths. The edges are the same.
std::string to_text(const Overlap &min, const Overlap &max);

} // namespace dri
