// What maps and domains hold, from `new` alone, for small and large numbers of members: a table with a bound for
// each sort of map.
#include "support/allocation_counter.hpp"
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace dri::test {
namespace {

// A user's map: index i belongs to position (i / block) modulo the number of processes.
struct Blocks {
    int64_t block = 1;
    bool is_scattered = false; // otherwise the positions own blocks in turn
};

int owner_of(void *ctx, const int64_t index[], int *position) {
    const auto &blocks = *static_cast<const Blocks *>(ctx);
    const auto at = static_cast<uint64_t>(index[0] / blocks.block);
    const uint64_t mixed = blocks.is_scattered ? (at * 0x9E3779B97F4A7C15U) >> 33U : at;
    *position = static_cast<int>(mixed % static_cast<uint64_t>(world().size));
    return DRI_SUCCESS;
}

int local_of(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n) {
    const int64_t block = static_cast<const Blocks *>(ctx)->block, step = block * world().size;
    *n = 0;
    for (int64_t at = position * block; at < whole[0].size; at += step)
        if ((*n)++ < most)
            boxes[*n - 1] = {at, 1, std::min(block, whole[0].size - at)};
    return DRI_SUCCESS;
}

Map map_of(const std::string &kind, int64_t n, Blocks &blocks) {
    const Group all = make_world();
    if (kind == "blocks")
        return make_map({block_dim(0, n)}, all);
    if (kind == "blocks with overlap")
        return make_map({MapDim{.kind = DRI_BLOCK, .hi = n, .left = 2, .right = 3}}, all);
    if (kind == "cyclic")
        return make_map({cyclic_dim(0)}, all);
    if (kind == "cyclic blocks")
        return make_map({cyclic_dim(0, 4)}, all);
    if (kind == "sizes") {
        const std::vector<int64_t> sizes(static_cast<size_t>(world().size), n / world().size);
        const Dist dist =
            make_dist(make_gdo({n}),
                      make_part({Rule{.kind = DRI_SIZES, .nparts = world().size, .sizes = sizes.data()}}), all);
        Map map;
        expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
        return map;
    }
    if (kind == "indices") {
        std::vector<int64_t> list(static_cast<size_t>(n));
        std::iota(list.begin(), list.end(), int64_t{0});
        std::shuffle(list.begin(), list.end(), std::mt19937_64(7));
        const auto [rank, size] = world();
        const int64_t begin = n * rank / size, end = n * (rank + 1) / size;
        const Dist dist = make_dist(
            make_gdo({n}),
            make_part({Rule{.kind = DRI_INDICES, .indices = list.data() + begin, .nindices = end - begin}}), all);
        Map map;
        expect_success(DRI_map_create_dist(dist, map.out()), "DRI_map_create_dist");
        return map;
    }
    DRI_Map_ops ops = map_ops("user", owner_of);
    if (kind == "user's lists")
        ops.local = local_of;
    return make_user_map(1, ops, &blocks);
}

struct Held {
    int64_t map = 0, own = 0, all = 0; // own, all: domain, asked about this process, and about all
};

void ask_about(const Domain &domain, int rank) {
    int64_t boxes = 0, owned = 0, chunks = 0, index = 0;
    expect_success(DRI_domain_num_boxes(domain, rank, &boxes), "DRI_domain_num_boxes");
    expect_success(DRI_domain_get_count(domain, rank, &owned, nullptr), "DRI_domain_get_count");
    expect_success(DRI_domain_num_chunks(domain, rank, 4, &chunks), "DRI_domain_num_chunks");
    if (owned > 0)
        expect_success(DRI_domain_global_index(domain, rank, owned / 2, &index), "DRI_domain_global_index");
}

Held held_by(const std::string &kind, int64_t n, const DRI_Range &range, Blocks blocks) {
    Held held;
    const int64_t before = bytes_from_new();
    const Map map = map_of(kind, n, blocks);
    held.map = bytes_from_new() - before;
    const Domain domain = make_domain(map, {range});
    ask_about(domain, world().rank);
    held.own = bytes_from_new() - before - held.map;
    for (int rank = 0; rank < world().size; ++rank)
        ask_about(domain, rank);
    held.all = bytes_from_new() - before - held.map;
    return held;
}

// Bytes: at most `fixed` and `process` for each process, and so many for each member of the array.
struct Bound {
    int64_t fixed, process;
    double own = 0, member = 0; // for each member of this process, and for each of the domain
    int64_t of(int64_t n) const {
        const double share = static_cast<double>(n / world().size + 1);
        return fixed + process * world().size +
               static_cast<int64_t>(own * share + member * static_cast<double>(n));
    }
};

struct Row {
    std::string kind;
    int64_t stride;
    Blocks blocks; // of a user's map
    Bound map, own, all;
};

TEST(MapMemory, IsWhatTheSortOfMapNeeds) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    constexpr Bound map{1500, 32}, few{1500, 32}, each{1000, 600};
    // A run takes 72 bytes. Blocks of 4 members are a run each; a shuffled list has a run for two indices.
    constexpr Bound runs{2000, 600, 0, 72.0 / 4 + 1};
    constexpr int64_t large = 10'000; // blocks: few
    const std::vector<Row> rows{
        {"blocks", 1, {}, map, few, each},
        {"blocks", -3, {}, map, few, each},
        {"blocks with overlap", 1, {}, map, few, each},
        {"cyclic", 1, {}, map, few, each},
        {"cyclic", 3, {}, map, few, each},
        {"cyclic blocks", 1, {}, map, few, each},
        {"cyclic blocks", 3, {}, map, few, each},
        {"sizes", 1, {}, {3000, 100}, few, each},
        {"indices", 1, {}, {3000, 100, 72}, {2000, 32, 36 + 1}, {2000, 600, 0, 36 + 1}},
        {"user's lists", 1, {4}, map, runs, runs},
        {"user's lists", 1, {large}, map, {2000, 1600}, {2000, 1600}},
        {"user's owners", 1, {4}, map, runs, runs},
        {"user's owners", 1, {4, true}, map, runs, runs},
        {"user's owners", -3, {large}, map, {2000, 1600}, {2000, 1600}},
    };
    for (const Row &row : rows)
        for (const int64_t n : {int64_t{1200}, int64_t{120'000}}) {
            SCOPED_TRACE(row.kind + " by " + std::to_string(row.stride) + " of " + std::to_string(n));
            const DRI_Range range{row.stride > 0 ? 0 : n - 1, row.stride, n / std::abs(row.stride)};
            const Held held = held_by(row.kind, n, range, row.blocks);
            EXPECT_LE(held.map, row.map.of(n)) << "the map";
            EXPECT_LE(held.own, row.own.of(n)) << "asked about this process";
            EXPECT_LE(held.all, row.all.of(n)) << "asked about all processes";
        }
}

// Ranges are values of three numbers. Owners and places are computed, and nothing is made for them.
TEST(MapMemory, QueriesOfIndicesTakeNone) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    static_assert(sizeof(DRI_Range) == 3 * sizeof(int64_t));
    Blocks unused{1};
    for (const char *kind : {"blocks", "cyclic", "cyclic blocks"}) {
        const Map map = map_of(kind, 1200, unused);
        const DRI_Range whole{1, 2, 500}, part{5, 4, 100};
        const Domain domain = make_domain(map, {whole});
        const int rank = world().rank;
        ask_about(domain, rank);
        int code = DRI_SUCCESS;
        EXPECT_EQ(allocations_of([&] {
                      DRI_Range made{}, common{};
                      int64_t order = -1, place = -1, owned = 0;
                      int owner = -1;
                      code += DRI_range(0, 100, 3, 1, &made) + DRI_range_common(whole, part, &common);
                      code += DRI_densify(part, whole, &made) + DRI_undensify(made, whole, &made);
                      const int64_t index = 25;
                      code += DRI_range_order(whole, index, &order) + DRI_map_owner(map, &index, &owner);
                      code += DRI_domain_order(domain, &index, &order) + DRI_domain_owner(domain, &index, &owner);
                      code += DRI_domain_get_count(domain, rank, &owned, nullptr);
                      int64_t own = 0;
                      if (owned > 0)
                          code += DRI_domain_global_index(domain, rank, 0, &own) +
                                  DRI_domain_local_index(domain, rank, &own, &place);
                  }),
                  0)
            << kind;
        EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    }
}

} // namespace
} // namespace dri::test
