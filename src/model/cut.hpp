// A dimension that is cut: a rule applied to a size and a number of parts. Owner and part come in closed form.
// Kind exact has no cut, because its boxes need not form a grid.
#pragma once

#include "model/axis_view.hpp"
#include "model/partition.hpp"

namespace dri::model {

class Cut {
public:
    // Cuts `size` indices of dimension `dim` into `nparts` parts. Fails with DRI_ERR_CONSTRAINT if the rule cannot
    // be met, with DRI_ERR_ARG if a list has an index outside the array, and with DRI_ERR_OVERFLOW if local
    // indices do not fit into 64 bits.
    Cut(CutRule rule, int64_t size, int64_t nparts, size_t dim, KeepLists keep = KeepLists::as_runs);

    int64_t size() const { return size_; }
    int64_t nparts() const { return nparts_; }
    bool contiguous() const { return kind_ != CutKind::block_cyclic && !indexed_; } // each part is one run
    const IndexedParts *indexed() const { return indexed_.get(); } // kind indices; null for others

    IndexSet part(int64_t c) const;      // what it owns; local indices as if there were no overlap
    PartAxis axis(int64_t c) const;      // what it holds, overlap and pads included
    AxisView axis_view(int64_t c) const; // the same for single questions; the cut must outlive it
    int64_t largest() const;             // elements of the largest part
    int64_t filled() const;              // parts that own at least one index
    // No part holds more than max_held(), overlap and pads included. It costs as little as largest().
    int64_t max_held() const;
    int64_t largest_extent() const; // maximum that a part holds; examines all parts

    // The first part that owns an index, 0 <= index < size. With kind indices, an index may have no owner.
    std::optional<int64_t> owner(int64_t index) const;
    // Parts that own an index of [lo, hi), in rising order; 0 <= lo < hi <= size. Empty parts may be among them.
    std::vector<int64_t> owners(int64_t lo, int64_t hi) const;
    // Parts that hold an index of [lo, hi): they own it, or have it in their overlap or pad. The rest as in
    // owners().
    std::vector<int64_t> holders(int64_t lo, int64_t hi) const;
    // Number of elements after which the assignment of indices to parts repeats; the size if it never does.
    int64_t period() const;
    int64_t block() const { return block_; }
    const Overlap &overlap() const { return overlap_; }

private:
    void set_sizes(const CutRule &rule, std::span<const int64_t> sizes, size_t dim);
    void weigh(const CutRule &rule, size_t dim);
    void take_lists(CutRule &rule, size_t dim, KeepLists keep);
    void check_limits(const CutRule &rule, size_t dim) const;
    void check_extents(const Overlap &wanted, int64_t blocks, int64_t owned, size_t dim) const;
    [[noreturn]] void fail_blocks(const CutRule &rule, size_t dim) const;
    void cut_blocks(const CutRule &rule, size_t dim);
    bool fit_even(const CutRule &rule, int64_t parts);
    bool fit_any(const CutRule &rule, int64_t parts);
    int64_t part_size(int64_t c) const;
    int64_t max_blocks() const; // maximum number of blocks of a part
    int64_t start(int64_t c) const;
    int64_t cyclic_step() const;
    int64_t unit_start(int64_t c) const;
    int64_t run_owner(int64_t index) const; // for kinds in which each index has an owner

    CutKind kind_;
    Remainder remainder_;
    int64_t size_, nparts_;
    int64_t block_ = 0, phase_ = 0;
    Overlap overlap_; // clipped to the array's size at truncating edges
    // Kind block: the first front_ parts receive units_ units of unit_ indices; part front_ receives the rest.
    // Kind whole: one such part.
    int64_t unit_ = 1, units_ = 0, front_ = 0;
    // Kinds sizes and weights: where each part starts, followed by the size.
    std::vector<int64_t> starts_;
    std::shared_ptr<const IndexedParts> indexed_; // kind indices
};

} // namespace dri::model
