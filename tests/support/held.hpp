// What a process holds of a global object, computed from the definitions: the owner of every single index is
// evaluated. No arithmetic is shared with the library.
#pragma once

#include <dri/dri.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dri_test {

using Numbers = std::vector<int64_t>;

struct Cut {
    DRI_Part_kind kind = DRI_WHOLE;
    int nparts = 0; // 0: as many as the group allows
    DRI_Remainder remainder = DRI_BALANCED;
    int64_t block = 0;
    Numbers sizes{};
    std::vector<double> weights{};
    std::vector<Numbers> lists{}; // DRI_INDICES: the list of each part, in local order
    int64_t left = 0, right = 0;
    DRI_Edge left_edge = DRI_TRUNCATE, right_edge = DRI_TRUNCATE;
};

// The most frequently used cuts.
inline const Cut whole, blocks{DRI_BLOCK}, cyclic3{DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 3};

// The global indices of part c of nparts along a dimension of n elements, in local order.
Numbers held(const Cut &cut, int64_t n, int64_t nparts, int64_t c);

// The same along each dimension, for the process at a position of its group. Positions receive parts in row-major
// order, cyclically. parts: the number of parts along each dimension.
std::vector<Numbers> held(const std::vector<Cut> &cuts, const Numbers &sizes, const Numbers &parts,
                          int64_t position);

// One local offset of a part along a dimension.
struct Shown {
    static constexpr int64_t zeros = -1;
    int64_t index = 0; // the element that it must show, unless it is a pad of zeros
    bool owned = false;
    bool pad = false; // outside the array, and not wrapped
};

// Everything that part c shows, in local order: its blocks, each with its overlap around it.
std::vector<Shown> shown(const Cut &cut, int64_t n, int64_t nparts, int64_t c);
// The same for one block, [lo, hi).
void show_block(const Cut &cut, int64_t n, int64_t lo, int64_t hi, std::vector<Shown> &row);

struct Lay {
    std::vector<int> order; // slowest first; empty: row-major
    Numbers strides{};      // if not empty, replaces the order
    int64_t pitch = 0;      // 0: none
    bool split = false;     // complex numbers in two planes
};

// One part: which element lies at which offset. Elements are named by their row-major number in the whole object.
struct PartMap {
    Numbers extents, strides;
    std::vector<int64_t> flat;   // global number of each element held
    std::vector<int64_t> offset; // its offset in the buffer, in elements
    int64_t span = 0;            // elements that the buffer needs, including padding after the last row
};

// The part that holds these indices along each dimension of an object of these sizes.
PartMap map_part(const Numbers &sizes, const std::vector<Numbers> &indices, const Lay &lay);

std::string text_of(const Cut &cut);
std::string text_of(const Lay &lay);
std::string text_of(const Numbers &numbers);

} // namespace dri_test
