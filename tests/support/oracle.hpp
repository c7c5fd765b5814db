// The interface description, computed without shortcuts: an owner per index, a list of indices per part, an
// address per element. No arithmetic is shared with the library. Only what the description leaves open is taken
// from the library (the chosen grid, sizes under constraints, the automatic pitch), and checked against what is
// allowed.
#pragma once

#include "random_case.hpp"

#include <optional>

namespace dri::test {

inline size_t at(int64_t i) { return static_cast<size_t>(i); }

inline bool has_limits(const model::CutRule &rule) { return rule.min > 0 || rule.max > 0 || rule.multiple > 1; }

// The part that owns each index of a dimension, if no constraint moves a cut. Not for lists of indices.
std::vector<int64_t> plain_owners(const model::CutRule &rule, int64_t size, int64_t parts);

// The indices of a list, one by one.
std::vector<int64_t> listed(const model::IndexList &list);

std::vector<int64_t> part_sizes(const std::vector<int64_t> &owners, int64_t parts);

// Whether the sizes meet the constraints of the rule.
bool meets_limits(const model::CutRule &rule, const std::vector<int64_t> &sizes);

// Whether some sizes of at most `parts` blocks meet the constraints. For kinds that leave no choice: whether their
// own sizes do.
bool can_be_cut(const model::CutRule &rule, int64_t size, int64_t parts);

// All grids that meet the rules of a side with all its processes; none for boxes.
std::vector<Dims> legal_grids(const SideSpec &spec);

// Strides of a part in elements; nothing if the library chooses them.
std::optional<Dims> plain_strides(const model::Layout &layout, const Dims &extents);

struct HeldElement {
    int position;   // in the group
    int64_t offset; // elements after the start of the buffer
    Dims local;
};

// What each local offset of a part shows along one dimension: a global index of the side's object, or zeros.
struct ShownRow {
    static constexpr int64_t zeros = -1;
    std::vector<int64_t> index;
    std::vector<bool> owned; // per offset: false in the overlap
    std::vector<bool> pad;   // per offset: outside the array, and not wrapped
};

// Blocks in local order with the overlap around each, as the interface describes them.
ShownRow plain_row(const std::vector<std::pair<int64_t, int64_t>> &blocks, int64_t size,
                   const model::Overlap &overlap);

// Runs of equal owners that part c owns, in rising order. If block > 0, no run extends over a multiple of it.
std::vector<std::pair<int64_t, int64_t>> plain_blocks(const std::vector<int64_t> &owners, int64_t c,
                                                      int64_t block);

// An offset of a buffer and what it must show: the element of the root object with this index, or zeros.
struct ShownElement {
    HeldElement held;
    std::optional<Dims> index;
};

// One side of a case, computed by the oracle.
class SideOracle {
public:
    // Throws std::runtime_error if the library's choice is not allowed.
    SideOracle(const TransferCase &c, const SideSpec &spec, const planner::Side &side);

    // For each process that owns the element of the root object at `index`, the first offset where it does.
    std::vector<HeldElement> holders(const Dims &index) const;
    // All offsets of a part.
    std::vector<ShownElement> shown(int position) const;
    // Calls f(number, offset, owned) for all offsets of a part. number: the row-major number of the element in the
    // root object, whose sizes are given, or ShownRow::zeros.
    template <class F> void for_each_offset(int position, const Dims &root, F f) const;
    // Elements that a buffer of a part needs, including the padding after the last row of a layout with a pitch.
    int64_t span(int position, const model::Layout &layout) const;
    const ShownRow &row(int position, size_t dim) const;
    Dims extents(int position) const;
    int64_t parts() const { return parts_; }
    int positions() const { return static_cast<int>(strides_.size()); }

private:
    void cut(const SideSpec &spec, const planner::Side &side);
    Dims coords(int64_t part) const;
    int64_t offset_of(int position, const Dims &local) const;

    Dims offset_, sizes_, grid_;
    int64_t parts_ = 1;
    std::vector<std::vector<ShownRow>> rows_; // per dimension and coordinate; for boxes, per position
    // as rows_; for each index its first owned offset, or -1
    std::vector<std::vector<std::vector<int64_t>>> own_local_;
    std::vector<Dims> keys_;    // per position; they index rows_ and own_local_
    std::vector<Dims> strides_; // per position
};

// Whether every element of the side's object is owned by exactly one part.
bool tiles_plainly(const SideOracle &oracle, const SideSpec &spec);

// Calls f(index) for every index of an array, in row-major order.
template <class F> void for_each_index(const Dims &sizes, F f) {
    for (int64_t s : sizes)
        if (s == 0)
            return;
    Dims index(sizes.size(), 0);
    while (true) {
        f(index);
        size_t d = sizes.size();
        while (d > 0 && ++index[d - 1] == sizes[d - 1])
            index[--d] = 0;
        if (d == 0)
            return;
    }
}

template <class F> void SideOracle::for_each_offset(int position, const Dims &root, F f) const {
    for_each_index(extents(position), [&](const Dims &local) {
        int64_t number = 0;
        bool owned = true, zeros = false;
        for (size_t d = 0; d < local.size(); ++d) {
            const ShownRow &shown = row(position, d);
            const int64_t index = shown.index[at(local[d])];
            zeros = zeros || index == ShownRow::zeros;
            owned = owned && shown.owned[at(local[d])];
            number = number * root[d] + index + offset_[d];
        }
        f(zeros ? ShownRow::zeros : number, offset_of(position, local), owned);
    });
}

} // namespace dri::test
