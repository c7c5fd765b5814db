// Wrong calls of the queries of a distribution, and on layouts. All are local.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <algorithm>
#include <array>

namespace dri::test {
namespace {

// A distribution of 6 x 5 elements. All processes except the last one hold rows; the last one has its own
// distribution.
class WrongQueries : public testing::Test {
protected:
    int holders_ = std::max(1, world().size - 1);
    Gdo gdo_ = make_gdo({6, 5}, DRI_DOUBLE);
    Dist dist_ = distribution();

    Dist distribution() const {
        const Group group = make_group(ranks(holders_));
        if (world().rank < holders_)
            return make_dist(gdo_, make_blocks(2, 0), group);
        return make_dist(gdo_, make_blocks(2, 0), make_group({world().rank}));
    }
    // The rank to query: the last process queries its own distribution, in which it is the only process.
    int first() const { return world().rank < holders_ ? 0 : world().rank; }
    int outside() const { return world().rank < holders_ ? holders_ : 0; }
};

TEST_F(WrongQueries, HandlesAreRefused) {
    Dist gone = distribution();
    const DRI_Dist old = gone;
    EXPECT_EQ(gone.reset(), DRI_SUCCESS);
    for (const DRI_Dist bad : {DRI_Dist{}, as<DRI_Dist>(gdo_.get()), old}) {
        static const int64_t index[2]{};
        static std::array<int64_t, 8> longs;
        static std::array<int, 8> ints;
        static std::array<DRI_Part_tuple, 8> tuples;
        static DRI_Block block;
        const DRI_Dist good = dist_;
        const WrongCalls table{
            {"get_part", [=] { return DRI_dist_get_part(bad, 0, tuples.data()); }, DRI_ERR_HANDLE, {}},
            {"get_extents", [=] { return DRI_dist_get_extents(bad, 0, longs.data()); }, DRI_ERR_HANDLE, {}},
            {"get_count", [=] { return DRI_dist_get_count(bad, 0, nullptr, nullptr); }, DRI_ERR_HANDLE, {}},
            {"num_blocks", [=] { return DRI_dist_num_blocks(bad, 0, 0, longs.data()); }, DRI_ERR_HANDLE, {}},
            {"get_block", [=] { return DRI_dist_get_block(bad, 0, 0, 0, &block); }, DRI_ERR_HANDLE, {}},
            {"get_grid", [=] { return DRI_dist_get_grid(bad, ints.data()); }, DRI_ERR_HANDLE, {}},
            {"get_coords", [=] { return DRI_dist_get_coords(bad, 0, ints.data()); }, DRI_ERR_HANDLE, {}},
            {"owner", [=] { return DRI_dist_owner(bad, index, ints.data()); }, DRI_ERR_HANDLE, {}},
            {"replicas", [=] { return DRI_dist_replicas(bad, index, ints.data(), nullptr); }, DRI_ERR_HANDLE, {}},
            {"local_index", [=] { return DRI_dist_local_index(bad, 0, index, longs.data()); }, DRI_ERR_HANDLE, {}},
            {"global_index",
             [=] { return DRI_dist_global_index(bad, 0, index, longs.data()); },
             DRI_ERR_HANDLE,
             {}},
            {"equal, first", [=] { return DRI_dist_equal(bad, good, ints.data()); }, DRI_ERR_HANDLE, {}},
            {"equal, second", [=] { return DRI_dist_equal(good, bad, ints.data()); }, DRI_ERR_HANDLE, {}},
            {"describe",
             [=] {
                 char text[8];
                 return DRI_dist_describe(bad, text, sizeof text);
             },
             DRI_ERR_HANDLE,
             {}},
            {"get_strides",
             [=] { return DRI_layout_get_strides(DRI_ROW_MAJOR, bad, 0, longs.data()); },
             DRI_ERR_HANDLE,
             {}},
            {"destroy", destroys(bad, DRI_dist_destroy), DRI_ERR_HANDLE, {}},
        };
        expect_refused(table);
    }
    expect_refused({{"destroying NULL", [] { return DRI_dist_destroy(nullptr); }, DRI_ERR_ARG, {}}});
}

TEST_F(WrongQueries, RanksOutsideAreRefused) {
    for (const int bad : {-1, world().size, outside()}) {
        if (bad == first())
            continue; // with one process none is outside
        static const int64_t index[2]{};
        static std::array<int64_t, 8> longs;
        static std::array<int, 8> ints;
        static std::array<DRI_Part_tuple, 8> tuples;
        static DRI_Block block;
        const DRI_Dist d = dist_;
        const std::vector<std::string> named{std::to_string(bad)};
        const WrongCalls table{
            {"get_part", [=] { return DRI_dist_get_part(d, bad, tuples.data()); }, DRI_ERR_ARG, named},
            {"get_extents", [=] { return DRI_dist_get_extents(d, bad, longs.data()); }, DRI_ERR_ARG, named},
            {"get_count", [=] { return DRI_dist_get_count(d, bad, nullptr, nullptr); }, DRI_ERR_ARG, named},
            {"num_blocks", [=] { return DRI_dist_num_blocks(d, bad, 0, longs.data()); }, DRI_ERR_ARG, named},
            {"get_block", [=] { return DRI_dist_get_block(d, bad, 0, 0, &block); }, DRI_ERR_ARG, named},
            {"get_coords", [=] { return DRI_dist_get_coords(d, bad, ints.data()); }, DRI_ERR_ARG, named},
            {"local_index", [=] { return DRI_dist_local_index(d, bad, index, longs.data()); }, DRI_ERR_ARG, named},
            {"global_index", [=] { return DRI_dist_global_index(d, bad, index, longs.data()); }, DRI_ERR_ARG,
             named},
            {"get_strides", [=] { return DRI_layout_get_strides(DRI_ROW_MAJOR, d, bad, longs.data()); },
             DRI_ERR_ARG, named},
        };
        expect_refused(table);
    }
}

TEST_F(WrongQueries, MissingOutputsAndIndicesAreRefused) {
    static int64_t index[2];
    static std::array<int64_t, 8> longs;
    static int number;
    const DRI_Dist d = dist_;
    const int r = first();
    const WrongCalls table{
        {"get_part", [=] { return DRI_dist_get_part(d, r, nullptr); }, DRI_ERR_ARG, {"tuples"}},
        {"get_extents", [=] { return DRI_dist_get_extents(d, r, nullptr); }, DRI_ERR_ARG, {"extents"}},
        {"num_blocks", [=] { return DRI_dist_num_blocks(d, r, 0, nullptr); }, DRI_ERR_ARG, {"n"}},
        {"get_block", [=] { return DRI_dist_get_block(d, r, 0, 0, nullptr); }, DRI_ERR_ARG, {"block"}},
        {"get_grid", [=] { return DRI_dist_get_grid(d, nullptr); }, DRI_ERR_ARG, {"grid"}},
        {"get_coords", [=] { return DRI_dist_get_coords(d, r, nullptr); }, DRI_ERR_ARG, {"coords"}},
        {"owner", [=] { return DRI_dist_owner(d, index, nullptr); }, DRI_ERR_ARG, {"rank"}},
        {"owner of nothing", [=] { return DRI_dist_owner(d, nullptr, &number); }, DRI_ERR_ARG, {"index"}},
        {"replicas", [=] { return DRI_dist_replicas(d, index, nullptr, nullptr); }, DRI_ERR_ARG, {"n"}},
        {"replicas of nothing",
         [=] { return DRI_dist_replicas(d, nullptr, &number, nullptr); },
         DRI_ERR_ARG,
         {"index"}},
        {"local_index", [=] { return DRI_dist_local_index(d, r, index, nullptr); }, DRI_ERR_ARG, {"local"}},
        {"local_index of nothing",
         [=] { return DRI_dist_local_index(d, r, nullptr, longs.data()); },
         DRI_ERR_ARG,
         {"index"}},
        {"global_index", [=] { return DRI_dist_global_index(d, r, index, nullptr); }, DRI_ERR_ARG, {"index"}},
        {"global_index of nothing",
         [=] { return DRI_dist_global_index(d, r, nullptr, longs.data()); },
         DRI_ERR_ARG,
         {"local"}},
        {"equal", [=] { return DRI_dist_equal(d, d, nullptr); }, DRI_ERR_ARG, {"flag"}},
        {"describe", [=] { return DRI_dist_describe(d, nullptr, 10); }, DRI_ERR_ARG, {"text"}},
        {"describe into nothing",
         [=] {
             char text[8];
             return DRI_dist_describe(d, text, 0);
         },
         DRI_ERR_ARG,
         {}},
        {"get_strides",
         [=] { return DRI_layout_get_strides(DRI_ROW_MAJOR, d, r, nullptr); },
         DRI_ERR_ARG,
         {"strides"}},
    };
    expect_refused(table);
}

TEST_F(WrongQueries, DimensionsBlocksAndIndicesOutsideAreRefused) {
    static int64_t low[2]{0, -1}, high[2]{6, 0}, inside[2]{0, 4};
    static std::array<int64_t, 8> longs;
    static int number;
    static DRI_Block block;
    const DRI_Dist d = dist_;
    const int r = first();
    const WrongCalls table{
        {"blocks of dimension -1",
         [=] { return DRI_dist_num_blocks(d, r, -1, longs.data()); },
         DRI_ERR_ARG,
         {"-1"}},
        {"blocks of dimension 2", [=] { return DRI_dist_num_blocks(d, r, 2, longs.data()); }, DRI_ERR_ARG, {"2"}},
        {"a block of dimension -1", [=] { return DRI_dist_get_block(d, r, -1, 0, &block); }, DRI_ERR_ARG, {"-1"}},
        {"a block of dimension 2", [=] { return DRI_dist_get_block(d, r, 2, 0, &block); }, DRI_ERR_ARG, {"2"}},
        {"block -1", [=] { return DRI_dist_get_block(d, r, 0, -1, &block); }, DRI_ERR_ARG, {"-1"}},
        {"block 1 of 1", [=] { return DRI_dist_get_block(d, r, 1, 1, &block); }, DRI_ERR_ARG, {"1"}},
        {"the owner of an index too low",
         [=] { return DRI_dist_owner(d, low, &number); },
         DRI_ERR_ARG,
         {"dimension 1", "-1"}},
        {"the owner of an index too high",
         [=] { return DRI_dist_owner(d, high, &number); },
         DRI_ERR_ARG,
         {"dimension 0", "6"}},
        {"copies of an index too high",
         [=] { return DRI_dist_replicas(d, high, &number, nullptr); },
         DRI_ERR_ARG,
         {"dimension 0", "6"}},
        {"the offset of too low an index",
         [=] { return DRI_dist_local_index(d, r, low, longs.data()); },
         DRI_ERR_ARG,
         {"-1"}},
        {"the offset of too high an index",
         [=] { return DRI_dist_local_index(d, r, high, longs.data()); },
         DRI_ERR_ARG,
         {"6"}},
        {"the index of too low an offset",
         [=] { return DRI_dist_global_index(d, r, low, longs.data()); },
         DRI_ERR_ARG,
         {"-1"}},
        {"the index of too high an offset",
         [=] { return DRI_dist_global_index(d, r, high, longs.data()); },
         DRI_ERR_ARG,
         {"6"}},
    };
    expect_refused(table);
    if (holders_ > 1 && world().rank < holders_) {
        EXPECT_EQ(DRI_dist_local_index(d, 1, inside, longs.data()), DRI_ERR_ARG) << "rank 1 does not own row 0";
        EXPECT_NE(std::string(DRI_error_message()).find('1'), std::string::npos);
    }
}

auto packed(int ndims, const std::vector<int> &order) {
    return makes<DRI_Layout>([=](DRI_Layout *out) { return DRI_layout_create_packed(ndims, order.data(), out); });
}

auto strided(int ndims, const std::vector<int64_t> &strides) {
    return makes<DRI_Layout>([=](DRI_Layout *out) { return DRI_layout_create(ndims, strides.data(), out); });
}

auto pitched(DRI_Layout layout, int64_t multiple) {
    return makes<DRI_Layout>([=](DRI_Layout *out) { return DRI_layout_with_pitch(layout, multiple, out); });
}

Layout make_strided(const std::vector<int64_t> &strides) {
    Layout layout;
    expect_success(DRI_layout_create(static_cast<int>(strides.size()), strides.data(), layout.out()),
                   "DRI_layout_create");
    return layout;
}

TEST_F(WrongQueries, LayoutsAreRefused) {
    const Layout one = make_strided({7}), colliding = make_strided({1, 1}), same = make_strided({5, 5});
    const Layout huge = make_strided({1, int64_t{1} << 61});
    Layout gone = make_strided({9, 1});
    const DRI_Layout dead = gone;
    EXPECT_EQ(gone.reset(), DRI_SUCCESS);
    const DRI_Dist d = dist_;
    const int r = first();
    const auto strides_of = [=](DRI_Layout layout) {
        return [=] {
            std::array<int64_t, 8> strides{};
            return DRI_layout_get_strides(layout, d, r, strides.data());
        };
    };
    const WrongCalls table{
        {"-1 dimensions", packed(-1, {0}), DRI_ERR_ARG, {"-1"}},
        {"9 dimensions", packed(9, {0, 1, 2, 3, 4, 5, 6, 7, 8}), DRI_ERR_ARG, {"9"}},
        {"no order",
         makes<DRI_Layout>([](DRI_Layout *out) { return DRI_layout_create_packed(2, nullptr, out); }),
         DRI_ERR_ARG,
         {"order"}},
        {"a dimension twice", packed(2, {0, 0}), DRI_ERR_ARG, {"order[1]", "0"}},
        {"a dimension too far", packed(2, {0, 2}), DRI_ERR_ARG, {"order[1]", "2"}},
        {"a dimension below 0", packed(1, {-1}), DRI_ERR_ARG, {"order[0]", "-1"}},
        {"no output for the packed one",
         [] {
             const int order = 0;
             return DRI_layout_create_packed(1, &order, nullptr);
         },
         DRI_ERR_ARG,
         {"layout"}},
        {"strides of -1 dimensions", strided(-1, {1}), DRI_ERR_ARG, {"-1"}},
        {"strides of 9 dimensions", strided(9, std::vector<int64_t>(9, 1)), DRI_ERR_ARG, {"9"}},
        {"no strides",
         makes<DRI_Layout>([](DRI_Layout *out) { return DRI_layout_create(2, nullptr, out); }),
         DRI_ERR_ARG,
         {"strides"}},
        {"stride 0", strided(2, {0, 1}), DRI_ERR_ARG, {"dimension 0", "0"}},
        {"stride -1", strided(2, {1, -1}), DRI_ERR_ARG, {"dimension 1", "-1"}},
        {"no output for the strided one",
         [] {
             const int64_t stride = 1;
             return DRI_layout_create(1, &stride, nullptr);
         },
         DRI_ERR_ARG,
         {"layout"}},
        {"pitch of null", pitched({}, 4), DRI_ERR_HANDLE, {}},
        {"pitch of a distribution", pitched(as<DRI_Layout>(d), 4), DRI_ERR_HANDLE, {}},
        {"pitch of a destroyed layout", pitched(dead, 4), DRI_ERR_HANDLE, {}},
        {"pitch of a neighbour of the library's layouts", pitched({DRI_COL_MAJOR.id + 1}, 4), DRI_ERR_HANDLE, {}},
        {"pitch of explicit strides", pitched(one, 4), DRI_ERR_ARG, {"strides"}},
        {"pitch 0", pitched(DRI_ROW_MAJOR, 0), DRI_ERR_ARG, {"0"}},
        {"pitch -2", pitched(DRI_ROW_MAJOR, -2), DRI_ERR_ARG, {"-2"}},
        {"no output for the pitched one",
         [] { return DRI_layout_with_pitch(DRI_ROW_MAJOR, 4, nullptr); },
         DRI_ERR_ARG,
         {"padded"}},
        {"strides of null", strides_of({}), DRI_ERR_HANDLE, {}},
        {"strides of a destroyed layout", strides_of(dead), DRI_ERR_HANDLE, {}},
        {"strides of a distribution", strides_of(as<DRI_Layout>(d)), DRI_ERR_HANDLE, {}},
        {"strides for another number of dimensions", strides_of(one), DRI_ERR_ARG, {"1", "2"}},
        {"strides that beat the integers", strides_of(huge), DRI_ERR_OVERFLOW, {}},
        {"destroying NULL", [] { return DRI_layout_destroy(nullptr); }, DRI_ERR_ARG, {}},
        {"destroying null", destroys(DRI_Layout{}, DRI_layout_destroy), DRI_ERR_HANDLE, {}},
        {"destroying twice", destroys(dead, DRI_layout_destroy), DRI_ERR_HANDLE, {}},
        {"destroying row-major", destroys(DRI_ROW_MAJOR, DRI_layout_destroy), DRI_ERR_HANDLE, {}},
        {"destroying column-major", destroys(DRI_COL_MAJOR, DRI_layout_destroy), DRI_ERR_HANDLE, {}},
    };
    expect_refused(table);
    int64_t extents[2]{};
    EXPECT_EQ(DRI_dist_get_extents(d, r, extents), DRI_SUCCESS);
    std::array<int64_t, 8> strides{};
    if (extents[0] > 1) {
        EXPECT_EQ(DRI_layout_get_strides(colliding, d, r, strides.data()), DRI_ERR_ARG)
            << "offsets of (0,1) and (1,0)";
        EXPECT_EQ(DRI_layout_get_strides(same, d, r, strides.data()), DRI_ERR_ARG) << "offsets of (0,1) and (1,0)";
    } else {
        EXPECT_EQ(DRI_layout_get_strides(colliding, d, r, strides.data()), DRI_SUCCESS)
            << "one row does not collide";
    }
}

} // namespace
} // namespace dri::test
