// A dimension that is cut: a rule applied to a size and a number of parts. Owner and part in closed form.
#pragma once

#include "model/index_set.hpp"
#include "model/partition.hpp"

namespace dri {

class Cut {
public:
    // Cuts `size` indices into `nparts` parts. Fails with DRI_ERR_CONSTRAINT where the rule cannot hold.
    Cut(const CutRule &rule, int64_t size, int64_t nparts, size_t dim);

    int64_t size() const { return size_; }
    int64_t nparts() const { return nparts_; }
    bool contiguous() const { return kind_ != CutKind::block_cyclic; } // every part is one run

    IndexSet part(int64_t c) const;     // what it owns, as if there were no overlap
    PartAxis axis(int64_t c) const;     // what it holds
    int64_t owner(int64_t index) const; // 0 <= index < size
    int64_t largest() const;            // elements of the largest part

    // Parts that hold an index of [lo, hi), in rising order; 0 <= lo < hi <= size. May name empty parts.
    std::vector<int64_t> owners(int64_t lo, int64_t hi) const;
    // Parts that hold an index of [lo, hi): own it, or have it in their overlap. Likewise.
    std::vector<int64_t> holders(int64_t lo, int64_t hi) const;
    // Elements after which the assignment of indices to parts repeats; the size where it never does.
    int64_t period() const;
    int64_t block() const { return block_; }
    const Overlap &overlap() const { return overlap_; }

private:
    void cut_blocks(const CutRule &rule, size_t dim);
    bool fit_even(const CutRule &rule, int64_t parts);
    bool fit_any(const CutRule &rule, int64_t parts);
    int64_t part_size(int64_t c) const;
    int64_t start(int64_t c) const;
    int64_t unit_start(int64_t c) const;

    CutKind kind_;
    Remainder remainder_;
    int64_t size_, nparts_;
    int64_t block_ = 0;
    Overlap overlap_;
    // Kind block: units_ units of unit_ indices are dealt to the first front_ parts; part front_ has the rest.
    int64_t unit_ = 1, units_ = 0, front_ = 0;
    std::vector<int64_t> starts_; // kind sizes: where each part starts, and the size
};

} // namespace dri
