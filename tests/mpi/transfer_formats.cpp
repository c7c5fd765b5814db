// Split complex numbers, and types that are converted on the way.
#include "support/library.hpp"
#include "support/message_bytes.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace dri_test {
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
    for (const std::string_view memory : dri::test::memory_names)
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

template <class T> struct TypeOf;
template <> struct TypeOf<int8_t> {
    static DRI_Type id() { return DRI_INT8; }
};
template <> struct TypeOf<int16_t> {
    static DRI_Type id() { return DRI_INT16; }
};
template <> struct TypeOf<int32_t> {
    static DRI_Type id() { return DRI_INT32; }
};
template <> struct TypeOf<int64_t> {
    static DRI_Type id() { return DRI_INT64; }
};
template <> struct TypeOf<uint8_t> {
    static DRI_Type id() { return DRI_UINT8; }
};
template <> struct TypeOf<uint64_t> {
    static DRI_Type id() { return DRI_UINT64; }
};
template <> struct TypeOf<float> {
    static DRI_Type id() { return DRI_FLOAT; }
};
template <> struct TypeOf<double> {
    static DRI_Type id() { return DRI_DOUBLE; }
};

// The conversion of one number as the manual defines it; exact for the numbers of these tests.
template <class To> To expected(double value) {
    if constexpr (std::is_floating_point_v<To>) {
        return static_cast<To>(value);
    } else {
        if (std::isnan(value))
            return 0;
        if (value <= static_cast<double>(std::numeric_limits<To>::min()))
            return std::numeric_limits<To>::min();
        if (value >= static_cast<double>(std::numeric_limits<To>::max()))
            return std::numeric_limits<To>::max();
        return static_cast<To>(std::nearbyint(value));
    }
}

constexpr int64_t converted_rows = 29, converted_columns = 34;

// Rows to columns, columns contiguous. Values are multiples of a quarter, so that products are exact.
template <class From, class To> void expect_conversion(double scale, bool self_way, int64_t message_bytes) {
    static int number = 0;
    const std::string name = "conversion " + std::to_string(number++);
    SCOPED_TRACE(name + ", scale " + std::to_string(scale));
    const Group all = make_world();
    const Dist in =
        make_dist(make_gdo({converted_rows, converted_columns}, TypeOf<From>::id()), make_blocks(2, 0), all);
    const Dist out =
        make_dist(make_gdo({converted_rows, converted_columns}, TypeOf<To>::id()), make_blocks(2, 1), all);
    const Xfer source = make_xfer(name, DRI_SOURCE, in), sink = make_xfer(name, DRI_SINK, out, DRI_COL_MAJOR);
    expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, 1), "DRI_xfer_set_attr");
    expect_success(DRI_xfer_set_scale(sink, scale), "DRI_xfer_set_scale");
    if (!self_way)
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
    set_message_bytes(source, message_bytes);
    commit(all);
    DRI_Part_tuple part[2];
    const auto value = [](int64_t i, int64_t j) {
        return expected<From>(static_cast<double>((i - 14) * 40 + j) / 4);
    };
    for (int frame = 0; frame < 2; ++frame) {
        expect_success(DRI_dist_get_part(in, world().rank, part), "DRI_dist_get_part");
        From *from = buffer_of<From>(source);
        for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
            for (int64_t j = 0; j < converted_columns; ++j)
                *from++ = value(i + frame, j);
        expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
        expect_success(DRI_dist_get_part(out, world().rank, part), "DRI_dist_get_part");
        const To *to = buffer_of<To>(sink);
        int64_t wrong = 0;
        for (int64_t j = part[1].left_x; j < part[1].right_x; ++j)
            for (int64_t i = 0; i < converted_rows; ++i)
                wrong += *to++ != expected<To>(static_cast<double>(value(i + frame, j)) * scale);
        EXPECT_EQ(wrong, 0);
    }
    DRI_Xfer_info info;
    expect_success(DRI_xfer_get_info(sink, &info), "DRI_xfer_get_info");
    const auto here = static_cast<int64_t>((part[1].right_x - part[1].left_x) * converted_rows);
    const auto travels = static_cast<int64_t>(std::min(sizeof(From), sizeof(To)));
    const int64_t in_place = info.bytes_self + info.bytes_direct;
    EXPECT_EQ(in_place / static_cast<int64_t>(sizeof(From)) + info.bytes_message / travels, 2 * here)
        << "numbers travel in the smaller type";
}

template <class From, class To> void expect_conversions() {
    for (const double scale : {1.0, 0.5, -2.0, 16.0})
        expect_conversion<From, To>(scale, true, int64_t{1} << 30);
    expect_conversion<From, To>(1, false, 1);
    expect_conversion<From, To>(2, false, 1000);
}

TEST(Convert, IntegersToFloats) {
    expect_conversions<int16_t, float>();
    expect_conversions<int8_t, float>();
    expect_conversions<uint8_t, double>();
    expect_conversions<int32_t, float>();
    expect_conversions<int64_t, double>();
    expect_conversions<uint64_t, float>();
}

TEST(Convert, FloatsToIntegers) {
    expect_conversions<float, int16_t>();
    expect_conversions<float, uint8_t>();
    expect_conversions<double, int8_t>();
    expect_conversions<double, int32_t>();
    expect_conversions<float, uint64_t>();
}

TEST(Convert, BetweenTypesOfOneKindAndTheSameType) {
    expect_conversions<float, double>();
    expect_conversions<double, float>();
    expect_conversions<int32_t, int8_t>();
    expect_conversions<int8_t, uint64_t>();
    expect_conversions<float, float>();
    expect_conversions<int16_t, int16_t>();
}

// A digitiser's numbers for three sinks at once: unchanged, as split floats, and as doubles with a scale.
TEST(Convert, EverySinkHasItsOwnType) {
    const Group all = make_world();
    const std::vector<int64_t> sizes{24, 40};
    const Dist in = make_dist(make_gdo(sizes, DRI_COMPLEX_INT16), make_blocks(2, 0), all);
    Layout split;
    expect_success(DRI_layout_with_complex(DRI_COL_MAJOR, DRI_SPLIT, split.out()), "DRI_layout_with_complex");
    const Xfer source = make_xfer("digitiser", DRI_SOURCE, in);
    // A process may be in only one sink of a name here, so the processes are dealt to the three sinks in turn.
    std::vector<int> turns[3];
    for (int q = 0; q < world().size; ++q)
        turns[q % 3].push_back(q);
    const int mine = world().rank % 3;
    const Group third = make_group(turns[mine]);
    const DRI_Type types[]{DRI_COMPLEX_INT16, DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE};
    const Dist out = make_dist(make_gdo(sizes, types[mine]), make_blocks(2, 1), third);
    const Xfer sink = make_xfer("digitiser", DRI_SINK, out, mine == 1 ? split.get() : DRI_ROW_MAJOR);
    if (mine != 0)
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, 1), "DRI_xfer_set_attr");
    if (mine == 2)
        expect_success(DRI_xfer_set_scale(sink, 0.125), "DRI_xfer_set_scale");
    commit(all);
    DRI_Part_tuple part[2];
    expect_success(DRI_dist_get_part(in, world().rank, part), "DRI_dist_get_part");
    auto *from = buffer_of<int16_t>(source);
    for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
        for (int64_t j = 0; j < 40; ++j) {
            *from++ = static_cast<int16_t>(i * 40 + j);
            *from++ = static_cast<int16_t>(-i * 40 - j);
        }
    expect_success(DRI_do("digitiser", DRI_XFER_NULL), "DRI_do");
    expect_success(DRI_dist_get_part(out, world().rank, part), "DRI_dist_get_part");
    const int64_t left = part[1].left_x, width = part[1].right_x - left;
    for (int64_t i = 0; i < 24; ++i)
        for (int64_t j = 0; j < width; ++j) {
            const auto value = static_cast<double>(i * 40 + left + j);
            const int64_t at = i * width + j, turned = j * 24 + i;
            if (mine == 0) {
                EXPECT_EQ(buffer_of<int16_t>(sink)[2 * at], value);
                EXPECT_EQ(buffer_of<int16_t>(sink)[2 * at + 1], -value);
            } else if (mine == 1) {
                EXPECT_EQ(buffer_of<float>(sink)[turned], value);
                EXPECT_EQ(buffer_of<float>(sink)[24 * width + turned], -value);
            } else {
                EXPECT_EQ(buffer_of<double>(sink)[2 * at], value / 8);
                EXPECT_EQ(buffer_of<double>(sink)[2 * at + 1], -value / 8);
            }
        }
}

} // namespace
} // namespace dri_test
