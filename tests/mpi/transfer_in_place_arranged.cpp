// Source and sink in one buffer where received data overwrite everything to be sent. Parts are put in order before
// and after the messages, and the workspace stays within 1/P of the data.
#include "support/in_place_run.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri::test {
namespace {

std::string explained(DRI_Xfer endpoint) {
    static char text[1 << 20];
    expect_success(DRI_xfer_explain(endpoint, text, sizeof text), "DRI_xfer_explain");
    return text;
}

// Expects FFTW's bound on workspace, as far as the planner promises it: if a process has some hundred bytes for
// each cube of P. Therefore the arrays grow with P. Collective.
void expect_within_mark(const std::string &line, Given given = Given::by_library, int threads = 1) {
    const InPlaceCase c{.line = line, .mode = DRI_IN_PLACE_COMPACT, .given = given, .threads = threads};
    SCOPED_TRACE(text_of(c));
    const int size = world().size;
    InPlaceRun run(c);
    DRI_Memory reported[2];
    const Workspace used = commit_as_reported(run, reported);
    EXPECT_LE(reported[0].least_bytes, used.source);
    EXPECT_LE(reported[1].least_bytes, used.sink);
    EXPECT_LE(used.both(), run.bytes() / size) << used.source << " + " << used.sink;
    if (size > 1) {
        EXPECT_TRUE(puts_in_order(run.source()));
    }
    for (int f = 0; f < 3; ++f)
        run.frame();
}

TEST(ArrangedInPlace, MatricesThatAreNotSquare) {
    const int64_t p = world().size;
    const std::pair<int64_t, int64_t> all[]{
        {120 * p, 60 * p}, {60 * p, 120 * p}, {120 * p + 1, 60 * p - 1}, {58 * p + 4, 121 * p - 2}};
    for (const auto &[rows, columns] : all)
        for (const char *layout : {"rm", "cm"})
            for (const char *sides :
                 {"8B/8 [{},{}] block,* rm -> *,block {} direct", "8B/8 [{},{}] *,block rm -> block,* {} direct"})
                expect_within_mark(fmt::format(fmt::runtime(sides), rows, columns, layout));
}

TEST(ArrangedInPlace, RecordsOfAnySize) {
    const int64_t p = world().size;
    for (const auto &[element, rows] : {std::pair{"3B", 342 * p}, {"24B/8", 100 * p}, {"100B/4", 30 * p}})
        expect_within_mark(fmt::format("{} [{},{}] block,* rm -> *,block cm direct", element, rows, 47 * p + 4));
}

TEST(ArrangedInPlace, ArraysOfThreeDimensions) {
    const int64_t p = world().size;
    for (const std::string &sizes : {fmt::format("[{},{},{}]", 12 * p, 9 * p, 10 * p),
                                     fmt::format("[{},{},{}]", 8 * p + 4, 10 * p + 1, 12 * p + 1)}) {
        expect_within_mark(fmt::format("8B/8 {} block,*,* rm -> *,block,* 210 direct", sizes));
        expect_within_mark(fmt::format("8B/8 {} *,block,* rm -> *,*,block 201 direct", sizes));
    }
}

TEST(ArrangedInPlace, ElementsThatAreDealtCyclically) {
    const int64_t p = world().size, rows = 85 * p + 5, columns = 130 * p + 1;
    for (const char *cut : {"cyclic(0,3)", "cyclic(0,1)"}) {
        expect_within_mark(fmt::format("8B/8 [{},{}] {},* rm -> *,block cm direct", rows, columns, cut));
        expect_within_mark(fmt::format("8B/8 [{},{}] block,* rm -> *,{} cm direct", columns, rows, cut));
    }
}

// Parts of very different sizes: a process receives more, or less, than it sends.
TEST(ArrangedInPlace, UnequalParts) {
    const int size = world().size;
    if (size < 2)
        GTEST_SKIP() << "has one part";
    std::vector<int64_t> slanted, other;
    int64_t rows = 600 + size, columns = 700;
    const int64_t even = rows * columns * 8 / size;
    for (int p = 0; p < size; ++p) {
        const bool last = p == size - 1;
        slanted.push_back(last ? rows : rows / 3);
        other.push_back(last ? columns : columns / 2);
        rows -= slanted.back();
        columns -= other.back();
    }
    for (const char *layout : {"rm", "cm"}) {
        const InPlaceCase c{.line =
                                fmt::format("8B/8 [{},700] sizes({}),* rm -> *,sizes({}) {} direct", 600 + size,
                                            fmt::join(slanted, ":"), fmt::join(other, ":"), layout),
                            .mode = DRI_IN_PLACE_COMPACT};
        SCOPED_TRACE(text_of(c));
        InPlaceRun run(c);
        commit(make_world());
        const Workspace used = workspace_of(run);
        // The bound of the processes with the largest parts, because messages have the same length everywhere.
        EXPECT_LE(used.both(), std::max(run.bytes(), even) / size * 3 / 2) << used.source << " + " << used.sink;
        for (int f = 0; f < 3; ++f)
            run.frame();
    }
}

TEST(ArrangedInPlace, BuffersMayBelongToTheUserOrTheLibrary) {
    const int64_t p = world().size;
    for (const Given given : {Given::by_library, Given::to_source, Given::to_sink, Given::to_both})
        for (const int buffers : {1, 2})
            expect_within_mark(fmt::format("8B/8 [{},{}] block,* rm -> *,block cm over {} direct buffers={}",
                                           100 * p, 76 * p + 1, buffers > 1 ? fmt::format("{}-0", p - 1) : "all",
                                           buffers),
                               given, buffers);
}

// Layouts with gaps, and pieces in shorter messages.
TEST(ArrangedInPlace, GapsStayUnchanged) {
    const int64_t p = world().size;
    const std::string line =
        fmt::format("8B/8 [{},{}] block,* 01/p16 -> *,block 10/p32 direct", 88 * p + 4, 76 * p + 1);
    expect_within_mark(line);
    const InPlaceCase c{.line = line + " limit=700", .mode = DRI_IN_PLACE_COMPACT};
    SCOPED_TRACE(text_of(c));
    InPlaceRun run(c);
    commit(make_world());
    run.frame();
    run.frame();
}

// Several messages a round, whose pieces are joined. Parts that stay as large, grow or shrink.
TEST(ArrangedInPlace, ShortMessages) {
    const int64_t p = world().size;
    for (const std::string &sides :
         {fmt::format("8B/8 [{},{}] block,* rm -> *,block cm", 60 * p, 120 * p + 1),
          fmt::format("8B/8 [{},{}] block,* rm -> *,block rm", 120 * p + 3, 60 * p),
          fmt::format("8B/8 [{},{}] cyclic(0,3),* cm -> *,block cm", 85 * p + 5, 90 * p),
          fmt::format("8B/8 [{},{},{}] block,*,* rm -> *,block,* 210", 20 * p + 1, 9 * p, 12 * p)})
        for (const int limit : {256, 700}) {
            const InPlaceCase c{.line = fmt::format("{} direct limit={}", sides, limit),
                                .mode = DRI_IN_PLACE_COMPACT};
            SCOPED_TRACE(text_of(c));
            InPlaceRun run(c);
            commit(make_world());
            for (int f = 0; f < 3; ++f)
                run.frame();
        }
}

TEST(ArrangedInPlace, ExplanationsNameRoundsAndPieces) {
    InPlaceRun run({.line = "8B/8 [640,320] block,* rm -> *,block cm direct", .mode = DRI_IN_PLACE_COMPACT});
    InPlaceRun plain({.line = "8B/8 [320,320] block,* rm -> *,block cm direct"});
    commit(make_world());
    for (const InPlaceRun *one : {&run, &plain}) {
        EXPECT_NE(explained(one->source()).find(" in round"), std::string::npos);
        EXPECT_NE(explained(one->sink()).find(" in round"), std::string::npos);
    }
    EXPECT_FALSE(puts_in_order(plain.source()));
    if (world().size == 1)
        return; // the source's part is one piece
    const std::string text = explained(run.source());
    EXPECT_NE(text.find(" bytes are put in order before the first message, in blocks of "), std::string::npos)
        << text;
}

// Whatever the limits. With parts as they lie, limits of 1/P are refused by all processes.
TEST(ArrangedInPlace, TheAttributeAloneChoosesTheMethod) {
    const int size = world().size;
    if (size < 2)
        GTEST_SKIP() << "on one process 1/P is everything";
    const Group all = make_world();
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT})
        for (const bool is_large : {true, false}) {
            const InPlaceCase c{.line = "8B/8 [501,334] block,* rm -> *,block cm direct", .mode = mode};
            SCOPED_TRACE(text_of(c));
            InPlaceRun run(c);
            const int64_t limit = is_large ? 4 * run.bytes() : run.bytes() / size;
            for (const DRI_Xfer endpoint : {run.source(), run.sink()})
                expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WORKSPACE_LIMIT, limit), "DRI_xfer_set_attr");
            const int code = DRI_commit(all);
            if (mode == DRI_IN_PLACE && !is_large) {
                EXPECT_EQ(code, DRI_ERR_LIMIT) << DRI_error_message();
                continue;
            }
            expect_success(code, "DRI_commit");
            EXPECT_EQ(puts_in_order(run.source()), mode == DRI_IN_PLACE_COMPACT);
            const Workspace used = workspace_of(run);
            EXPECT_LE(used.source, limit);
            EXPECT_LE(used.sink, limit);
            run.frame();
            run.frame();
        }
}

} // namespace
} // namespace dri::test
