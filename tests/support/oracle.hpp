// What the interface description says, computed the long way: an owner per index, a list of indices per part,
// an address per element. Shares no arithmetic with the library; takes from it only what the description
// leaves open (the chosen grid, sizes under constraints, the automatic pitch), and checks that it is allowed.
#pragma once

#include "random_case.hpp"

#include <optional>

namespace dri::test {

// The part that owns each index of a dimension, where no constraint moves anything.
std::vector<int64_t> plain_owners(const CutRule &rule, int64_t size, int64_t parts);

std::vector<int64_t> part_sizes(const std::vector<int64_t> &owners, int64_t parts);

// Whether sizes meet the constraints of the rule.
bool meets_limits(const CutRule &rule, const std::vector<int64_t> &sizes);

// Whether any sizes of at most `parts` blocks do; for the kinds that leave no choice, whether theirs do.
bool can_be_cut(const CutRule &rule, int64_t size, int64_t parts);

// All grids that meet the rules of a side for as many processes as it names.
std::vector<Dims> legal_grids(const SideSpec &spec);

// Strides of a part in elements; nothing where they are the library's choice.
std::optional<Dims> plain_strides(const Layout &layout, const Dims &extents);

struct HeldElement {
    int position;  // in the group
    int64_t place; // elements after the start of the buffer
    Dims local;
};

// One side of a case, as the oracle sees it.
class SideOracle {
public:
    // Throws std::runtime_error where the library's choice is not allowed.
    SideOracle(const TransferCase &c, const SideSpec &spec, const Side &side);

    // Everybody who holds the element of the root object at `index`.
    std::vector<HeldElement> holders(const Dims &index) const;
    Dims extents(int position) const;
    int64_t parts() const { return parts_; }
    int64_t part_of(const Dims &index) const; // index inside the side's object
    int positions() const { return static_cast<int>(strides_.size()); }

private:
    Dims coords(int64_t part) const;

    Dims offset_, sizes_, grid_;
    int64_t parts_ = 1;
    std::vector<std::vector<int64_t>> owners_; // per dimension and index
    std::vector<std::vector<int64_t>> local_;  // per dimension and index: place among the owner's indices
    std::vector<std::vector<int64_t>> counts_; // per dimension and coordinate
    std::vector<Dims> strides_;                // per position
};

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
