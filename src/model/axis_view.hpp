// Answers single questions about one axis of a part: which block, which global index, which local index. The
// answers come from arithmetic; the axis is never written out. A question costs O(1) or O(log) of the number of
// blocks. The first question about a list may sort that list.
#pragma once

#include "model/index_lists.hpp"

#include <array>
#include <optional>

namespace dri::model {

class AxisView {
public:
    // A regular axis: blocks of `size` indices start at `first`, `step` apart. The last block ends at the end of
    // the array, n, at the latest.
    static AxisView regular(int64_t n, const Overlap &overlap, int64_t first, int64_t size, int64_t step,
                            int64_t blocks);
    // Each index of a list is a block of its own. The part must outlive the view.
    static AxisView indexed(int64_t n, const Overlap &overlap, const IndexedPart &part);

    int64_t num_blocks() const { return blocks_; }
    AxisBlock block(int64_t i) const; // in local order; its `local` is set
    int64_t extent() const { return start(blocks_); }
    int64_t owned() const; // an index that a list names twice counts twice

    // The smallest block that holds all owned indices, with the overlap around its ends. Its size is 0 if nothing
    // is owned.
    AxisBlock bounds() const;

    // The local index of a global one: where it is owned, otherwise where it occurs first in the overlap. Nothing
    // if the part does not hold it.
    std::optional<int64_t> local_of(int64_t index) const;
    // The global index at a local one, 0 <= local < extent. A repeated edge element gives the index that it
    // repeats; a pad of zeros gives nothing.
    std::optional<int64_t> index_at(int64_t local) const;

    // Whether two views of one array agree: both show the same global index at each local one, and own the same of
    // them. Cost: O(1); for lists, the number of their runs.
    bool same(const AxisView &other) const;

private:
    AxisView(int64_t n, const Overlap &overlap) : n_(n), overlap_(overlap) {}
    int64_t start(int64_t block) const; // local index where a block's overlap starts
    int64_t global(int64_t block) const;
    int64_t size(int64_t block) const;
    std::optional<int64_t> owning_block(int64_t index) const;
    // The first block that owns an index of [lo, hi), 0 <= lo.
    std::optional<int64_t> first_block(int64_t lo, int64_t hi) const;
    // The owned indices in the form that compress() gives. A list returns its own; a regular axis writes them to
    // `buffer`.
    std::span<const Runs> owned_runs(std::array<Runs, 2> &buffer) const;
    // The lowest and the highest block, with the overlap that they have. There must be a block.
    AxisBlock lowest() const;
    AxisBlock highest() const;
    // Whether blocks are equally far apart, and overlap holds each index between two of them exactly once.
    bool fills_gaps() const;

    int64_t n_; // size of the array along this dimension
    Overlap overlap_;
    const IndexedPart *list_ = nullptr; // set for a list, which does not use first_ and step_
    int64_t first_ = 0, size_ = 0, step_ = 0, blocks_ = 0;
};

} // namespace dri::model
