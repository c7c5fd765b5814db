// Maps and domains of tests: handles that destroy what they name, and short functions that make them.
#pragma once

#include "support/objects.hpp"
#include "support/world.hpp"

#include <dri/domain.h>

namespace dri::test {

using Map = Owned<DRI_Map, DRI_map_destroy>;
using Domain = Owned<DRI_Domain, DRI_domain_destroy>;
using Ranges = std::vector<DRI_Range>;
using Indices = std::vector<int64_t>;

// A DRI_Map_dim of which a test sets only the fields that matter.
struct MapDim {
    DRI_Part_kind kind = DRI_WHOLE;
    int nparts = 0;
    int64_t lo = 0, hi = 0, start = 0, block = 0, left = 0, right = 0;
    DRI_Edge left_edge = DRI_TRUNCATE, right_edge = DRI_TRUNCATE;

    operator DRI_Map_dim() const {
        DRI_Map_dim dim{};
        dim.kind = kind;
        dim.nparts = nparts;
        dim.lo = lo;
        dim.hi = hi;
        dim.start = start;
        dim.block = block;
        dim.left = left;
        dim.right = right;
        dim.left_edge = left_edge;
        dim.right_edge = right_edge;
        return dim;
    }
};

inline MapDim block_dim(int64_t lo, int64_t hi, int nparts = 0) {
    return {.kind = DRI_BLOCK, .nparts = nparts, .lo = lo, .hi = hi};
}
inline MapDim cyclic_dim(int64_t start, int64_t block = 1, int nparts = 0) {
    return {.kind = DRI_BLOCK_CYCLIC, .nparts = nparts, .start = start, .block = block};
}

inline Map make_map(const std::vector<MapDim> &rules, DRI_Group group) {
    const std::vector<DRI_Map_dim> dims(rules.begin(), rules.end());
    Map map;
    expect_success(DRI_map_create(static_cast<int>(dims.size()), dims.data(), group, map.out()), "DRI_map_create");
    return map;
}

using OwnerOf = int (*)(void *ctx, const int64_t index[], int *position);

inline DRI_Map_ops map_ops(const char *name, OwnerOf owner) {
    DRI_Map_ops ops{};
    ops.bytes = sizeof ops;
    ops.name = name;
    ops.owner = owner;
    return ops;
}

// A user's map over all processes.
inline Map make_user_map(int ndims, const DRI_Map_ops &ops, void *ctx) {
    Map map;
    expect_success(DRI_map_create_user(ndims, &ops, ctx, make_world(), map.out()), "DRI_map_create_user");
    return map;
}

inline Domain make_domain(DRI_Map map, const Ranges &ranges) {
    Domain domain;
    expect_success(DRI_domain_create(map, DRI_RECTANGULAR, ranges.data(), domain.out()), "DRI_domain_create");
    return domain;
}

// The oracle of ranges: the sequence itself.
inline Indices sequence_of(const DRI_Range &range) {
    Indices all;
    for (int64_t i = 0; i < range.size; ++i)
        all.push_back(range.first + i * range.stride);
    return all;
}

// All index tuples of these ranges, row-major.
inline std::vector<Indices> tuples_of(const Ranges &ranges) {
    std::vector<Indices> all{{}};
    for (const DRI_Range &range : ranges) {
        std::vector<Indices> longer;
        for (const Indices &head : all)
            for (const int64_t index : sequence_of(range)) {
                longer.push_back(head);
                longer.back().push_back(index);
            }
        all = std::move(longer);
    }
    return all;
}

// The boxes of a process, as the library says them.
inline std::vector<Ranges> boxes_of(DRI_Domain domain, int rank) {
    int ndims = 0;
    int64_t n = 0;
    expect_success(DRI_domain_get_ranges(domain, &ndims, nullptr), "DRI_domain_get_ranges");
    expect_success(DRI_domain_num_boxes(domain, rank, &n), "DRI_domain_num_boxes");
    std::vector<Ranges> boxes;
    for (int64_t i = 0; i < n; ++i) {
        Ranges box(static_cast<size_t>(ndims));
        expect_success(DRI_domain_get_box(domain, rank, i, box.data()), "DRI_domain_get_box");
        boxes.push_back(std::move(box));
    }
    return boxes;
}

} // namespace dri::test
