// Boxes that form no grid: which box holds which element, and whether they tile.
#include "model/boxes.hpp"

#include "model/tiling.hpp"
#include "model_refusal.hpp"
#include "support/oracle.hpp"
#include "support/random_pieces.hpp"
#include "support/sanitizer.hpp"

#include <limits>
#include <numeric>

namespace dri::test {

namespace {

model::Distribution dist_of(const std::string &sizes, const std::string &boxes) {
    const TransferCase c = from_line("8B " + sizes + " " + boxes + " rm -> " + boxes + " rm");
    return *make_side(c, c.source).dist;
}

} // namespace

TEST(Boxes, of_an_l_shape_and_the_rest) {
    // Two boxes form an L, the third one is the corner outside it.
    const model::Distribution dist = dist_of("[4,6]", "{0+4,0+2|2+2,2+4|0+2,2+4}");
    EXPECT_FALSE(dist.is_grid());
    EXPECT_EQ(dist.parts(), 3);
    EXPECT_NO_THROW(model::check_source(dist));
    EXPECT_EQ(dist.owner_part(std::vector<int64_t>{3, 5}), 1);
    EXPECT_EQ(dist.owner_part(std::vector<int64_t>{0, 2}), 2);
    EXPECT_EQ(dist.extents(2), (Dims{2, 4}));
    EXPECT_EQ(dist.boxes().owners(std::vector<int64_t>{0, 0}, std::vector<int64_t>{4, 6}),
              (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(dist.boxes().owners(std::vector<int64_t>{0, 0}, std::vector<int64_t>{4, 2}), (std::vector<int>{0}));
    const model::Distribution again = model::Distribution::from_wire(dist.wire());
    EXPECT_TRUE(again.id() == dist.id());
    EXPECT_TRUE(model::same_parts(again, dist));
}

TEST(Boxes, that_form_a_grid_are_equal_to_it) {
    const model::Distribution boxes = dist_of("[8,9]", "{0+4,0+9|4+4,0+9}");
    const TransferCase c = from_line("8B [8,9] block(2),* rm -> block(2),* rm");
    EXPECT_TRUE(model::same_parts(boxes, *make_side(c, c.source).dist));
    EXPECT_FALSE(model::same_parts(boxes, dist_of("[8,9]", "{4+4,0+9|0+4,0+9}")));
}

// Compared with a walk over all boxes. Most indices lie in several boxes, some in none.
TEST(Boxes, have_a_first_owner) {
    Dice dice(21);
    for (int64_t ndims = 1; ndims <= 6; ++ndims)
        for (int round = 0; round < rounds(16); ++round) {
            const int64_t n = dice.range(2, 9), kind = dice.range(0, 2);
            std::vector<model::Box> boxes;
            for (int64_t i = dice.range(1, 200); i > 0; --i) {
                model::Box box;
                for (int64_t d = 0; d < ndims; ++d) {
                    const int64_t lo = kind == 0 ? 0 : dice.range(0, n / 2);
                    box.push_back({lo, kind == 0 ? n - 1 : lo + dice.range(0, n / 2), dice.range(0, 3), 1});
                }
                boxes.push_back(box);
            }
            const model::Boxes all(boxes, Dims(static_cast<size_t>(ndims), n),
                                   std::vector<model::Overlap>(static_cast<size_t>(ndims)));
            for (int query = 0; query < 100; ++query) {
                std::vector<int64_t> index, end;
                for (int64_t d = 0; d < ndims; ++d)
                    end.push_back(index.emplace_back(dice.range(0, n - 1)) + 1);
                std::vector<int> expected;
                for (size_t p = 0; p < boxes.size(); ++p) {
                    bool inside = true;
                    for (size_t d = 0; d < index.size(); ++d)
                        inside = inside && boxes[p][d].lo <= index[d] && index[d] < boxes[p][d].hi;
                    if (inside)
                        expected.push_back(static_cast<int>(p));
                }
                ASSERT_EQ(all.owners(index, end), expected);
                ASSERT_EQ(all.first_owner(index),
                          expected.empty() ? std::nullopt : std::optional(expected.front()));
            }
        }
}

// Overlap that reaches round the whole array holds every element, however often it wraps.
TEST(Boxes, that_wrap_often_are_found_quickly) {
    for (const int64_t width : {int64_t{13}, int64_t{100'000'000}}) {
        const model::Distribution dist =
            dist_of("[4,6]", fmt::format("{{0+2<{0}w:{0}w>,0+2<{0}w:{0}w>|2+0<{0}w:{0}w>,0+6|"
                                         "3+1<0w:0w>,2+4<{0}w:0w>}}",
                                         width));
        for_each_index(Dims{4, 6}, [&](const Dims &lo) {
            const std::vector<int64_t> from(lo.begin(), lo.end()), to{from[0] + 1, from[1] + 1};
            EXPECT_EQ(dist.boxes().holders(from, to),
                      (from[0] == 3 ? std::vector<int>{0, 2} : std::vector<int>{0}));
        });
    }
}

// Overlap that exceeds 64 bits if the edge truncates it, and overlap that just fits if not.
TEST(Boxes, at_the_end_of_the_largest_arrays) {
    constexpr int64_t max = std::numeric_limits<int64_t>::max();
    for (const model::Edge edge :
         {model::Edge::truncate, model::Edge::wrap, model::Edge::pad_zero, model::Edge::pad_replicate})
        for (const int64_t width : {int64_t{0}, int64_t{1}, int64_t{7}, int64_t{1000}, max / 2, max - 1, max}) {
            const int64_t n = edge == model::Edge::truncate ? max : max - width;
            if (n < 100)
                continue;
            const std::vector<model::Box> boxes{{{n - 5, n, width, 3}},
                                                {{n - 30, n - 5, 2, width}},
                                                {{0, 4, edge == model::Edge::truncate ? width : 0, 1}},
                                                {{n / 2, n - 30, 0, width}},
                                                {{n, n, max, max}}};
            const bool fits =
                edge == model::Edge::truncate || width >= 3; // 3 is the overlap behind the last element
            if (!fits) {
                EXPECT_THROW(model::Boxes(boxes, {n}, {{0, 0, edge, edge}}), Error);
                continue;
            }
            // Only the box that needs it has the large width on the left. The other boxes that reach over the end
            // must fit as well.
            const model::Boxes all(boxes, {n}, {{0, 0, model::Edge::truncate, edge}});
            for (const int64_t index : {int64_t{0}, int64_t{1}, int64_t{4}, int64_t{8}, n / 2 - 1, n / 2, n - 33,
                                        n - 31, n - 6, n - 5, n - 1}) {
                const auto named = all.holders(std::vector<int64_t>{index}, std::vector<int64_t>{index + 1});
                for (int p = 0; p < 5; ++p) {
                    const model::AxisView view = all.axis_view(p, 0);
                    const auto local = view.local_of(index);
                    EXPECT_EQ(std::count(named.begin(), named.end(), p) > 0, local.has_value())
                        << "index " << index << " of " << n << ", box " << p << ", width " << width;
                    EXPECT_TRUE(!local || view.index_at(*local) == index);
                    EXPECT_EQ(all.axis(p, 0).extent, view.extent());
                }
            }
        }
}

TEST(Boxes, outside_the_array_are_refused) {
    for (const char *boxes : {"{0+4,0+6|2+3,0+6}", "{0+4,0+7|0+0,0+0}"})
        expect_refusal(DRI_ERR_ARG, {"position", "dimension"}, [&] { dist_of("[4,6]", boxes); });
}

TEST(Tiling, faults_name_an_element_and_processes) {
    const auto refuse = [](const char *sizes, const char *cuts, DRI_Code code,
                           std::initializer_list<const char *> words) {
        const TransferCase c = from_line(std::string("8B ") + sizes + " " + cuts + " rm -> " + cuts + " rm");
        const planner::Side side = make_side(c, c.source);
        expect_refusal(code, words, [&] { model::check_source(*side.dist); });
    };
    refuse("[12]", "{0+6|5+4|9+3}", DRI_ERR_OVERLAP, {"element (5)", "processes 0 and 1"});
    refuse("[12]", "{0+4|5+4|9+3}", DRI_ERR_GAP, {"element (4)"});
    refuse("[4,6]", "{0+4,0+2|2+2,2+4|0+2,2+3}", DRI_ERR_GAP, {"5)"});
    refuse("[4,6]", "{0+4,0+2|2+2,1+5|0+2,2+4}", DRI_ERR_OVERLAP, {"element (2,1)", "processes 0 and 1"});
    refuse("[5]", "idx(0:2:4|1)", DRI_ERR_GAP, {"element (3)"});
    refuse("[5]", "idx(0:2:4|3:2:1)", DRI_ERR_OVERLAP, {"element (2)", "processes 0 and 1"});
    refuse("[5]", "idx(0:2:4|3:1:3)", DRI_ERR_OVERLAP, {"element (3)", "process 1 twice"});
    refuse("[4,5]", "block(2),idx(0:2:4|3:2:1)", DRI_ERR_OVERLAP, {"element (0,2)", "processes 0 and 1"});
}

TEST(Tiling, of_many_boxes_is_quick) {
    // A scan of all pairs would take 10^10 steps.
    const int64_t rows = rounds(250), columns = 400;
    const int64_t row = rows / 2;
    const auto bad = static_cast<size_t>(row * columns + 1);
    std::vector<model::Box> boxes;
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
            boxes.push_back({{3 * r, 3 * r + 3, 1, 1}, {2 * c, 2 * c + 2, 0, 2}});
    const model::Gdo gdo =
        model::make_gdo(model::make_real(Scalar::float32), std::vector<int64_t>{3 * rows, 2 * columns});
    std::vector<int> ranks(boxes.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    model::CutRule exact;
    exact.kind = model::CutKind::exact;
    const auto made = [&] { return model::Distribution(gdo, {exact, exact}, model::Group(ranks), boxes); };
    EXPECT_NO_THROW(model::check_source(made()));
    boxes[bad][1].hi -= 1;
    expect_refusal(DRI_ERR_GAP, {",3)"}, [&] { model::check_source(made()); });
    boxes[bad][1].hi += 2;
    const std::string element = fmt::format("({},4)", 3 * row);
    const std::string owners = fmt::format("processes {} and {}", bad, bad + 1);
    expect_refusal(DRI_ERR_OVERLAP, {element.c_str(), owners.c_str()}, [&] { model::check_source(made()); });
}

} // namespace dri::test
