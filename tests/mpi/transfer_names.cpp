// Several transfers at once, frames in an order other than that of names, small messages, chains, subsets.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <array>

namespace dri::test {
namespace {

using Runs = std::vector<std::unique_ptr<TransferRun>>;

// Transfers of different shapes. Sources have two buffers, so that they may run ahead of their own process's sink.
Runs make_runs(const std::string &prefix) {
    const std::string lines[]{
        "float [12,10] block,* rm -> *,block rm direct buffers=2,1",
        "double [30] cyclic(0,2) rm -> block rm direct buffers=2,1",
        "int8 [4,5,6] *,block,* rm -> block,*,* 210 direct buffers=3,2",
        "float [12,10] block,* rm over 0 -> *,block rm direct buffers=2,1",
        fmt::format("float [12,10] block,* rm -> *,block rm over {} direct buffers=2,1", world().size - 1),
    };
    Runs runs;
    for (const std::string &line : lines) {
        const auto i = static_cast<int>(runs.size());
        runs.push_back(std::make_unique<TransferRun>(prefix + std::to_string(i), line, i));
    }
    return runs;
}

// A different order on every process.
size_t turned(size_t i, size_t n) { return (i + static_cast<size_t>(world().rank)) % n; }

TEST(Names, DeclaredInAnotherOrderOnEachProcess) {
    Runs runs = make_runs("zebra ");
    const size_t n = runs.size();
    for (size_t i = 0; i < n; ++i)
        runs[turned(i, n)]->declare();
    commit(make_world());
    for (auto &run : runs)
        run->bind();
    for (int f = 0; f < 4; ++f)
        for (auto &run : runs)
            run->frame();
    for (auto &run : runs)
        run->check_info();
}

TEST(Names, ExecutedByHandleInAnotherOrderOnEachProcess) {
    Runs runs = make_runs("lion ");
    const size_t n = runs.size();
    for (auto &run : runs)
        run->declare();
    commit(make_world());
    for (auto &run : runs)
        run->bind();
    for (int f = 0; f < 5; ++f) {
        for (size_t i = 0; i < n; ++i) {
            runs[turned(i, n)]->fill();
            runs[turned(i, n)]->execute_source();
        }
        for (size_t i = n; i-- > 0;) {
            runs[turned(i, n)]->execute_sink();
            runs[turned(i, n)]->check();
        }
    }
    for (auto &run : runs)
        run->check_info();
}

TEST(Names, CommittedOneAfterTheOther) {
    Runs runs = make_runs("ant ");
    const Group all = make_world();
    for (size_t i = 0; i < runs.size(); ++i) {
        runs[i]->declare();
        commit(all);
        runs[i]->bind();
        for (size_t k = 0; k <= i; ++k)
            runs[k]->frame();
    }
    // A name may be used again once its endpoints are destroyed.
    runs.clear();
    runs = make_runs("ant ");
    for (auto &run : runs)
        run->declare();
    commit(all);
    for (auto &run : runs)
        run->bind();
    for (auto &run : runs)
        run->frame();
}

TEST(Names, ObjectsMayBeDestroyedBeforeTheTransfer) {
    Gdo gdo = make_gdo({6 * world().size, 4}, DRI_INT32);
    Part part = make_blocks(2, 0);
    Group group = make_world();
    Dist dist = make_dist(gdo, part, group);
    Layout layout;
    const int order[]{1, 0};
    expect_success(DRI_layout_create_packed(2, order, layout.out()), "DRI_layout_create_packed");
    const Xfer source = make_xfer("orphan", DRI_SOURCE, dist), sink = make_xfer("orphan", DRI_SINK, dist, layout);
    for (int code : {gdo.reset(), part.reset(), dist.reset(), layout.reset()})
        EXPECT_EQ(code, DRI_SUCCESS);
    commit(group);
    EXPECT_EQ(group.reset(), DRI_SUCCESS);
    for (int i = 0; i < 24; ++i)
        buffer_of<int32_t>(source)[i] = i;
    expect_success(DRI_do("orphan", DRI_XFER_NULL), "DRI_do");
    for (int i = 0; i < 24; ++i)
        EXPECT_EQ(buffer_of<int32_t>(sink)[i % 4 * 6 + i / 4], i);
}

TEST(Names, SmallMessages) {
    for (int bytes : {1, 3, 4, 7, 64, 100, 4096})
        for (const char *self : {"", " no-self"})
            for (const char *element : {"float", "6B/8"})
                expect_transfer(
                    fmt::format("{} [17,12] block,* rm -> *,block 10 limit={}{}", element, bytes, self));
}

TEST(Names, TheMostRestrictiveMessageLimitHolds) {
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({60, 60}), make_blocks(2, 0), all);
    const Dist columns = make_dist(make_gdo({60, 60}), make_blocks(2, 1), all);
    const auto messages = [&](const char *name, int64_t source_limit, int64_t sink_limit) {
        const Xfer source = make_xfer(name, DRI_SOURCE, rows), sink = make_xfer(name, DRI_SINK, columns);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_MESSAGE_BYTES, source_limit), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_MESSAGE_BYTES, sink_limit), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE),
                       "DRI_xfer_set_attr");
        commit(all);
        expect_success(DRI_do(name, DRI_XFER_NULL), "DRI_do");
        DRI_Xfer_info info;
        expect_success(DRI_xfer_get_info(source, &info), "DRI_xfer_get_info");
        return info;
    };
    const int64_t peers = world().size - 1;
    EXPECT_EQ(messages("large", 1 << 20, 1 << 20).messages, peers) << "pieces to one peer are sent in one message";
    for (const auto &[a, b] : {std::pair<int64_t, int64_t>{256, 1 << 20}, {1 << 20, 256}}) {
        const DRI_Xfer_info info = messages("small", a, b);
        EXPECT_GE(info.messages, info.bytes_message / 256);
        EXPECT_EQ(info.peers, peers);
    }
}

TEST(Names, ASourceRunsAheadOfTheSinksOfOthers) {
    const int n = world().size;
    if (n < 2)
        GTEST_SKIP() << "needs two processes";
    // Large enough that MPI does not buffer the messages. With three buffers the source may be two frames ahead.
    TransferRun run(
        "ahead",
        fmt::format("float [512,512] block,* rm over 0 -> *,block rm over 1-{} direct buffers=3,1", n - 1));
    run.declare();
    commit(make_world());
    run.bind();
    for (int f = 0; f < 6; f += 2) {
        // Two frames are handed over while all sinks wait at the barrier.
        for (int k = 0; k < 2; ++k) {
            run.fill();
            run.execute_source();
        }
        barrier();
        for (int k = 0; k < 2; ++k) {
            run.execute_sink();
            run.check();
        }
        barrier();
    }
    run.check_info();
}

TEST(Names, FramesReachTheirSinksAfterTheSourceIsDestroyed) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    constexpr int64_t n = 300000; // more than MPI sends without a receiver
    const Gdo gdo = make_gdo({n}, DRI_INT32);
    const Part part = make_blocks(1, 0);
    Xfer source, sink;
    if (rank == 0)
        source = make_xfer("last words", DRI_SOURCE, make_dist(gdo, part, make_group({0})), DRI_ROW_MAJOR, 2);
    if (rank == size - 1)
        sink = make_xfer("last words", DRI_SINK, make_dist(gdo, part, make_group({size - 1})));
    commit(make_world());
    if (source) {
        for (int i = 0; i < n; ++i)
            buffer_of<int32_t>(source)[i] = 3 * i;
        expect_success(DRI_do(nullptr, source), "DRI_do");
        EXPECT_EQ(source.reset(), DRI_SUCCESS) << DRI_error_message();
    }
    barrier();
    if (sink) {
        expect_success(DRI_do(nullptr, sink), "DRI_do");
        int wrong = 0;
        for (int i = 0; i < n; ++i)
            wrong += buffer_of<int32_t>(sink)[i] != 3 * i;
        EXPECT_EQ(wrong, 0);
    }
    barrier();
}

TEST(Names, TheSinkOfOneTransferIsTheSourceOfTheNext) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({4 * size, 6}, DRI_INT32), make_blocks(2, 0), all);
    const Dist columns = make_dist(make_gdo({4 * size, 6}, DRI_INT32), make_blocks(2, 1), all);
    int64_t count = 0;
    expect_success(DRI_dist_get_count(columns, rank, &count, nullptr), "DRI_dist_get_count");
    std::vector<int32_t> shared[2]{std::vector<int32_t>(static_cast<size_t>(count) + 1),
                                   std::vector<int32_t>(static_cast<size_t>(count) + 1)};
    void *const buffers[]{shared[0].data(), shared[1].data()};
    Xfer middle_sink, middle_source;
    const Xfer source = make_xfer("first", DRI_SOURCE, rows), sink = make_xfer("second", DRI_SINK, rows);
    expect_success(DRI_xfer_create("first", DRI_SINK, columns, DRI_COL_MAJOR, 2, buffers, middle_sink.out()),
                   "first");
    expect_success(DRI_xfer_create("second", DRI_SOURCE, columns, DRI_COL_MAJOR, 2, buffers, middle_source.out()),
                   "second");
    commit(all);
    for (int f = 0; f < 5; ++f) {
        for (int i = 0; i < 24; ++i)
            buffer_of<int32_t>(source)[i] = 24 * rank + i + 100000 * f;
        expect_success(DRI_do("first", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(buffer_of<int32_t>(middle_sink), buffer_of<int32_t>(middle_source))
            << "no copy between the transfers";
        EXPECT_EQ(buffer_of<void>(middle_sink), buffers[f % 2]);
        expect_success(DRI_do("second", DRI_XFER_NULL), "DRI_do");
        for (int i = 0; i < 24; ++i)
            EXPECT_EQ(buffer_of<int32_t>(sink)[i], 24 * rank + i + 100000 * f);
    }
}

TEST(Names, ASubsetMovesTheCommonElements) {
    const int rows = 3 * world().size + 2;
    const std::string box = fmt::format("at[1,2]+[{},5] *,block cm", rows - 2);
    expect_transfer(fmt::format("int32 [{},9] block,* rm -> {} direct", rows, box));
    // The way back writes only the box within the whole object.
    expect_transfer(fmt::format("int32 [{},9] {} -> block,* rm direct", rows, box));
}

} // namespace
} // namespace dri::test
