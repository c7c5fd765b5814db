#include "jobs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace plan_bench {

namespace {

using dri::Dims;
using dri::model::CutKind;
using dri::model::CutRule;
using dri::model::Distribution;
using dri::model::Partition;
using dri::planner::Side;

int root_of(int processes) {
    const int root = static_cast<int>(std::lround(std::sqrt(processes)));
    if (root * root != processes || root % 2 != 0)
        dri::fail(DRI_ERR_ARG, "the number of processes, {}, is not the square of an even number", processes);
    return root;
}

dri::model::Group world(int processes) {
    std::vector<int> ranks(static_cast<size_t>(processes));
    std::iota(ranks.begin(), ranks.end(), 0);
    return dri::model::Group(std::move(ranks));
}

// The processes of a square grid, with its rows and columns exchanged.
dri::model::Group turned_world(int root) {
    std::vector<int> ranks;
    for (int row = 0; row < root; ++row)
        for (int column = 0; column < root; ++column)
            ranks.push_back(column * root + row);
    return dri::model::Group(std::move(ranks));
}

CutRule block(int64_t parts) { return {.kind = CutKind::block, .nparts = parts}; }
CutRule cyclic(int64_t parts, int64_t size) {
    return {.kind = CutKind::block_cyclic, .nparts = parts, .block = size};
}

Side side(const Dims &sizes, Partition partition, dri::model::Group group) {
    const dri::model::Gdo gdo =
        dri::model::make_gdo(dri::model::make_complex(dri::Scalar::float32), {sizes.begin(), sizes.size()});
    return {std::make_shared<Distribution>(gdo, std::move(partition), std::move(group)), {dri::model::Layout{}}};
}

// 4 P x 4 P x 256 elements for P processes, cut into slabs that are 4 planes thick.
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

// Cuts a box again and again across its longest side, at uneven positions. The resulting boxes tile it.
void split(const dri::model::Box &box, int parts, std::mt19937_64 &random, std::vector<dri::model::Box> &out) {
    if (parts == 1)
        return out.push_back(box);
    size_t longest = 0;
    for (size_t d = 1; d < box.size(); ++d)
        if (box[d].hi - box[d].lo > box[longest].hi - box[longest].lo)
            longest = d;
    const int64_t width = box[longest].hi - box[longest].lo;
    const auto uneven = static_cast<int64_t>(random() % static_cast<uint64_t>(width / 8 + 1)) - width / 16;
    dri::model::Box low = box, high = box;
    low[longest].hi = high[longest].lo = box[longest].lo + width / 2 + uneven;
    split(low, parts / 2, random, out);
    split(high, parts - parts / 2, random, out);
}

Sides boxes(int p) {
    const int64_t root = root_of(p);
    const Dims n{16 * root, 16 * root, 16 * root};
    std::mt19937_64 random(1999);
    std::vector<dri::model::Box> tiles;
    dri::model::Box whole;
    for (int64_t size : n)
        whole.push_back({0, size, 0, 0});
    split(whole, p, random, tiles);
    const dri::model::Gdo gdo =
        dri::model::make_gdo(dri::model::make_complex(dri::Scalar::float32), {n.begin(), n.size()});
    Side source{std::make_shared<Distribution>(gdo, Partition(n.size(), {.kind = CutKind::exact}), world(p),
                                               std::move(tiles)),
                {dri::model::Layout{}}};
    return {std::move(source), side(n, {block(root), block(root), {}}, world(p)), p / 2};
}

// 10^8 indices in runs of 1 to 31. The runs are dealt to the processes at random, the same number to each.
Sides indices(int p) {
    constexpr int64_t n = 100'000'000;
    std::mt19937_64 random(1999);
    std::vector<std::pair<int64_t, int64_t>> runs;
    for (int64_t at = 0; at < n;) {
        const auto size = std::min<int64_t>(1 + static_cast<int64_t>(random() % 31), n - at);
        runs.emplace_back(at, size);
        at += size;
    }
    std::shuffle(runs.begin(), runs.end(), random);
    CutRule rule{.kind = CutKind::indices, .nparts = p};
    rule.lists.resize(static_cast<size_t>(p));
    const size_t runs_each = (runs.size() + static_cast<size_t>(p) - 1) / static_cast<size_t>(p);
    int64_t local = 0;
    for (size_t i = 0; i < runs.size(); ++i) {
        local = i % runs_each == 0 ? 0 : local;
        rule.lists[i / runs_each].push_back({runs[i].first, runs[i].second, 1, 0, local, 0});
        local += runs[i].second;
    }
    const Dims sizes{n};
    return {side(sizes, {block(p)}, world(p)), side(sizes, {std::move(rule)}, world(p)), p / 2};
}

// 10^6 indices in random order.
Sides random_indices(int p) {
    constexpr int64_t n = 1'000'000;
    std::vector<int64_t> all(n);
    std::iota(all.begin(), all.end(), int64_t{0});
    std::shuffle(all.begin(), all.end(), std::mt19937_64(1999));
    CutRule rule{.kind = CutKind::indices, .nparts = p};
    for (int64_t c = 0; c < p; ++c) {
        const int64_t begin = n * c / p, end = n * (c + 1) / p;
        rule.lists.push_back(dri::model::compress(
            std::span(all).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin))));
    }
    const Dims sizes{n};
    return {side(sizes, {std::move(rule)}, world(p)), side(sizes, {block(p)}, world(p)), p / 2};
}

// Elements of all processes in turn, 10^4 for each process.
Sides cyclic_to_blocks(int p) {
    const Dims sizes{int64_t{10'000} * p};
    return {side(sizes, {cyclic(p, 1)}, world(p)), side(sizes, {block(p)}, world(p)), p / 2};
}

} // namespace

const std::vector<Job> &jobs() {
    static const std::vector<Job> all{
        {"slab to slab, 3-D", slabs},
        {"pencil to pencil, 3-D", pencils},
        {"block-cyclic 36 to 128, 2-D, grids transposed", cyclics},
        {"exact boxes to pencils, 3-D", boxes},
        {"blocks to 10^8 indices in short runs", indices},
        {"10^6 indices in random order to blocks", random_indices},
        {"cyclic to blocks, messages of 256 bytes", cyclic_to_blocks, 256},
    };
    return all;
}

} // namespace plan_bench
