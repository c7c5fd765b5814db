#include "jobs.hpp"

#include <cmath>
#include <numeric>
#include <random>

namespace plan_bench {

namespace {

using dri::CutKind;
using dri::CutRule;
using dri::Dims;
using dri::Distribution;
using dri::Partition;
using dri::Side;

int root_of(int processes) {
    const int root = static_cast<int>(std::lround(std::sqrt(processes)));
    if (root * root != processes || root % 2 != 0)
        dri::fail(DRI_ERR_ARG, "{} processes are not the square of an even number", processes);
    return root;
}

dri::Group world(int processes) {
    std::vector<int> ranks(static_cast<size_t>(processes));
    std::iota(ranks.begin(), ranks.end(), 0);
    return dri::Group(std::move(ranks));
}

// The processes of a square grid, rows and columns exchanged.
dri::Group turned_world(int root) {
    std::vector<int> ranks;
    for (int row = 0; row < root; ++row)
        for (int column = 0; column < root; ++column)
            ranks.push_back(column * root + row);
    return dri::Group(std::move(ranks));
}

CutRule block(int64_t parts) { return {.kind = CutKind::block, .nparts = parts}; }
CutRule cyclic(int64_t parts, int64_t size) {
    return {.kind = CutKind::block_cyclic, .nparts = parts, .block = size};
}

Side side(const Dims &sizes, Partition partition, dri::Group group) {
    const dri::Gdo gdo =
        dri::make_gdo(dri::builtin_type(dri::ElementKind::complex_float), {sizes.begin(), sizes.size()});
    return {std::make_shared<Distribution>(gdo, std::move(partition), std::move(group)), {dri::Layout{}}};
}

// A cube of as many elements for each process as fit a node, whatever their number.
Sides slabs(int p) {
    const Dims n{4 * int64_t{p}, 4 * int64_t{p}, 256};
    return {side(n, {block(p), {}, {}}, world(p)), side(n, {{}, block(p), {}}, world(p)), p / 2};
}

Sides pencils(int p) {
    const int64_t root = root_of(p);
    const Dims n{16 * root, 16 * root, 16 * root};
    return {side(n, {block(root), block(root), {}}, world(p)), side(n, {{}, block(root), block(root)}, world(p)),
            p / 2 + static_cast<int>(root) / 2};
}

Sides cyclics(int p) {
    const int root = root_of(p);
    const Dims n{1'000'000, 1'000'000};
    return {side(n, {cyclic(root, 36), cyclic(root, 36)}, world(p)),
            side(n, {cyclic(root, 128), cyclic(root, 128)}, turned_world(root)), p / 2 + root / 2};
}

} // namespace

const std::vector<Job> &jobs() {
    static const std::vector<Job> all{
        {"slab to slab, 3-D", slabs},
        {"pencil to pencil, 3-D", pencils},
        {"block-cyclic 36 to 128, 2-D, grids transposed", cyclics},
    };
    return all;
}

} // namespace plan_bench
