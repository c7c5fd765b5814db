// The offsets that a window may have in an endpoint's array, and the buffer bytes that it can reach.
#include "commit/window.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace dri::test {

namespace {

const model::ElementType four_bytes = model::make_real(Scalar::int32);
const model::Layout by_rows{}, by_columns = model::make_packed(std::array{1, 0});

model::Distribution rows_of(const model::Gdo &gdo, model::Partition rules, int processes) {
    std::vector<int> ranks;
    for (int r = 0; r < processes; ++r)
        ranks.push_back(r);
    return {gdo, std::move(rules), model::Group(ranks)};
}

model::CutRule blocks_of(int64_t parts) { return {.kind = model::CutKind::block, .nparts = parts}; }

// Twelve rows of ten columns, cut in two along the columns unless `rules` differ.
planner::Side long_side(model::Layout layout, model::Partition rules = {{}, blocks_of(2)},
                        model::ElementType type = four_bytes) {
    const int64_t sizes[]{12, 10};
    return {
        std::make_shared<const model::Distribution>(rows_of(model::make_gdo(type, sizes), std::move(rules), 2)),
        {layout}};
}

model::Gdo box_of(const planner::Side &side, int64_t first, int64_t rows) {
    const int64_t offsets[]{first, 0}, sizes[]{rows, 10};
    return model::make_subset(side.dist->gdo(), offsets, sizes);
}

void expect_code(DRI_Code code, const std::function<void()> &call, const std::string &word) {
    try {
        call();
        ADD_FAILURE() << "nothing failed";
    } catch (const Error &error) {
        EXPECT_EQ(error.code(), code);
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

} // namespace

TEST(FindWindow, CoversItsElementsOnly) {
    struct {
        model::Layout layout;
        int64_t first, bytes, step;
    } const cases[]{
        {by_rows, 2 * 5 * 4, 5 * 5 * 4, 5 * 4},
        {by_columns, 2 * 4, (4 * 12 + 4 + 1) * 4, 4},
    };
    for (const auto &[layout, first, bytes, step] : cases) {
        const planner::Side side = long_side(layout);
        const model::Gdo box = box_of(side, 2, 5);
        const model::Gdo *const others[]{&box};
        const exec::Window window = commit::find_window(side, 1, commit::Role::source, 1, others);
        EXPECT_EQ(window.first_byte, first);
        EXPECT_EQ(window.bytes, bytes);
        EXPECT_EQ(window.lowest, (Dims{-2, 0}));
        EXPECT_EQ(window.highest, (Dims{5, 0}));
        const int64_t three[]{3, 0};
        EXPECT_EQ(window.at(three).bytes, 3 * step);
        EXPECT_EQ(window.at(three).offset, (Dims{3, 0}));
        for (const auto &[row, column, word] :
             {std::tuple{6, 0, "-2 to 5"}, {-3, 0, "-2 to 5"}, {0, 1, "does not slide along dimension 1"}}) {
            const int64_t wrong[]{row, column};
            expect_code(
                DRI_ERR_ARG, [&] { static_cast<void>(window.at(wrong)); }, word);
        }
    }
}

// Two planes, of which the window has a stretch each. The bytes between the first and the last one count as well.
TEST(FindWindow, CoversBothPlanes) {
    const planner::Side side =
        long_side(model::with_complex(by_rows, static_cast<int>(model::ComplexFormat::split)), {{}, blocks_of(2)},
                  model::make_complex(Scalar::float32));
    const model::Gdo box = box_of(side, 2, 5);
    const model::Gdo *const others[]{&box};
    const exec::Window window = commit::find_window(side, 0, commit::Role::source, 1, others);
    EXPECT_EQ(window.first_byte, 2 * 5 * 4);
    EXPECT_EQ(window.bytes, (60 + 5 * 5) * 4);
    const int64_t three[]{3, 0};
    EXPECT_EQ(window.at(three).bytes, 3 * 5 * 4);
}

TEST(FindWindow, OfSeveralSinksStaysInsideAllOfThem) {
    const planner::Side side = long_side({});
    const model::Gdo first = box_of(side, 3, 2), second = box_of(side, 6, 4);
    const model::Gdo *const others[]{&first, &second};
    const exec::Window window = commit::find_window(side, 0, commit::Role::source, 1, others);
    EXPECT_EQ(window.lowest, (Dims{-3, 0}));
    EXPECT_EQ(window.highest, (Dims{2, 0}));
    EXPECT_EQ(window.first_byte, 3 * 5 * 4);
    EXPECT_EQ(window.bytes, 7 * 5 * 4);
}

TEST(FindWindow, OfAnEmptyPartIsEmpty) {
    const planner::Side side = long_side({});
    const model::Gdo nothing = box_of(side, 12, 0);
    const model::Gdo *const others[]{&nothing};
    const exec::Window window = commit::find_window(side, 0, commit::Role::source, 1, others);
    EXPECT_EQ(window.bytes, 0);
    EXPECT_EQ(window.lowest, (Dims{-12, 0}));
    EXPECT_EQ(window.highest, (Dims{0, 0}));
}

// With a single part, a cyclic dimension's blocks are all held, one after the other.
TEST(FindWindow, AcceptsADimensionThatIsNotCut) {
    const auto try_it = [](const model::CutRule &rule, commit::Role role) {
        const planner::Side side = long_side({}, {rule, blocks_of(2)});
        const model::Gdo box = box_of(side, 2, 5);
        const model::Gdo *const others[]{&box};
        return commit::find_window(side, 1, role, 1, others).highest[0];
    };
    const model::CutRule cyclic{.kind = model::CutKind::block_cyclic, .nparts = 1, .block = 5};
    model::CutRule around;
    around.overlap = {1, 0, model::Edge::wrap, model::Edge::wrap};
    for (const commit::Role role : {commit::Role::source, commit::Role::sink}) {
        EXPECT_EQ(try_it(cyclic, role), 5);
        EXPECT_EQ(try_it(blocks_of(1), role), 5);
    }
    EXPECT_EQ(try_it(around, commit::Role::source), 5) << "the overlap of a source is not sent";
    expect_code(
        DRI_ERR_UNSUPPORTED, [&] { try_it(around, commit::Role::sink); }, "13 elements along it, the array 12");
    const planner::Side cut = long_side({}, {blocks_of(2), {}});
    const model::Gdo *const all[]{&cut.dist->gdo()};
    expect_code(
        DRI_ERR_UNSUPPORTED, [&] { static_cast<void>(commit::find_window(cut, 1, commit::Role::sink, 1, all)); },
        "process 1 does not hold all 12 elements");
}

} // namespace dri::test
