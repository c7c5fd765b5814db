// Partitions, as values: how each dimension is cut, before sizes and processes are known.
#pragma once

#include "base/fixed_vector.hpp"
#include "base/wire.hpp"
#include "model/index_lists.hpp"

#include <span>
#include <string>
#include <vector>

namespace dri::model {

// Kinds indices and exact need more than the rule: each process brings its own list, or its own range.
enum class CutKind : int32_t { whole, block, block_cyclic, sizes, weights, indices, exact };
enum class Remainder : int32_t { balanced, balanced_last, ceil, proportional };

struct CutRule {
    CutKind kind = CutKind::whole;
    int64_t nparts = 0; // 0: chosen when the group is known
    Remainder remainder = Remainder::balanced;
    int64_t block = 0;
    int64_t phase = 0; // kind block_cyclic: the part of the first block
    std::vector<int64_t> sizes{};
    std::vector<double> weights{};
    // Kind indices: one list per part. Before the processes have communicated: the list of this process alone.
    std::vector<IndexList> lists{};
    // Kind exact, before the processes have communicated: what this process owns.
    int64_t lo = 0, hi = 0;
    int64_t min = 0, max = 0, multiple = 0; // 0: no constraint
    Overlap overlap{};
    friend bool operator==(const CutRule &, const CutRule &) = default;

    bool chooses_parts() const { return nparts == 0 && kind != CutKind::whole; }
    int64_t fixed_parts() const { return kind == CutKind::whole || nparts == 0 ? 1 : nparts; }
};

// All dimensions are exact, or none is.
using Partition = std::vector<CutRule>;

bool is_exact(const Partition &partition); // boxes, one per process

// Fails with DRI_ERR_ARG if a field is outside its range or does not belong to the kind, and with DRI_ERR_OVERFLOW
// if the sum of sizes does not fit into 64 bits.
void check_rule(const CutRule &rule, size_t dim);

// The same partition with these edges, one left and one right edge per dimension.
Partition with_edges(const Partition &partition, std::span<const Edge> left, std::span<const Edge> right);
// The same partition with permuted dimensions: dimension i has the rule of dimension perm[i].
Partition turn(const Partition &partition, std::span<const int> perm);

// lists: those of the rule if it does not have them itself.
void put(Writer &out, const CutRule &rule, const IndexedParts *lists = nullptr);
CutRule get_cut_rule(Reader &in);

// "*", "block(4)", "block(4,ceil)", "cyclic(4,32)", "sizes(3:4:5)", "weights(1:2.5)", "indices(4)", "exact"; each
// is followed by its overlap.
std::string to_text(const CutRule &rule, int64_t nparts);

} // namespace dri::model
