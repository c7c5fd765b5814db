// Source and sink in one buffer: every element arrives, for all shapes. The workspace stays within 1/P of the data
// for shapes that allow it.
#include "support/in_place_run.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cmath>

namespace dri_test {
namespace {

// With parts as they lie, and put in order.
void expect_in_place(InPlaceCase c, int frames = 3) {
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT}) {
        c.mode = mode;
        SCOPED_TRACE(text_of(c));
        InPlaceRun run(c);
        commit(make_world());
        for (int f = 0; f < frames; ++f)
            run.frame();
    }
}

TEST(InPlace, MatricesAreCornerTurned) {
    for (const Numbers &sizes : {Numbers{56, 56}, {57, 57}, {1, 1}, {5, 90}, {63, 65}})
        for (const Element &element : {Element{8, 8}, {6, 2}}) {
            InPlaceCase c{sizes, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, element};
            expect_in_place(c);
            std::swap(c.from_lay, c.to_lay);
            expect_in_place(c);
            c.from_lay = c.to_lay = lying_rows;
            expect_in_place(c);
            std::swap(c.from, c.to);
            expect_in_place(c);
        }
}

TEST(InPlace, PartsAreRedistributed) {
    Cut ceil = blocks, cyclic5 = cyclic3;
    ceil.remainder = DRI_CEIL;
    cyclic5.block = 5;
    const std::vector<std::vector<Cut>> cuts{
        {blocks, whole}, {cyclic3, whole}, {whole, cyclic5}, {ceil, whole}, {whole, blocks}};
    const std::vector<Lay> lays{lying_rows, lying_columns, {{}, {90, 2}}, {{0, 1}, {}, 16}};
    size_t number = 0;
    for (const auto &from : cuts)
        for (const auto &to : cuts)
            expect_in_place({{47, 39}, from, to, lying_rows, lays[number++ % lays.size()], {8, 8}}, 2);
}

TEST(InPlace, PencilsAreCornerTurned) {
    const int size = world().size;
    for (const int parts : {1, 2, 3, size}) {
        if (size % parts != 0)
            continue;
        const Cut some{DRI_BLOCK, parts}, others{DRI_BLOCK, size / parts};
        for (const Numbers &sizes : {Numbers{12, 12, 12}, {7, 9, 8}, {14, 5, 11}}) {
            expect_in_place({sizes, {some, others, whole}, {some, whole, others}, {}, {}, {8, 8}});
            expect_in_place({sizes, {some, others, whole}, {whole, some, others}, {}, {{2, 0, 1}}, {4, 4}});
            expect_in_place({sizes, {some, others, whole}, {others, some, whole}, {}, {{1, 0, 2}}, {4, 4}});
        }
    }
}

TEST(InPlace, BuffersMayBelongToTheUserOrTheLibrary) {
    for (const Given given : {Given::by_library, Given::to_source, Given::to_sink, Given::to_both})
        for (const int nbuffs : {1, 3}) {
            InPlaceCase c{{45, 44}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {4, 4}, nbuffs};
            c.given = given;
            c.threads = nbuffs;
            expect_in_place(c, 5);
        }
}

TEST(InPlace, MessagesMayBeShort) {
    for (const int64_t bytes : {1, 7, 100}) {
        InPlaceCase c{{21, 21}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}};
        c.message_bytes = bytes;
        expect_in_place(c, 2);
    }
}

TEST(InPlace, GroupsMayHaveAnotherOrder) {
    InPlaceCase c{{31, 30}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}};
    c.turned_group = true;
    expect_in_place(c);
    c.to = {blocks, whole};
    c.to_lay = lying_rows;
    expect_in_place(c); // every part moves to another process
}

// FFTW's bound on workspace, for square corner turns and for data that move inside slabs. Small parts are left
// out: there the minimum of a cache line or two per message exceeds the bound.
TEST(InPlace, WorkspaceIsOnePthOfTheData) {
    const int64_t size = world().size;
    std::vector<InPlaceCase> cases;
    for (const int64_t n : {60 * size, 60 * size + 1, 61 * size + 3}) {
        cases.push_back({{n, n}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}});
        cases.push_back({{n, n}, {blocks, whole}, {whole, blocks}, lying_columns, lying_rows, {4, 4}});
        cases.push_back({{n, n}, {cyclic3, whole}, {whole, cyclic3}, lying_rows, lying_columns, {8, 8}});
    }
    cases.push_back(
        {{30 * size, 12 * size, 12 * size}, {whole, blocks, whole}, {whole, whole, blocks}, {}, {}, {8, 8}});
    const size_t plain = cases.size();
    for (size_t i = 0; i < plain; ++i) {
        cases.push_back(cases[i]);
        cases.back().mode = DRI_IN_PLACE_COMPACT;
    }
    for (const InPlaceCase &c : cases) {
        SCOPED_TRACE(text_of(c));
        InPlaceRun run(c);
        DRI_Memory reported[2];
        const Workspace used = commit_as_reported(run, reported);
        EXPECT_EQ(reported[0].buffer_bytes, run.bytes());
        EXPECT_EQ(reported[1].buffer_bytes, 0);
        // Parts that differ by a block of a cyclic cut may need two messages more to be put in order.
        const bool differ = c.mode == DRI_IN_PLACE_COMPACT && c.from[0].kind == DRI_BLOCK_CYCLIC;
        const int64_t mark = run.bytes() / size;
        // Compact, and less data than 1,000 P^3 bytes: two messages of N / (8 P) and about 20 sqrt(N P) bytes.
        const auto small = static_cast<int64_t>(20 * std::sqrt(static_cast<double>(run.bytes() * size))) + 1024;
        const int64_t bound = c.mode == DRI_IN_PLACE_COMPACT ? std::max(mark, small + mark / 4) : mark;
        EXPECT_LE(used.both(), bound + (differ ? mark / 2 : 0)) << used.source << " + " << used.sink;
        EXPECT_EQ(sum_of(used.both()) > 0, size > 1 || c.sizes.size() == 2) << "slabs do not move on one process";
        run.frame();
        run.frame();
    }
}

// The workspace is at most what a process sends, plus a slot or some of what it receives.
TEST(InPlace, WorkspaceIsBoundedForAllShapes) {
    for (const Numbers &sizes : {Numbers{255, 257}, {90, 800}})
        for (const Lay &lay : {lying_rows, lying_columns}) {
            const InPlaceCase c{sizes, {blocks, whole}, {whole, blocks}, lying_rows, lay, {8, 8}};
            SCOPED_TRACE(text_of(c));
            InPlaceRun run(c);
            commit(make_world());
            EXPECT_FALSE(puts_in_order(run.source()));
            const Workspace used = workspace_of(run);
            EXPECT_LE(used.source, run.bytes() + 64 * 16 * world().size)
                << "everything sent, rounded up to cache lines";
            EXPECT_LE(used.sink, run.bytes() / 2);
            run.frame();
        }
}

TEST(InPlace, LimitsAreKeptOrRefused) {
    const auto [rank, size] = world();
    const Group all = make_world();
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT}) {
        InPlaceCase c{{91, 300}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}};
        c.mode = mode;
        SCOPED_TRACE(text_of(c));
        InPlaceRun run(c);
        const DRI_Xfer endpoints[]{run.source(), run.sink()};
        DRI_Memory reported[2];
        expect_success(DRI_xfer_query(all, 2, endpoints, reported), "DRI_xfer_query");
        for (int i = 0; i < 2; ++i) {
            if (i > 0) { // the query's values hold while the other endpoints are as they are
                expect_success(DRI_xfer_query(all, 1, endpoints + i, reported + i), "DRI_xfer_query");
            }
            if (rank == 0) {
                EXPECT_LE(reported[i].least_bytes, reported[i].workspace_bytes);
                EXPECT_GT(reported[i].least_bytes, 0);
                expect_success(
                    DRI_xfer_set_attr(endpoints[i], DRI_ATTR_WORKSPACE_LIMIT, reported[i].least_bytes - 1),
                    "DRI_xfer_set_attr");
                EXPECT_EQ(DRI_commit(all), DRI_ERR_LIMIT) << DRI_error_message();
                const std::string min = std::to_string(reported[i].least_bytes);
                EXPECT_NE(std::string(DRI_error_message()).find(min), std::string::npos) << DRI_error_message();
                expect_success(DRI_xfer_set_attr(endpoints[i], DRI_ATTR_WORKSPACE_LIMIT, reported[i].least_bytes),
                               "DRI_xfer_set_attr");
            } else {
                EXPECT_EQ(DRI_commit(all), DRI_ERR_LIMIT) << DRI_error_message();
            }
        }
        commit(all);
        const Workspace used = workspace_of(run);
        if (rank == 0) {
            EXPECT_LE(used.source, reported[0].least_bytes);
            EXPECT_LE(used.sink, reported[1].least_bytes);
        }
        for (int f = 0; f < 3; ++f)
            run.frame();
        EXPECT_TRUE(size >= 1);
    }
}

TEST(InPlace, FramesMoveByStartAndWait) {
    InPlaceRun run({{66, 67}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}, 2});
    commit(make_world());
    for (int f = 0; f < 4; ++f) {
        run.fill();
        expect_success(DRI_start(run.name().c_str(), DRI_XFER_NULL), "DRI_start");
        int done = 0;
        for (int tries = 0; !done && f % 2 == 0; ++tries)
            expect_success(DRI_test(run.name().c_str(), DRI_XFER_NULL, &done), "DRI_test");
        if (!done) {
            expect_success(DRI_progress(), "DRI_progress");
            expect_success(DRI_wait(run.name().c_str(), DRI_XFER_NULL), "DRI_wait");
        }
        run.check();
    }
}

// The sink's elements are larger or smaller than the source's.
TEST(InPlace, NumbersAreConverted) {
    const int size = world().size, rank = world().rank;
    constexpr int64_t rows = 29, columns = 31;
    const Group all = make_world();
    const auto value = [](int64_t i, int64_t j, int f) { return static_cast<double>(i * columns + j - 400 + f); };
    const Dist short_rows = make_dist(make_gdo({rows, columns}, DRI_INT16), make_blocks(2, 0), all),
               short_columns = make_dist(make_gdo({rows, columns}, DRI_INT16), make_blocks(2, 1), all),
               long_rows = make_dist(make_gdo({rows, columns}, DRI_DOUBLE), make_blocks(2, 0), all),
               long_columns = make_dist(make_gdo({rows, columns}, DRI_DOUBLE), make_blocks(2, 1), all);
    const Numbers mine = held(blocks, rows, size, rank), my_columns = held(blocks, columns, size, rank);
    const auto expect_turned = [&]<class From, class To>(DRI_Dist from, DRI_Dist to, From, To) {
        const std::string name = next_in_place_name();
        const Xfer source = make_xfer(name, DRI_SOURCE, from), sink = make_xfer(name, DRI_SINK, to, DRI_COL_MAJOR);
        for (const DRI_Xfer endpoint : {source.get(), sink.get()})
            expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_IN_PLACE, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, 1), "DRI_xfer_set_attr");
        commit(all);
        for (int f = 0; f < 3; ++f) {
            From *out = buffer_of<From>(source);
            for (const int64_t i : mine)
                for (int64_t j = 0; j < columns; ++j)
                    *out++ = static_cast<From>(value(i, j, f));
            expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
            const To *in = buffer_of<To>(sink);
            int64_t wrong = 0;
            for (const int64_t j : my_columns)
                for (int64_t i = 0; i < rows; ++i)
                    wrong += *in++ != static_cast<To>(value(i, j, f));
            EXPECT_EQ(wrong, 0) << "in frame " << f;
        }
    };
    expect_turned(short_rows, long_columns, int16_t{}, double{});
    expect_turned(long_rows, short_columns, double{}, int16_t{});
}

// Owned elements stay where they are, and the overlap around them is received.
TEST(InPlace, OverlapIsReceivedAroundElementsThatStay) {
    const auto [rank, size] = world();
    const Group all = make_world();
    const int64_t rows = 5 * size + 2, columns = 23;
    constexpr float unset = -77;
    for (const DRI_Edge edge : {DRI_WRAP, DRI_PAD_ZERO, DRI_PAD_REPLICATE, DRI_TRUNCATE})
        for (const int64_t width : {1, 2, 7}) {
            SCOPED_TRACE(std::to_string(edge) + " " + std::to_string(width));
            Cut cut = blocks;
            cut.left = cut.right = width;
            cut.left_edge = cut.right_edge = edge;
            const Part part = make_part({{.kind = DRI_BLOCK,
                                          .nparts = size,
                                          .left = width,
                                          .right = width,
                                          .left_edge = edge,
                                          .right_edge = edge},
                                         {}});
            const Dist dist = make_dist(make_gdo({rows, columns}), part, all);
            const std::vector<Shown> mine = shown(cut, rows, size, rank);
            const std::string name = next_in_place_name();
            const Xfer source = make_xfer(name, DRI_SOURCE, dist), sink = make_xfer(name, DRI_SINK, dist);
            for (const DRI_Xfer endpoint : {source.get(), sink.get()})
                expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_IN_PLACE, 1), "DRI_xfer_set_attr");
            commit(all);
            int64_t owned = 0;
            for (const Shown &s : mine)
                owned += s.owned;
            const auto value = [&](int64_t i, int64_t j, int f) {
                return static_cast<float>(1 + i * columns + j + 10000 * f);
            };
            for (int f = 0; f < 3; ++f) {
                float *at = buffer_of<float>(source);
                for (const Shown &s : mine)
                    for (int64_t j = 0; j < columns; ++j)
                        *at++ = s.owned ? value(s.index, j, f) : unset;
                expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
                const float *in = buffer_of<float>(sink);
                int64_t wrong = 0;
                for (const Shown &s : mine)
                    for (int64_t j = 0; j < columns; ++j)
                        wrong += *in++ != (s.index == Shown::zeros ? 0 : value(s.index, j, f));
                EXPECT_EQ(wrong, 0) << "in frame " << f;
            }
            DRI_Xfer_info info{};
            expect_success(DRI_xfer_get_info(source, &info), "DRI_xfer_get_info");
            EXPECT_EQ(info.bytes_self, 3 * owned * columns * 4) << "owned elements stay inside the process";
            if (edge == DRI_TRUNCATE || edge == DRI_PAD_ZERO) {
                EXPECT_LE(info.bytes_message, 3 * 2 * width * columns * 4 * (width > 5 ? 4 : 1));
            }
        }
}

// A call that timed out is repeated, and then the frame is complete.
TEST(InPlace, WaitsMayTimeOut) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs a process to wait for";
    InPlaceRun run({{64, 64}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}});
    if (rank != 0)
        expect_success(DRI_xfer_set_attr(run.source(), DRI_ATTR_TIMEOUT_MS, 20), "DRI_xfer_set_attr");
    commit(make_world());
    for (int f = 0; f < 3; ++f) {
        run.fill();
        if (rank != 0) {
            EXPECT_EQ(DRI_do(run.name().c_str(), DRI_XFER_NULL), DRI_ERR_TIMEOUT);
            EXPECT_NE(std::string(DRI_error_message()).find(run.name()), std::string::npos);
        }
        barrier(); // from here on the missing process takes part
        int code = DRI_do(run.name().c_str(), DRI_XFER_NULL);
        while (code == DRI_ERR_TIMEOUT)
            code = DRI_do(run.name().c_str(), DRI_XFER_NULL);
        expect_success(code, "DRI_do");
        run.check();
        barrier();
    }
}

TEST(InPlace, ALeavingProcessEndsTheTransfer) {
    const auto [rank, size] = world();
    InPlaceRun run({{64, 65}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}});
    commit(make_world());
    for (int f = 0; f < 2; ++f)
        run.frame();
    if (rank == size - 1) {
        run.destroy();
        barrier();
        return;
    }
    run.fill();
    EXPECT_EQ(DRI_do(run.name().c_str(), DRI_XFER_NULL), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find(std::to_string(size - 1)), std::string::npos)
        << DRI_error_message();
    barrier();
}

// A process may destroy one endpoint before the other one. The library's buffer stays until both are destroyed.
TEST(InPlace, BuffersStayAsLongAsOneEndpoint) {
    InPlaceRun run({{64, 64}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}});
    commit(make_world());
    run.frame();
    run.fill();
    expect_success(DRI_do(run.name().c_str(), DRI_XFER_NULL), "DRI_do");
    barrier();
    DRI_Xfer source = run.source();
    expect_success(DRI_xfer_destroy(&source), "DRI_xfer_destroy");
    run.check();
    EXPECT_EQ(DRI_do(run.name().c_str(), DRI_XFER_NULL), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("destroyed"), std::string::npos) << DRI_error_message();
    barrier();
}

} // namespace
} // namespace dri_test
