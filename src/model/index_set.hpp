// Index sets: what a part holds along one dimension, in closed form, and where it lies locally.
//
// A set is a list of runs at a fixed period. A block is one run; a block-cyclic part is one list of equal
// runs and perhaps a short last one; a list of arbitrary runs is many lists of one. Every query and the
// intersection cost what the form costs, whatever the number of indices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dri {

// `count` runs of `size` consecutive indices. Run k holds the global indices from global + k * global_step on,
// and they lie at the local indices from local + k * local_step on.
struct Runs {
    int64_t global = 0;
    int64_t size = 0;
    int64_t count = 1;
    int64_t global_step = 0; // > 0 where count > 1
    int64_t local = 0;
    int64_t local_step = 0;
    friend bool operator==(const Runs &, const Runs &) = default;
};

// One run, as a query gives it.
struct Run {
    int64_t global = 0, size = 0, local = 0;
};

class IndexSet {
public:
    IndexSet() = default;
    // Lists in rising order of global and local indices, none empty.
    explicit IndexSet(std::vector<Runs> lists);

    const std::vector<Runs> &lists() const { return lists_; }
    bool empty() const { return lists_.empty(); }
    int64_t owned() const { return owned_; }
    int64_t extent() const { return extent_; } // local indices are [0, extent)
    int64_t first() const;                     // smallest global index; 0 for the empty set
    int64_t last() const;                      // largest global index plus one; 0 for the empty set

    int64_t num_runs() const { return num_runs_; }
    Run run(int64_t i) const; // in rising order

    std::optional<int64_t> local_of(int64_t global) const;
    std::optional<int64_t> global_of(int64_t local) const;

private:
    std::vector<Runs> lists_;
    int64_t owned_ = 0, extent_ = 0, num_runs_ = 0;
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

// What a and b share, where index i of b is index i + b_shift of a. The cost depends on run lengths and
// periods, never on how many indices there are.
std::vector<CommonRuns> intersect(const IndexSet &a, const IndexSet &b, int64_t b_shift);

} // namespace dri
