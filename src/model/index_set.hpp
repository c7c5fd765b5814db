// Index sets: what a part holds along one dimension, in closed form, and where it lies locally.
//
// A set is a list of runs at a fixed period. A block is one run; a block-cyclic part is one list of equal
// runs and perhaps a short last one; a list of arbitrary runs is many lists of one. The local order need not be
// the global one. A query costs O(log) of the number of lists and the intersection what the form costs, whatever
// the number of indices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dri {

// `count` runs of `size` consecutive indices. Run k holds the global indices from global + k * global_step on,
// and they lie at the local indices from local + k * local_step on.
struct Runs {
    int64_t global = 0;
    int64_t size = 0;
    int64_t count = 1;
    int64_t global_step = 0; // > 0 where count > 1, but where the same run comes again and again (see PartAxis)
    int64_t local = 0;
    int64_t local_step = 0;
    friend bool operator==(const Runs &, const Runs &) = default;

    int64_t end() const { return global + (count - 1) * global_step + size; } // one past the last global index
};

class IndexSet {
public:
    IndexSet() = default;
    // Lists in rising order of local indices, none empty. No list's global indices reach into the span of
    // another's, so that each index has one list; in their own order, whatever it is.
    explicit IndexSet(std::vector<Runs> lists);

    const std::vector<Runs> &lists() const { return lists_; }
    bool empty() const { return lists_.empty(); }
    int64_t first() const; // smallest global index; 0 for the empty set
    int64_t last() const;  // largest global index plus one; 0 for the empty set
    int64_t num_runs() const { return num_runs_; }

    std::optional<int64_t> local_of(int64_t global) const;

private:
    const Runs &by_global(size_t i) const { return lists_[by_global_.empty() ? i : by_global_[i]]; }

    std::vector<Runs> lists_;
    std::vector<uint32_t> by_global_; // lists in rising order of global indices; empty where theirs is that
    int64_t num_runs_ = 0;
};

// Indices that two sets share: for every outer and inner repetition, `size` consecutive ones, given by where
// they lie in the two sets.
struct Repeat {
    int64_t count = 1, a_step = 0, b_step = 0;
    friend bool operator==(const Repeat &, const Repeat &) = default;
};

struct CommonRuns {
    int64_t a_local = 0, b_local = 0, size = 0;
    Repeat outer, inner;
};

// What a and b share, where index i of b is index i + b_shift of a. Lists in any order, which may share indices
// among themselves: then every pair of places is named; those of b may have a global_step of 0 for a run that
// comes again and again, which is found once. With a and b lists and m pairs of them whose spans meet, the cost is
// O((a + b) log(a + b) + m) and what the pairs' run lengths and periods ask for, never the number of indices. The
// order of the result is that of a's lists, and of b's for each of them.
std::vector<CommonRuns> intersect(std::span<const Runs> a, std::span<const Runs> b, int64_t b_shift);

} // namespace dri
