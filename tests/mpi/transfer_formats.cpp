// Split complex numbers, and types that are converted on the way.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace dri::test {
namespace {

TEST(Split, OnEitherSideAndBoth) {
    for (const char *type : {"complex-int8", "complex-int16", "complex-float", "complex-double"})
        for (const auto &[from, to] : {std::pair{"", "/split"}, {"/split", ""}, {"/split", "/split"}})
            for (const char *order : {"01", "10"})
                for (const char *words : {"direct", "direct no-self limit=50"})
                    expect_transfer(
                        fmt::format("{} [37,23] block,* rm{} -> *,block {}{} {}", type, from, order, to, words));
}

TEST(Split, WithPitchStridesAndEveryKindOfMemory) {
    for (const std::string_view memory : memory_names)
        for (const auto &[from, to] :
             {std::pair{"01/p7/split", "rm"}, {"rm/p32", "01/p7/split"}, {"s2:41/split", "s95:3/split"}})
            expect_transfer(
                fmt::format("complex-float [19,30] block,* {} -> cyclic(0,3),* {} direct buffers=2 memory={}",
                            from, to, memory));
}

TEST(Split, OfThreeDimensionsOfNoneAndOfEmptyArrays) {
    for (const char *from : {"", "/split"}) {
        for (const char *sizes : {"[5,6,7]", "[0,6,7]"})
            expect_transfer(
                fmt::format("complex-double {} block,*,* rm{} -> *,*,block 201/split direct", sizes, from));
        expect_transfer(fmt::format("complex-float [] - rm{} over all -> - rm/split over all direct", from));
    }
}

TEST(Split, TheImaginaryPlaneStartsAtTheReportedOffset) {
    const Group all = make_world();
    const Dist dist = make_dist(make_gdo({10, 7}, DRI_COMPLEX_FLOAT), make_blocks(2, 0), all);
    Layout pitched, split;
    expect_success(DRI_layout_with_pitch(DRI_ROW_MAJOR, 4, pitched.out()), "DRI_layout_with_pitch");
    expect_success(DRI_layout_with_complex(pitched, DRI_SPLIT, split.out()), "DRI_layout_with_complex");
    int64_t extents[2], strides[2], plane = -1;
    expect_success(DRI_dist_get_extents(dist, world().rank, extents), "DRI_dist_get_extents");
    expect_success(DRI_layout_get_strides(split, dist, world().rank, strides), "DRI_layout_get_strides");
    EXPECT_EQ(strides[0], 8);
    EXPECT_EQ(strides[1], 1);
    expect_success(DRI_layout_get_plane(split, dist, world().rank, &plane), "DRI_layout_get_plane");
    EXPECT_EQ(plane, extents[0] * 8);
    const Xfer source = make_xfer("planes", DRI_SOURCE, dist, split), sink = make_xfer("planes", DRI_SINK, dist);
    size_t bytes = 0;
    expect_success(DRI_xfer_buffer_bytes(source, &bytes), "DRI_xfer_buffer_bytes");
    EXPECT_EQ(static_cast<int64_t>(bytes), 2 * plane * 4);
    expect_success(DRI_layout_get_plane(pitched, dist, world().rank, &plane), "DRI_layout_get_plane");
    EXPECT_EQ(plane, 1);
    commit(all);
    auto *out = buffer_of<float>(source);
    const auto half = static_cast<int64_t>(bytes / sizeof(float) / 2);
    for (int64_t i = 0; i < extents[0]; ++i)
        for (int64_t j = 0; j < 7; ++j) {
            out[i * 8 + j] = static_cast<float>(i * 7 + j);
            out[half + i * 8 + j] = static_cast<float>(-1000 - i * 7 - j);
        }
    expect_success(DRI_do("planes", DRI_XFER_NULL), "DRI_do");
    const auto *in = buffer_of<float>(sink);
    for (int64_t i = 0; i < extents[0] * 7; ++i) {
        EXPECT_EQ(in[2 * i], static_cast<float>(i));
        EXPECT_EQ(in[2 * i + 1], static_cast<float>(-1000 - i));
    }
}

// A type of numbers.
struct Number {
    const char *name;
    int64_t bytes;
};
constexpr Number int8{"int8", 1}, uint8{"uint8", 1}, int16{"int16", 2}, int32{"int32", 4}, int64{"int64", 8},
    uint64{"uint64", 8}, float32{"float", 4}, float64{"double", 8};

// Rows to columns, columns contiguous.
void expect_conversion(const Number &from, const Number &to, double scale, const char *words) {
    constexpr int rows = 29, columns = 34;
    static int number = 0;
    const std::string line = fmt::format("{} [{},{}] block,* rm -> *,block cm to={} scale={} {}", from.name, rows,
                                         columns, to.name, scale, words);
    SCOPED_TRACE(line);
    TransferRun run("conversion " + std::to_string(number++), line);
    run.declare();
    commit(make_world());
    run.bind();
    run.frame();
    run.frame();
    run.check_info();
    DRI_Xfer_info info;
    expect_success(DRI_xfer_get_info(run.sink(), &info), "DRI_xfer_get_info");
    const auto [rank, size] = world();
    const int64_t here = rows * (columns / size + (rank < columns % size ? 1 : 0));
    const int64_t in_place = info.bytes_self + info.bytes_direct;
    EXPECT_EQ(in_place / from.bytes + info.bytes_message / std::min(from.bytes, to.bytes), 2 * here)
        << "numbers travel in the smaller type";
}

void expect_conversions(const std::vector<std::pair<Number, Number>> &pairs) {
    for (const auto &[from, to] : pairs) {
        for (const double scale : {1.0, 0.5, -2.0, 16.0})
            expect_conversion(from, to, scale, "direct");
        expect_conversion(from, to, 1, "no-self limit=1");
        expect_conversion(from, to, 2, "no-self limit=1000");
    }
}

TEST(Convert, IntegersToFloats) {
    expect_conversions({{int16, float32},
                        {int8, float32},
                        {uint8, float64},
                        {int32, float32},
                        {int64, float64},
                        {uint64, float32}});
}

TEST(Convert, FloatsToIntegers) {
    expect_conversions({{float32, int16}, {float32, uint8}, {float64, int8}, {float64, int32}, {float32, uint64}});
}

TEST(Convert, BetweenTypesOfOneKindAndTheSameType) {
    expect_conversions({{float32, float64},
                        {float64, float32},
                        {int32, int8},
                        {int8, uint64},
                        {float32, float32},
                        {int16, int16}});
}

// A digitiser's numbers for three sinks at once: unchanged, as split floats, and as doubles with a scale.
TEST(Convert, EverySinkHasItsOwnType) {
    // A process may be in only one sink of a name here, so the processes are dealt to the three sinks in turn.
    std::vector<int> turns[3];
    for (int q = 0; q < world().size; ++q)
        turns[q % 3].push_back(q);
    const char *const sinks[]{
        "complex-int16 [24,40] block,* rm -> *,block rm over {} direct",
        "complex-int16 [24,40] block,* rm -> *,block cm/split over {} to=complex-float direct",
        "complex-int16 [24,40] block,* rm -> *,block rm over {} to=complex-double scale=0.125 direct"};
    std::vector<TransferCase> cases;
    for (size_t k = 0; k < 3; ++k)
        if (!turns[k].empty())
            cases.push_back(case_of(fmt::format(fmt::runtime(sinks[k]), fmt::join(turns[k], ","))));
    expect_transfer(cases);
}

} // namespace
} // namespace dri::test
