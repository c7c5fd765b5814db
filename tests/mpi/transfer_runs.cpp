// Lists of indices that are given as runs.
#include "support/library.hpp"
#include "support/world.hpp"

#include <numeric>

namespace dri::test {
namespace {

// Runs stand for the indices that they stand for: falling, overlapping and mixed ones, from a sink's point of
// view.
TEST(Runs, RunsAreIndicesWrittenShort) {
    const std::vector<std::vector<DRI_Run>> all{{{0, 2, 4, 5}, {19, 1, 4, -1}},
                                                {{10, 3, 3, 1}},
                                                {{4, 2, 3, -2}, {6, 1, 5, 0}},
                                                {{1, 1, 5, 4}, {0, 1, 5, 4}},
                                                {},
                                                {{3, 17, 1, -99}},
                                                {{9, 1, 10, -1}, {10, 1, 10, 1}}};
    const std::vector<DRI_Run> &runs = all[static_cast<size_t>(world().rank) % all.size()];
    std::vector<int64_t> indices;
    for (const DRI_Run &r : runs)
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t i = 0; i < r.size; ++i)
                indices.push_back(r.first + k * r.step + i);
    const Gdo gdo = make_gdo({20}, DRI_INT32);
    const Group group = make_world();
    const Dist by_runs = make_dist(
        gdo,
        make_part({{.kind = DRI_RUNS, .runs = runs.empty() ? nullptr : runs.data(), .nruns = std::ssize(runs)}}),
        group);
    const Dist by_indices = make_dist(gdo,
                                      make_part({{.kind = DRI_INDICES,
                                                  .indices = indices.empty() ? nullptr : indices.data(),
                                                  .nindices = std::ssize(indices)}}),
                                      group);
    int flag = 0;
    expect_success(DRI_dist_equal(by_runs, by_indices, &flag), "DRI_dist_equal");
    EXPECT_EQ(flag, 1);
    for (size_t i = 0; i < indices.size(); ++i) {
        const auto local = static_cast<int64_t>(i);
        int64_t index = -1;
        expect_success(DRI_dist_global_index(by_runs, world().rank, &local, &index), "DRI_dist_global_index");
        EXPECT_EQ(index, indices[i]);
    }
    const Dist rows = make_dist(gdo, make_blocks(1, 0), group);
    DRI_Part_tuple mine{};
    expect_success(DRI_dist_get_part(rows, world().rank, &mine), "DRI_dist_get_part");
    for (const int ways :
         {int{DRI_WAY_MESSAGE}, DRI_WAY_MESSAGE | DRI_WAY_SELF, DRI_WAY_MESSAGE | DRI_WAY_DIRECT}) {
        const Xfer source = make_xfer("runs", DRI_SOURCE, rows), sink = make_xfer("runs", DRI_SINK, by_runs);
        for (const DRI_Xfer end : {source.get(), sink.get()})
            expect_success(DRI_xfer_set_attr(end, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        commit(group);
        auto *sent = buffer_of<int32_t>(source);
        std::iota(sent, sent + (mine.right_x - mine.left_x), static_cast<int32_t>(mine.left_x));
        expect_success(DRI_do("runs", DRI_XFER_NULL), "DRI_do");
        const auto *arrived = buffer_of<int32_t>(sink);
        for (size_t k = 0; k < indices.size(); ++k)
            EXPECT_EQ(arrived[k], indices[k]) << "ways " << ways;
    }
}

// A million indices in one run, dealt as a cycle that starts at the last process. The plan is as long as that of
// the cycle, and the distributions are equal.
TEST(Runs, OfAMillionIndicesArePlannedAsOne) {
    const int n = world().size, rank = world().rank;
    constexpr int64_t all = 1 << 20;
    const int64_t first = (rank + 1) % n;
    const DRI_Run own{first, 1, (all - first + n - 1) / n, n};
    const Gdo gdo = make_gdo({all}, DRI_UINT8);
    const Group group = make_world();
    const Dist runs = make_dist(gdo, make_part({{.kind = DRI_RUNS, .runs = &own, .nruns = 1}}), group);
    const Dist cycle = make_dist(gdo, make_part({{.kind = DRI_BLOCK_CYCLIC, .block = 1, .phase = n - 1}}), group);
    int flag = 0;
    expect_success(DRI_dist_equal(runs, cycle, &flag), "DRI_dist_equal");
    EXPECT_EQ(flag, 1);
    const Dist rows = make_dist(gdo, make_blocks(1, 0), group);
    const Xfer source = make_xfer("million", DRI_SOURCE, runs), sink = make_xfer("million", DRI_SINK, rows);
    commit(group);
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(sink, &info), "DRI_xfer_get_info");
    EXPECT_LT(info.plan_bytes, 20'000);
    const auto value = [](int64_t index) { return static_cast<uint8_t>(index % 251); };
    auto *sent = buffer_of<uint8_t>(source);
    for (int64_t k = 0; k < own.count; ++k)
        sent[k] = value(own.first + k * own.step);
    expect_success(DRI_do("million", DRI_XFER_NULL), "DRI_do");
    DRI_Part_tuple mine{};
    expect_success(DRI_dist_get_part(rows, rank, &mine), "DRI_dist_get_part");
    const auto *arrived = buffer_of<uint8_t>(sink);
    int64_t wrong = 0;
    for (int64_t i = mine.left_x; i < mine.right_x; ++i)
        wrong += arrived[i - mine.left_x] != value(i);
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace dri::test
