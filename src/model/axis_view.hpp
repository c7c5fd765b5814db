// Questions about one axis of a part: which block, which index, which place. Answered by arithmetic, never by
// writing the axis out: O(1), or O(log) of the blocks where edges clip their overlap.
#pragma once

#include "model/index_lists.hpp"

#include <array>
#include <optional>

namespace dri {

class AxisView {
public:
    // Blocks of `size` indices, `step` apart from `first` on; the last one ends at the array's end at the latest.
    static AxisView regular(int64_t n, const Overlap &overlap, int64_t first, int64_t size, int64_t step,
                            int64_t blocks);
    // Each index of a list is a block. The part must outlive the view.
    static AxisView indexed(int64_t n, const Overlap &overlap, const IndexedPart &part);

    int64_t num_blocks() const { return blocks_; }
    AxisBlock block(int64_t i) const; // in local order, with its place
    int64_t extent() const { return start(blocks_); }
    int64_t owned() const; // an index that a list names twice counts twice

    // The smallest block that holds all that is owned, with the overlap of its ends; no size where nothing is.
    AxisBlock bounds() const;

    // Where an index lies: where it is owned, else first in the overlap.
    std::optional<int64_t> local_of(int64_t index) const;
    // 0 <= local < extent. Nothing for a pad of zeros.
    std::optional<int64_t> index_at(int64_t local) const;

    // Whether both, of one array, show the same at every place and own the same of that. O(1); of lists, their
    // runs.
    bool same(const AxisView &other) const;

private:
    AxisView(int64_t n, const Overlap &overlap) : n_(n), overlap_(overlap) {}
    int64_t start(int64_t block) const; // local index where a block's overlap begins
    int64_t global(int64_t block) const;
    int64_t size(int64_t block) const;
    std::optional<int64_t> owning_block(int64_t index) const;
    std::optional<int64_t> first_block(int64_t lo, int64_t hi) const; // with an index of [lo, hi), 0 <= lo
    // What is owned in the form of compress(); one that is no list is written to the room.
    std::span<const Runs> owned_runs(std::array<Runs, 2> &buffer) const;
    // The blocks next to the array's edges, with what they have around them; there is one.
    AxisBlock lowest() const;
    AxisBlock highest() const;
    bool fills_gaps() const; // blocks rise at one distance, and their overlap has every index between them once

    int64_t n_;
    Overlap overlap_;
    const IndexedPart *list_ = nullptr;
    int64_t first_ = 0, size_ = 0, step_ = 0, blocks_ = 0;
};

} // namespace dri
