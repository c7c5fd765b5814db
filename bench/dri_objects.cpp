#include "dri_objects.hpp"

#include "world.hpp"

#include <numeric>

namespace bench {

using dri::test::CaseLine;
using dri::test::CaseRule;
using dri::test::CaseSide;

namespace {

// The alignment is the largest power of two that divides the size, at most 16 bytes.
DRI_Type make_type(int64_t bytes) {
    constexpr int64_t greatest_alignment = 16;
    DRI_Type type;
    check(DRI_type_create(static_cast<size_t>(bytes), static_cast<size_t>(std::gcd(bytes, greatest_alignment)),
                          &type));
    return type;
}

DRI_Remainder remainder_of(const CaseRule &rule) {
    switch (rule.remainder) {
    case CaseRule::Remainder::last: return DRI_BALANCED_LAST;
    case CaseRule::Remainder::ceil: return DRI_CEIL;
    case CaseRule::Remainder::proportional: return DRI_PROPORTIONAL;
    case CaseRule::Remainder::balanced: break;
    }
    return DRI_BALANCED;
}

DRI_Part_dim part_dim(const CaseRule &rule) {
    DRI_Part_dim dim = {};
    dim.nparts = static_cast<int>(rule.parts);
    switch (rule.kind) {
    case CaseRule::Kind::whole: break;
    case CaseRule::Kind::block:
        dim.kind = DRI_BLOCK;
        dim.remainder = remainder_of(rule);
        break;
    case CaseRule::Kind::cyclic:
        dim.kind = DRI_BLOCK_CYCLIC;
        dim.block = rule.block;
        break;
    case CaseRule::Kind::sizes:
        dim.kind = DRI_SIZES;
        dim.nparts = static_cast<int>(rule.sizes.size());
        dim.sizes = rule.sizes.data();
        break;
    }
    return dim;
}

DRI_Group first_processes(int n) {
    std::vector<int> ranks(static_cast<size_t>(n));
    std::iota(ranks.begin(), ranks.end(), 0);
    DRI_Group group;
    check(DRI_group_create(n, ranks.data(), &group));
    return group;
}

} // namespace

DRI_Dist make_distribution(const CaseLine &line, const CaseSide &side, int processes) {
    const int ndims = static_cast<int>(line.sizes.size());
    std::vector<DRI_Part_dim> dims;
    for (const CaseRule &rule : side.rules)
        dims.push_back(part_dim(rule));

    DRI_Type type = make_type(line.element_bytes);
    DRI_Group group = first_processes(processes);
    DRI_Gdo array;
    DRI_Part part;
    DRI_Dist dist;
    check(DRI_gdo_create(ndims, type, line.sizes.data(), &array));
    check(DRI_part_create_rule(ndims, dims.data(), &part));
    check(DRI_dist_create(array, part, group, &dist));
    check(DRI_part_destroy(&part));
    check(DRI_gdo_destroy(&array));
    check(DRI_group_destroy(&group));
    check(DRI_type_destroy(&type));
    return dist;
}

Dims chosen_grid(const CaseLine &line, const CaseSide &side, int processes) {
    DRI_Dist dist = make_distribution(line, side, processes);
    std::vector<int> grid(line.sizes.size());
    check(DRI_dist_get_grid(dist, grid.data()));
    check(DRI_dist_destroy(&dist));
    return {grid.begin(), grid.end()};
}

} // namespace bench
