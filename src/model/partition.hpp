// Partitions by rule, as values: how each dimension is cut, before sizes and processes are known.
#pragma once

#include "base/fixed_vector.hpp"
#include "base/wire.hpp"
#include "model/part_axis.hpp"

#include <span>
#include <string>
#include <vector>

namespace dri {

enum class CutKind : int32_t { whole, block, block_cyclic, sizes };
enum class Remainder : int32_t { balanced, balanced_last, ceil, proportional };

struct CutRule {
    CutKind kind = CutKind::whole;
    int64_t nparts = 0; // 0: chosen with the group
    Remainder remainder = Remainder::balanced;
    int64_t block = 0;
    std::vector<int64_t> sizes{};
    int64_t min = 0, max = 0, multiple = 0; // 0: no constraint
    Overlap overlap{};
    friend bool operator==(const CutRule &, const CutRule &) = default;

    bool chooses_parts() const { return nparts == 0 && kind != CutKind::whole; }
    int64_t fixed_parts() const { return kind == CutKind::whole || nparts == 0 ? 1 : nparts; }
};

using Partition = std::vector<CutRule>;

// Fails where a field is outside its range or does not belong to the kind.
void check_rule(const CutRule &rule, size_t dim);

Partition turn(const Partition &partition, std::span<const int> perm);

void put(Writer &out, const CutRule &rule);
CutRule get_cut_rule(Reader &in);

// "*", "block(4)", "block(4,ceil)", "cyclic(4,32)", "sizes(3:4:5)", each with its overlap behind it.
std::string to_text(const CutRule &rule, int64_t nparts);

} // namespace dri
