// Index sets: what a part holds along one dimension, in closed form, and where it lies locally.
//
// A set consists of lists; a list (Runs) is a number of equal runs at a fixed period. A block is one run. A
// block-cyclic part is one list of equal runs, and perhaps a second one for a short last block. A set of arbitrary
// runs has many lists of one run each. The local order may differ from the global order. A query costs O(log) of
// the number of lists, and a step for each list whose span has the index. Neither a query nor an intersection
// depends on the number of indices, only on the form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dri::model {

// `count` runs of `size` consecutive indices. Run k holds the global indices from global + k * global_step on.
// They lie at the local indices from local + k * local_step on.
struct Runs {
    int64_t global = 0;
    int64_t size = 0;
    int64_t count = 1;
    // Positive if count > 1, except if the same run repeats: then it is 0 (see PartAxis).
    int64_t global_step = 0;
    int64_t local = 0;
    int64_t local_step = 0;
    friend bool operator==(const Runs &, const Runs &) = default;

    int64_t end() const { return global + (count - 1) * global_step + size; } // one past the last global index
};

class IndexSet {
public:
    IndexSet() = default;
    // lists: in rising order of local indices, none empty. Each index belongs to one list. Their global order is
    // arbitrary. alternate: the runs of one list may lie between those of another; otherwise no list has indices
    // inside the span of another one.
    explicit IndexSet(std::vector<Runs> lists, bool alternate = false);

    const std::vector<Runs> &lists() const { return lists_; }
    bool empty() const { return lists_.empty(); }
    int64_t first() const; // smallest global index; 0 for the empty set
    int64_t last() const;  // largest global index plus one; 0 for the empty set
    int64_t num_runs() const { return num_runs_; }

    std::optional<int64_t> local_of(int64_t global) const;

private:
    void sort(); // fills by_global_
    const Runs &by_global(size_t i) const { return lists_[by_global_.empty() ? i : by_global_[i]]; }

    std::vector<Runs> lists_;
    // Lists in rising order of global indices; empty if lists_ has that order already.
    std::vector<uint32_t> by_global_;
    // In rising order of global indices: the largest end of each list and those before it. Empty unless lists
    // alternate.
    std::vector<int64_t> reach_;
    int64_t num_runs_ = 0;
};

// The smallest index that two of the lists have; nothing if there is none. The runs of one list stand apart. Cost:
// that of sorting the lists, and of intersecting each two that have different periods and spans that meet.
std::optional<int64_t> first_common(std::span<const Runs> lists);

// A repetition of indices that two sets share, with the steps of their local indices.
struct Repeat {
    int64_t count = 1, a_step = 0, b_step = 0;
    friend bool operator==(const Repeat &, const Repeat &) = default;
};

// Indices that two sets share. Each outer and inner repetition has `size` consecutive indices, given by where they
// lie locally in the two sets.
struct CommonRuns {
    int64_t a_local = 0, b_local = 0, size = 0;
    Repeat outer, inner;
};

// The indices that a and b share, if index i of b is index i + b_shift of a.
// - Lists may be in any order and may share indices among themselves. Each pair of local indices is then in the
//   result.
// - Lists of b may have a global_step of 0 for a run that repeats. Such a run is intersected once.
// Cost: O((a + b) log(a + b) + m) for a and b lists of which m pairs have spans that meet, and what the run
// lengths and periods of these pairs require. It never depends on the number of indices. The result is in the
// order of a's lists, and for each of them in that of b's.
std::vector<CommonRuns> intersect(std::span<const Runs> a, std::span<const Runs> b, int64_t b_shift);

} // namespace dri::model
