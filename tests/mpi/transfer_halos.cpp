// Halo exchanges in place: one and two dimensions, all edges, all kinds of memory, and how they end.
#include "support/halo.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

namespace dri::test {
namespace {

constexpr From all_memory[]{From::library, From::alloc, From::either, From::plain};

// Sizes that differ, for a number of parts.
std::vector<int64_t> uneven(int parts, int64_t least) {
    std::vector<int64_t> sizes;
    for (int i = 0; i < parts; ++i)
        sizes.push_back(least + i % 3);
    return sizes;
}

// Commits, moves frames, and expects the way that the memory allows. Over several hosts some neighbours share a
// node, or none do.
void expect_halo(const HaloCase &c, int frames = 4) {
    const bool one_node = is_one_node();
    Halo halo(c);
    commit(make_world());
    for (int f = 0; f < frames; ++f)
        halo.frame();
    const bool direct = c.from != From::plain && may_go_direct();
    const bool self = (c.ways & DRI_WAY_SELF) && allows("self");
    const DRI_Xfer_info info = halo.info();
    if (direct && self && one_node) {
        EXPECT_EQ(info.bytes_message, 0) << explain(halo.sink());
        EXPECT_EQ(info.workspace_bytes, 0);
    }
    if (!direct) {
        EXPECT_EQ(info.bytes_direct, 0) << explain(halo.sink());
    }
    if (world().size > c.replicas && (one_node || !direct)) {
        EXPECT_EQ(sum_of(info.bytes_direct) > 0, direct);
    }
}

constexpr DRI_Edge edges[]{DRI_WRAP, DRI_TRUNCATE, DRI_PAD_ZERO, DRI_PAD_REPLICATE};

TEST(Halos, OfOneDimension) {
    for (const DRI_Edge edge : edges)
        for (int64_t width = 1; width <= 3; ++width)
            for (const From from : all_memory) {
                SCOPED_TRACE(fmt::format("edge {}, width {}, memory {}", static_cast<int>(edge), width,
                                         static_cast<int>(from)));
                expect_halo({.cuts = {{uneven(world().size, 2), width, 4 - width, edge}},
                             .buffers = width == 2 ? 2 : 1,
                             .from = from});
            }
}

TEST(Halos, OfTwoDimensionsWithCorners) {
    int down = 1;
    for (int i = 2; i * i <= world().size; ++i)
        down = world().size % i == 0 ? i : down;
    const int across = world().size / down;
    for (const DRI_Edge edge : edges)
        for (int64_t width = 1; width <= 3; ++width)
            for (const From from : all_memory) {
                SCOPED_TRACE(fmt::format("edge {}, width {}, memory {}", static_cast<int>(edge), width,
                                         static_cast<int>(from)));
                expect_halo({.cuts = {{uneven(down, 3), width, 1, edge},
                                      {uneven(across, 4), 2, width, width == 3 ? DRI_WRAP : edge}},
                             .buffers = width == 2 ? 3 : 1,
                             .from = from});
            }
}

// Overlap that reaches past the neighbours, and parts without elements.
TEST(Halos, ReachPastNeighbours) {
    std::vector<int64_t> sizes = uneven(world().size, 0);
    sizes.front() = 2;
    for (const DRI_Edge edge : edges)
        for (const From from : {From::library, From::plain})
            expect_halo({.cuts = {{sizes, 3, 4, edge}, {{5}, 1, 1, edge}}, .from = from});
}

// Each process takes from a copy on its own node.
TEST(Halos, OfReplicatedParts) {
    if (world().size % 2 == 1)
        GTEST_SKIP() << "needs two processes for each part";
    for (const From from : {From::library, From::alloc})
        expect_halo({.cuts = {{uneven(world().size / 2, 3), 1, 2, DRI_WRAP}, {{6}}}, .replicas = 2, .from = from},
                    6);
}

TEST(Halos, WithThreadsAndInBothModes) {
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT})
        for (const int threads : {1, 2})
            for (const bool progress : {false, true})
                for (const From from : {From::library, From::plain})
                    expect_halo({.cuts = {{uneven(world().size, 4), 1, 1, DRI_WRAP}, {{40}, 2, 2, DRI_WRAP}},
                                 .from = from,
                                 .mode = mode,
                                 .threads = threads,
                                 .progress_thread = progress});
}

// What a process takes from itself travels in messages, beside what its neighbours read.
TEST(Halos, ReadsAndMessagesInOneFrame) {
    for (const DRI_Edge edge : {DRI_WRAP, DRI_PAD_REPLICATE})
        for (const int buffers : {1, 2})
            expect_halo({.cuts = {{uneven(world().size, 2), 2, 1, edge}, {{9}, 1, 3, edge}},
                         .buffers = buffers,
                         .ways = DRI_WAY_DIRECT | DRI_WAY_MESSAGE},
                        40);
}

// Many frames of one buffer, whose owners change it at once.
TEST(Halos, NobodyReadsABufferThatIsTheCallersAgain) {
    for (const int buffers : {1, 2})
        expect_halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}, {{64}}}, .buffers = buffers}, 300);
}

// So many rows that columns are packed, beside rows and corners that are read where they lie.
TEST(Halos, LongColumnsArePacked) {
    const int down = world().size % 2 == 0 && world().size > 2 ? 2 : 1, across = world().size / down;
    for (const DRI_Edge edge : edges)
        for (const From from : all_memory)
            for (const int buffers : {1, 2}) {
                SCOPED_TRACE(fmt::format("edge {}, memory {}, {} buffers", static_cast<int>(edge),
                                         static_cast<int>(from), buffers));
                Halo halo({.cuts = {{uneven(down, 1100), 1, 1, edge}, {uneven(across, 20), 1, 1, edge}},
                           .buffers = buffers,
                           .from = from});
                commit(make_world());
                for (int f = 0; f < 6; ++f)
                    halo.frame();
                const DRI_Xfer_info info = halo.info();
                if (across > 1) {
                    EXPECT_GT(sum_of(info.bytes_message), 0) << explain(halo.sink());
                }
                if (down > 1 && from != From::plain && must_go_direct()) {
                    EXPECT_GT(sum_of(info.bytes_direct), 0) << explain(halo.sink());
                }
            }
}

TEST(Halos, ReportWhatTheyTake) {
    for (const From from : all_memory) {
        Halo halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}, {{64}}}, .buffers = 2, .from = from});
        const DRI_Xfer ends[]{halo.source(), halo.sink()};
        DRI_Memory reported[2];
        expect_success(DRI_xfer_query(make_world(), 2, ends, reported), "DRI_xfer_query");
        commit(make_world());
        for (int i = 0; i < 2; ++i) {
            DRI_Xfer_info info{};
            expect_success(DRI_xfer_get_info(ends[i], &info), "DRI_xfer_get_info");
            EXPECT_EQ(reported[i].workspace_bytes, info.workspace_bytes);
            if (from != From::plain && must_go_direct() && allows("self")) {
                EXPECT_EQ(info.workspace_bytes, 0);
            }
        }
        EXPECT_EQ(reported[1].buffer_bytes, 0);
        if (world().size > 1 && is_one_node()) {
            const char *const way = from != From::plain && may_go_direct() ? "direct" : "message";
            EXPECT_NE(explain(halo.source()).find(way), std::string::npos) << explain(halo.source());
            EXPECT_NE(explain(halo.sink()).find(way), std::string::npos) << explain(halo.sink());
        }
        EXPECT_NE(explain(halo.source()).find("stay where they are"), std::string::npos);
        halo.frame();
    }
}

// Long rows are sent from the library's buffers and received into them. They need no staging then.
TEST(Halos, LongRowsOfMessagesAreNotPacked) {
    for (const DRI_Edge edge : edges)
        for (const int64_t columns : {2'000, 40'000})
            for (const From from : {From::library, From::plain}) {
                const HaloCase c{.cuts = {{uneven(world().size, 2), 2, 1, edge}, {{columns}}},
                                 .buffers = columns == 2'000 ? 2 : 1,
                                 .from = from,
                                 .ways = by_messages};
                SCOPED_TRACE(fmt::format("edge {}, {} columns, memory {}", static_cast<int>(edge), columns,
                                         static_cast<int>(from)));
                Halo halo(c);
                commit(make_world());
                for (int f = 0; f < 12; ++f)
                    halo.frame();
                const DRI_Xfer_info info = halo.info();
                EXPECT_EQ(info.bytes_direct, 0);
                if (allows("self")) {
                    EXPECT_EQ(info.workspace_bytes > 0, from == From::plain && info.bytes_message > 0)
                        << explain(halo.sink());
                }
            }
}

// Rows, columns and corners: some are packed, some are not.
TEST(Halos, LongRowsAndColumnsInOneFrame) {
    for (const DRI_Edge edge : edges)
        for (const From from : {From::library, From::plain})
            for (const int64_t ways : {by_messages, int64_t{DRI_WAY_MESSAGE}}) {
                Halo halo({.cuts = {{uneven(world().size, 30), 1, 2, edge}, {{3'000}, 2, 1, edge}},
                           .from = from,
                           .ways = ways});
                commit(make_world());
                for (int f = 0; f < 20; ++f)
                    halo.frame();
                EXPECT_EQ(halo.info().bytes_direct, 0);
            }
}

// The first process only sends, from its buffer. Its call waits until its neighbour has received.
TEST(Halos, AWaitForAReceiverMayTimeOut) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs another process that receives";
    Halo halo({.cuts = {{uneven(size, 2), 1, 0, DRI_TRUNCATE}, {{40'000}}}, .ways = by_messages});
    if (rank == 0)
        expect_success(DRI_xfer_set_attr(halo.source(), DRI_ATTR_TIMEOUT_MS, 20), "DRI_xfer_set_attr");
    commit(make_world());
    for (int f = 0; f < 3; ++f) {
        halo.fill();
        if (rank == 0) {
            EXPECT_EQ(DRI_do(halo.name(), DRI_XFER_NULL), DRI_ERR_TIMEOUT);
            EXPECT_NE(std::string(DRI_error_message()).find("process 1"), std::string::npos)
                << DRI_error_message();
        }
        barrier();
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = DRI_do(halo.name(), DRI_XFER_NULL);
        expect_success(code, "DRI_do");
        halo.check();
        barrier();
    }
}

// The first process only sends, and its rows are short. Its calls return before its neighbour has begun the frame,
// also when MPI reports that an earlier row has arrived.
TEST(Halos, AShortRowIsSentWithoutItsReceiver) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs another process that receives";
    Halo halo({.cuts = {{uneven(size, 2), 1, 0, DRI_TRUNCATE}, {{64}}}, .ways = by_messages});
    if (rank == 0)
        expect_success(DRI_xfer_set_attr(halo.source(), DRI_ATTR_TIMEOUT_MS, 5'000), "DRI_xfer_set_attr");
    commit(make_world());
    for (int f = 0; f < 20; ++f) {
        halo.fill();
        if (rank == 0)
            expect_success(DRI_do(halo.name(), DRI_XFER_NULL), "DRI_do");
        barrier();
        if (rank > 0)
            expect_success(DRI_do(halo.name(), DRI_XFER_NULL), "DRI_do");
        halo.check();
        barrier();
    }
}

// The neighbours leave in the middle of a frame. MPI may still use the buffer when its owner has destroyed both
// endpoints.
TEST(Halos, MayEndInTheMiddleOfAFrame) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs a neighbour";
    for (const From from : {From::library, From::plain})
        for (int i = 0; i < 3; ++i) {
            Halo halo(
                {.cuts = {{uneven(size, 2), 1, 1, DRI_WRAP}, {{40'000}}}, .from = from, .ways = by_messages});
            commit(make_world());
            halo.frame();
            halo.fill();
            if (rank == 0)
                expect_success(DRI_start(halo.name(), DRI_XFER_NULL), "DRI_start");
            barrier();
            if (rank > 0)
                halo.destroy();
            barrier();
            if (rank > 0)
                continue;
            EXPECT_EQ(DRI_wait(halo.name(), DRI_XFER_NULL), DRI_ERR_STATE);
            DRI_Xfer ends[]{halo.sink(), halo.source()};
            for (DRI_Xfer &end : ends)
                expect_success(DRI_xfer_destroy(&end), "DRI_xfer_destroy");
        }
}

// One process gives plain memory. All learn it, and move messages.
TEST(Halos, OnePlainBufferMakesAllOfItMessages) {
    const bool last = world().rank == world().size - 1;
    Halo halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}}, .from = last ? From::plain : From::library});
    commit(make_world());
    for (int f = 0; f < 3; ++f)
        halo.frame();
    EXPECT_EQ(halo.info().bytes_direct, 0);
}

// The first process sends and receives nothing. Its call waits until its neighbour has read.
TEST(Halos, AWaitForAReaderMayTimeOut) {
    const auto [rank, size] = world();
    if (size < 2 || !must_go_direct())
        GTEST_SKIP() << "needs another process that reads";
    Halo halo({.cuts = {{uneven(size, 2), 1, 0, DRI_TRUNCATE}}});
    if (rank == 0)
        expect_success(DRI_xfer_set_attr(halo.source(), DRI_ATTR_TIMEOUT_MS, 20), "DRI_xfer_set_attr");
    commit(make_world());
    for (int f = 0; f < 3; ++f) {
        halo.fill();
        if (rank == 0) {
            EXPECT_EQ(DRI_do(halo.name(), DRI_XFER_NULL), DRI_ERR_TIMEOUT);
            EXPECT_NE(std::string(DRI_error_message()).find("process 1"), std::string::npos)
                << DRI_error_message();
        }
        barrier();
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = DRI_do(halo.name(), DRI_XFER_NULL);
        expect_success(code, "DRI_do");
        halo.check();
        barrier();
    }
}

// It takes from one neighbour and sends to none, and the transfer ends for that neighbour as by messages.
TEST(Halos, ALeavingReaderEndsTheTransfer) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs a neighbour";
    for (const From from : {From::library, From::alloc, From::plain}) {
        Halo halo({.cuts = {{uneven(size, 2), 1, 0, DRI_TRUNCATE}}, .from = from});
        commit(make_world());
        halo.frame();
        if (rank == size - 1)
            halo.destroy();
        barrier();
        if (rank == size - 2) {
            halo.fill();
            EXPECT_EQ(DRI_do(halo.name(), DRI_XFER_NULL), DRI_ERR_STATE);
            EXPECT_NE(std::string(DRI_error_message()).find(std::to_string(size - 1)), std::string::npos)
                << DRI_error_message();
        }
        barrier();
    }
}

// The library's buffers stay until both endpoints are destroyed, whichever goes first.
TEST(Halos, BuffersStayAsLongAsOneEndpoint) {
    for (const bool source_first : {false, true}) {
        Halo halo({.cuts = {{uneven(world().size, 2), 1, 1, DRI_WRAP}}});
        commit(make_world());
        halo.frame();
        halo.fill();
        expect_success(DRI_do(halo.name(), DRI_XFER_NULL), "DRI_do");
        DRI_Xfer first = source_first ? halo.source() : halo.sink();
        expect_success(DRI_xfer_destroy(&first), "DRI_xfer_destroy");
        halo.check();
        barrier();
    }
}

} // namespace
} // namespace dri::test
