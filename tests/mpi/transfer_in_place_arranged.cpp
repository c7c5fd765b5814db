// Source and sink in one buffer where received data overwrite everything to be sent. Parts are put in order before
// and after the messages, and the workspace stays within 1/P of the data.
#include "support/in_place_run.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri_test {
namespace {

std::string explained(DRI_Xfer endpoint) {
    static char text[1 << 20];
    expect_success(DRI_xfer_explain(endpoint, text, sizeof text), "DRI_xfer_explain");
    return text;
}

// Expects FFTW's bound on workspace, as far as the planner promises it: if a process has some hundred bytes for
// each cube of P. Therefore the arrays grow with P. Collective.
void expect_within_mark(InPlaceCase c) {
    c.mode = DRI_IN_PLACE_COMPACT;
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
    for (const Numbers &sizes :
         {Numbers{120 * p, 60 * p}, {60 * p, 120 * p}, {120 * p + 1, 60 * p - 1}, {58 * p + 4, 121 * p - 2}})
        for (const Lay &lay : {lying_rows, lying_columns}) {
            InPlaceCase c{sizes, {blocks, whole}, {whole, blocks}, lying_rows, lay, {8, 8}};
            expect_within_mark(c);
            std::swap(c.from, c.to);
            expect_within_mark(c);
        }
}

TEST(ArrangedInPlace, RecordsOfAnySize) {
    for (const Element &element : {Element{3, 1}, {24, 8}, {100, 4}}) {
        const int64_t p = world().size, rows = (element.size < 8 ? 342 : element.size < 50 ? 100 : 30) * p;
        expect_within_mark(
            {{rows, 47 * p + 4}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, element});
    }
}

TEST(ArrangedInPlace, ArraysOfThreeDimensions) {
    const int64_t p = world().size;
    const Lay turned{{2, 1, 0}};
    for (const Numbers &sizes : {Numbers{12 * p, 9 * p, 10 * p}, {8 * p + 4, 10 * p + 1, 12 * p + 1}}) {
        expect_within_mark({sizes, {blocks, whole, whole}, {whole, blocks, whole}, {}, turned, {8, 8}});
        expect_within_mark({sizes, {whole, blocks, whole}, {whole, whole, blocks}, {}, {{2, 0, 1}}, {8, 8}});
    }
}

TEST(ArrangedInPlace, ElementsThatAreDealtCyclically) {
    Cut single = cyclic3;
    single.block = 1;
    const int64_t p = world().size, rows = 85 * p + 5, columns = 130 * p + 1;
    for (const Cut &cut : {cyclic3, single}) {
        expect_within_mark({{rows, columns}, {cut, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}});
        expect_within_mark({{columns, rows}, {blocks, whole}, {whole, cut}, lying_rows, lying_columns, {8, 8}});
    }
}

// Parts of very different sizes: a process receives more, or less, than it sends.
TEST(ArrangedInPlace, UnequalParts) {
    const int size = world().size;
    if (size < 2)
        GTEST_SKIP() << "has one part";
    Cut slanted{DRI_SIZES, size}, other{DRI_SIZES, size};
    const Numbers sizes{600 + size, 700};
    int64_t rows = sizes[0], columns = sizes[1];
    for (int p = 0; p < size; ++p) {
        const bool last = p == size - 1;
        slanted.sizes.push_back(last ? rows : rows / 3);
        other.sizes.push_back(last ? columns : columns / 2);
        rows -= slanted.sizes.back();
        columns -= other.sizes.back();
    }
    for (const Lay &lay : {lying_rows, lying_columns}) {
        InPlaceCase c{sizes, {slanted, whole}, {whole, other}, lying_rows, lay, {8, 8}};
        c.mode = DRI_IN_PLACE_COMPACT;
        SCOPED_TRACE(text_of(c));
        InPlaceRun run(c);
        commit(make_world());
        const Workspace used = workspace_of(run);
        // The bound of the processes with the largest parts, because messages have the same length everywhere.
        const int64_t even = sizes[0] * sizes[1] * 8 / size;
        EXPECT_LE(used.both(), std::max(run.bytes(), even) / size * 3 / 2) << used.source << " + " << used.sink;
        for (int f = 0; f < 3; ++f)
            run.frame();
    }
}

TEST(ArrangedInPlace, BuffersMayBelongToTheUserOrTheLibrary) {
    const int64_t p = world().size;
    for (const Given given : {Given::by_library, Given::to_source, Given::to_sink, Given::to_both})
        for (const int nbuffs : {1, 2}) {
            InPlaceCase c{{100 * p, 76 * p + 1}, {blocks, whole}, {whole, blocks}, lying_rows,
                          lying_columns,         {8, 8},          nbuffs};
            c.given = given;
            c.threads = nbuffs;
            c.turned_group = nbuffs > 1;
            expect_within_mark(c);
        }
}

// Layouts with gaps, and pieces in shorter messages.
TEST(ArrangedInPlace, GapsStayUnchanged) {
    const int64_t p = world().size;
    InPlaceCase c{{88 * p + 4, 76 * p + 1}, {blocks, whole},  {whole, blocks},
                  {{0, 1}, {}, 16},         {{1, 0}, {}, 32}, {8, 8}};
    expect_within_mark(c);
    c.mode = DRI_IN_PLACE_COMPACT;
    c.message_bytes = 700;
    SCOPED_TRACE(text_of(c));
    InPlaceRun run(c);
    commit(make_world());
    run.frame();
    run.frame();
}

TEST(ArrangedInPlace, ExplanationsNameRoundsAndPieces) {
    InPlaceCase compact{{640, 320}, {blocks, whole}, {whole, blocks}, {}, lying_columns, {8, 8}};
    compact.mode = DRI_IN_PLACE_COMPACT;
    InPlaceRun run(compact);
    InPlaceRun plain({{320, 320}, {blocks, whole}, {whole, blocks}, {}, lying_columns, {8, 8}});
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
    InPlaceCase c{{501, 334}, {blocks, whole}, {whole, blocks}, lying_rows, lying_columns, {8, 8}};
    const Group all = make_world();
    for (const DRI_In_place mode : {DRI_IN_PLACE, DRI_IN_PLACE_COMPACT})
        for (const bool is_large : {true, false}) {
            c.mode = mode;
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
} // namespace dri_test
