// What the interface description says, computed the long way: an owner per index, a list of indices per part,
// an address per element. Shares no arithmetic with the library; takes from it only what the description
// leaves open (the chosen grid, sizes under constraints, the automatic pitch), and checks that it is allowed.
#pragma once

#include "random_case.hpp"

#include <optional>

namespace dri::test {

inline size_t at(int64_t i) { return static_cast<size_t>(i); }

inline bool has_limits(const CutRule &rule) { return rule.min > 0 || rule.max > 0 || rule.multiple > 1; }

// The part that owns each index of a dimension, where no constraint moves anything. Not for lists of indices.
std::vector<int64_t> plain_owners(const CutRule &rule, int64_t size, int64_t parts);

// The indices of a list, one by one.
std::vector<int64_t> listed(const IndexList &list);

std::vector<int64_t> part_sizes(const std::vector<int64_t> &owners, int64_t parts);

// Whether sizes meet the constraints of the rule.
bool meets_limits(const CutRule &rule, const std::vector<int64_t> &sizes);

// Whether any sizes of at most `parts` blocks do; for the kinds that leave no choice, whether theirs do.
bool can_be_cut(const CutRule &rule, int64_t size, int64_t parts);

// All grids that meet the rules of a side for as many processes as it names; none of boxes.
std::vector<Dims> legal_grids(const SideSpec &spec);

// Strides of a part in elements; nothing where they are the library's choice.
std::optional<Dims> plain_strides(const Layout &layout, const Dims &extents);

struct HeldElement {
    int position;  // in the group
    int64_t place; // elements after the start of the buffer
    Dims local;
};

// What the local places of a part show along one dimension: a global index of the side's object, or zeros.
struct ShownRow {
    static constexpr int64_t zeros = -1;
    std::vector<int64_t> index;
    std::vector<bool> owned; // the places that do not belong to the overlap
};

// Blocks in local order with the overlap around each, by the words of the interface.
ShownRow plain_row(const std::vector<std::pair<int64_t, int64_t>> &blocks, int64_t size, const Overlap &overlap);

// Runs of equal owners that part c owns, in rising order; if block > 0, none reaches over a multiple of it.
std::vector<std::pair<int64_t, int64_t>> plain_blocks(const std::vector<int64_t> &owners, int64_t c,
                                                      int64_t block);

// A place of a buffer, and what it must show: the element of the root object with this index, or zeros.
struct ShownPlace {
    HeldElement held;
    std::optional<Dims> index;
};

// One side of a case, as the oracle sees it.
class SideOracle {
public:
    // Throws std::runtime_error where the library's choice is not allowed.
    SideOracle(const TransferCase &c, const SideSpec &spec, const Side &side);

    // Every place of a process that owns the element of the root object at `index`, for each the first one.
    std::vector<HeldElement> holders(const Dims &index) const;
    // All places of a part.
    std::vector<ShownPlace> shown(int position) const;
    const ShownRow &row(int position, size_t dim) const;
    Dims extents(int position) const;
    int64_t parts() const { return parts_; }
    int positions() const { return static_cast<int>(strides_.size()); }

private:
    void cut(const SideSpec &spec, const Side &side);
    Dims coords(int64_t part) const;
    int64_t place_of(int position, const Dims &local) const;

    Dims offset_, sizes_, grid_;
    int64_t parts_ = 1;
    std::vector<std::vector<ShownRow>> rows_; // per dimension and coordinate; for boxes, per position
    std::vector<std::vector<std::vector<int64_t>>> own_local_; // the same: per index its first owned place, or -1
    std::vector<Dims> keys_;                                   // per position, into these
    std::vector<Dims> strides_;                                // per position
};

// Whether every element of the side's object is owned, and by no two parts.
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

} // namespace dri::test
