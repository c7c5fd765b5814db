#include "model/distribution.hpp"

#include "model_refusal.hpp"
#include "support/random_case.hpp"

namespace dri::test {

namespace {

model::Distribution source_of(const std::string &line) {
    const TransferCase c = from_line(line + " -> * rm over 0");
    return *make_side(c, c.source).dist;
}

model::Distribution dist_of(const std::string &sizes, const std::string &cuts, const std::string &ranks) {
    const TransferCase c = from_line("8B " + sizes + " " + cuts + " rm over " + ranks + " -> - rm over 0");
    return *make_side(c, c.source).dist;
}

} // namespace

TEST(Distribution, parts_go_to_positions_in_row_major_order) {
    const model::Distribution dist = dist_of("[8,9]", "block(2),block(3)", "5,4,3,2,1,0");
    EXPECT_EQ(dist.grid(), (Dims{2, 3}));
    EXPECT_EQ(dist.parts(), 6);
    EXPECT_EQ(dist.replicas(), 1);
    for (int64_t part = 0; part < 6; ++part) {
        EXPECT_EQ(dist.coords_of_part(part), (Dims{part / 3, part % 3}));
        EXPECT_EQ(dist.part_of_coords(Dims{part / 3, part % 3}), part);
    }
    const std::vector<int64_t> index{4, 3}; // first row of the lower half, second third
    EXPECT_EQ(dist.owner_part(index), 4);
    EXPECT_EQ(dist.group().rank(dist.position_of_part(4, 0)), 1);
    EXPECT_EQ(dist.extents(4), (Dims{4, 3}));
}

TEST(Distribution, more_processes_than_parts_replicate) {
    const model::Distribution dist = dist_of("[8]", "block(2)", "0-5");
    EXPECT_EQ(dist.replicas(), 3);
    for (int position = 0; position < 6; ++position) {
        EXPECT_EQ(dist.part_of_position(position), position % 2);
        EXPECT_EQ(dist.axes(position)[0].owned.first(), position % 2 * 4);
    }
    EXPECT_EQ(dist.position_of_part(1, 2), 5);
    expect_refusal(DRI_ERR_ARG, {"5", "2"}, [] { dist_of("[8]", "block(2)", "0-4"); });
}

TEST(Distribution, of_five_columns_over_four) {
    const model::Distribution dist = source_of("8B [5] block(4) rm over 0-3");
    for (int position = 0; position < 4; ++position)
        EXPECT_EQ(dist.extents(position), (Dims{position == 0 ? 2 : 1}));
}

TEST(Distribution, of_no_dimensions) {
    const model::Distribution dist = dist_of("[]", "-", "2,0");
    EXPECT_EQ(dist.parts(), 1);
    EXPECT_EQ(dist.replicas(), 2);
    EXPECT_TRUE(dist.axes(1).empty());
    EXPECT_EQ(dist.owner_part({}), 0);
}

TEST(Distribution, digests_tell_distributions_apart) {
    const char *lines[] = {
        "8B [8,9] block(2),* rm over 0-1",
        "4B [8,9] block(2),* rm over 0-1",
        "8B/16 [8,9] block(2),* rm over 0-1",
        "8B [9,8] block(2),* rm over 0-1",
        "8B [8,9] *,block(2) rm over 0-1",
        "8B [8,9] block(2,last),* rm over 0-1",
        "8B [8,9] cyclic(2,4),* rm over 0-1",
        "8B [8,9] cyclic(2,3),* rm over 0-1",
        "8B [8,9] sizes(4:4),* rm over 0-1",
        "8B [8,9] sizes(4:0:4:0),* rm over 0-3",
        "8B [8,9] block(2,min=2),* rm over 0-1",
        "8B [8,9] block(2,multiple=2),* rm over 0-1",
        "8B [8,9] block(2),* rm over 1,0",
        "8B [8,9] block(2),* rm over 0-3",
        "8B [8,9] weights(1:2),* rm over 0-1",
        "8B [8,9] weights(1:3),* rm over 0-1",
        "8B [8,9] idx(0-3|4-7),* rm over 0-1",
        "8B [8,9] idx(0-3|4-6:7),*<1:1> rm over 0-1",
        "8B [8,9] idx(4-7|0-3),* rm over 0-1",
        "8B [8,9] block(2)<1:0>,* rm over 0-1",
        "8B [8,9] block(2)<0:1>,* rm over 0-1",
        "8B [8,9] block(2)<0:1w>,* rm over 0-1",
        "8B [8,9] block(2)<0:1z>,* rm over 0-1",
        "8B [8,9] {0+4,0+9|4+4,0+9} rm over 0-1",
        "8B [8,9] {0+4<0:1>,0+9|4+4,0+9} rm over 0-1",
        "8B [8,9] {0+4<0:1r>,0+9|4+4,0+9} rm over 0-1",
        "8B [8,9] at[0,0]+[8,8] block(2),* rm over 0-1",
    };
    std::vector<Digest> seen;
    for (const std::string line : lines) {
        const TransferCase c = from_line(line + " -> *,* rm over 0");
        const model::Distribution dist = *make_side(c, c.source).dist;
        for (const Digest &other : seen)
            EXPECT_FALSE(other == dist.id()) << line;
        seen.push_back(dist.id());
        const model::Distribution again = model::Distribution::from_wire(dist.wire());
        EXPECT_TRUE(again.id() == dist.id());
        EXPECT_EQ(again.wire(), dist.wire());
        EXPECT_EQ(again.grid(), dist.grid());
        EXPECT_EQ(model::to_text(again), model::to_text(dist));
    }
}

TEST(Distribution, is_checked_once) {
    const model::Distribution dist = dist_of("[8]", "block(2)", "0-1");
    const model::Distribution copy =
        dist; // NOLINT(performance-unnecessary-copy-initialization): copies are checked as one
    const model::Distribution other = dist_of("[8]", "block(2)", "0-1");
    int calls = 0;
    const auto check = [&] {
        ++calls;
        fail(DRI_ERR_GAP, "check {}", calls);
    };
    for (const model::Distribution &same : {dist, copy, dist})
        expect_refusal(DRI_ERR_GAP, {"check 1"}, [&] { same.check_once(check); });
    EXPECT_NO_THROW(other.check_once([&] { ++calls; }));
    EXPECT_NO_THROW(other.check_once(check));
    EXPECT_EQ(calls, 2);
}

TEST(Distribution, dimensions_must_agree) {
    const model::Gdo gdo = model::make_gdo(model::make_real(Scalar::int8), std::vector<int64_t>{3, 4});
    expect_refusal(DRI_ERR_ARG, {"1 dimensions", "2"}, [&] {
        model::Distribution(gdo, model::Partition(1), model::make_group(std::vector<int>{0}, 1));
    });
}

TEST(Distribution, text) {
    const model::Gdo gdo = model::make_gdo(model::make_complex(Scalar::float32), std::vector<int64_t>{97, 64});
    model::CutRule block;
    block.kind = model::CutKind::block;
    EXPECT_EQ(model::to_text(model::Distribution(gdo, {block, model::CutRule{}},
                                                 model::make_group(std::vector<int>{0, 1, 2, 3}, 4))),
              "complex float [97,64] block(4),* over 0-3");
    const TransferCase pieces = from_line("8B [8,9] {0+4<0:1w>,0+9|4+4<2:1>,0+9} rm over 0-1 -> *,* rm over 0");
    EXPECT_EQ(model::to_text(*make_side(pieces, pieces.source).dist),
              "record of 8 bytes aligned to 1 [8,9] exact<0-2:1w>,exact over 0-1");
    EXPECT_EQ(model::to_text(dist_of("[]", "-", "0")), "record of 8 bytes aligned to 1 [] over 0");
}

} // namespace dri::test
