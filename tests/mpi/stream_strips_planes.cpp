// Split complex numbers in strips of which the last one is shorter: where its imaginary plane starts.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <complex>

namespace dri::test {
namespace {

constexpr int64_t num_rows = 11, num_columns = 8, strip_rows = 4; // strips of 4, 4 and 3 rows

std::complex<float> element(int64_t i, int64_t j) {
    return {static_cast<float>(i * num_columns + j + 1), static_cast<float>(-1000 - i * num_columns - j)};
}

// What the header promises about strip k of an endpoint: its rows, and the components to its imaginary plane.
struct Planes {
    int64_t rows = 0, columns = 0, plane = 0;
    DRI_Part_tuple at[2]; // in the strip

    Planes(DRI_Xfer xfer, DRI_Layout layout, int64_t k) {
        Dist strip;
        expect_success(DRI_xfer_get_strip(xfer, k, strip.out()), "DRI_xfer_get_strip");
        int64_t extents[2];
        expect_success(DRI_dist_get_extents(strip, world().rank, extents), "DRI_dist_get_extents");
        expect_success(DRI_dist_get_part(strip, world().rank, at), "DRI_dist_get_part");
        expect_success(DRI_layout_get_plane(layout, strip, world().rank, &plane), "DRI_layout_get_plane");
        rows = extents[0], columns = extents[1];
    }
};

// Rows in split strips to whole columns, and whole rows to split strips, column by column: all columns of a strip
// are cut among the processes.
class StripPlanes : public testing::Test {
protected:
    Xfer create(DRI_Role role, DRI_Layout layout) const {
        const int64_t none[2]{}, first[2]{strip_rows, num_columns};
        const Gdo whole = make_gdo({num_rows, num_columns}, DRI_COMPLEX_FLOAT);
        Gdo strip;
        expect_success(DRI_gdo_subset(whole, none, first, strip.out()), "DRI_gdo_subset");
        Xfer xfer;
        expect_success(DRI_xfer_create_strips("planes", role, whole, 0, make_dist(strip, make_blocks(2, 1), all_),
                                              layout, 1, nullptr, xfer.out()),
                       "DRI_xfer_create_strips");
        return xfer;
    }
    Layout split() const {
        Layout layout;
        expect_success(DRI_layout_with_complex(DRI_ROW_MAJOR, DRI_SPLIT, layout.out()), "DRI_layout_with_complex");
        return layout;
    }
    // Half of a buffer is where the plane of the longest strip starts.
    static int64_t half_buffer(DRI_Xfer xfer) {
        size_t bytes = 0;
        expect_success(DRI_xfer_buffer_bytes(xfer, &bytes), "DRI_xfer_buffer_bytes");
        return static_cast<int64_t>(bytes / sizeof(float) / 2);
    }

    Group all_ = make_world();
    Dist rows_ = make_dist(make_gdo({num_rows, num_columns}, DRI_COMPLEX_FLOAT), make_blocks(2, 0), all_);
};

TEST_F(StripPlanes, OfASource) {
    const Layout layout = split();
    const Xfer source = create(DRI_SOURCE, layout), sink = make_xfer("planes", DRI_SINK, rows_);
    commit(all_);
    expect_success(DRI_start(nullptr, sink), "DRI_start");
    for (int64_t k = 0; k < 3; ++k) {
        const Planes planes(source, layout, k);
        EXPECT_EQ(planes.plane, planes.rows * planes.columns);
        EXPECT_EQ(planes.plane < half_buffer(source), k == 2 && planes.columns > 0) << "the last strip is shorter";
        auto *real = buffer_of<float>(source);
        for (int64_t i = 0; i < planes.rows; ++i)
            for (int64_t j = 0; j < planes.columns; ++j, ++real) {
                const auto value = element(k * strip_rows + i, planes.at[1].left_x + j);
                real[0] = value.real();
                real[planes.plane] = value.imag();
            }
        expect_success(DRI_do(nullptr, source), "DRI_do");
    }
    expect_success(DRI_wait(nullptr, sink), "DRI_wait");
    DRI_Part_tuple at[2];
    expect_success(DRI_dist_get_part(rows_, world().rank, at), "DRI_dist_get_part");
    const auto *in = buffer_of<std::complex<float>>(sink);
    for (int64_t i = at[0].left_x; i < at[0].right_x; ++i)
        for (int64_t j = 0; j < num_columns; ++j)
            EXPECT_EQ(*in++, element(i, j)) << i << "," << j;
}

TEST_F(StripPlanes, OfASink) {
    const Layout layout = split();
    const Xfer source = make_xfer("planes", DRI_SOURCE, rows_), sink = create(DRI_SINK, layout);
    commit(all_);
    DRI_Part_tuple at[2];
    expect_success(DRI_dist_get_part(rows_, world().rank, at), "DRI_dist_get_part");
    auto *out = buffer_of<std::complex<float>>(source);
    for (int64_t i = at[0].left_x; i < at[0].right_x; ++i)
        for (int64_t j = 0; j < num_columns; ++j)
            *out++ = element(i, j);
    expect_success(DRI_insert(source, nullptr), "DRI_insert");
    for (int64_t k = 0; k < 3; ++k) {
        void *buffer = nullptr;
        expect_success(DRI_extract(sink, &buffer, nullptr), "DRI_extract");
        const Planes planes(sink, layout, k);
        EXPECT_EQ(planes.plane < half_buffer(sink), k == 2 && planes.columns > 0) << "the last strip is shorter";
        const auto *real = static_cast<const float *>(buffer);
        for (int64_t i = 0; i < planes.rows; ++i)
            for (int64_t j = 0; j < planes.columns; ++j, ++real)
                EXPECT_EQ((std::complex<float>(real[0], real[planes.plane])),
                          element(k * strip_rows + i, planes.at[1].left_x + j))
                    << i << "," << j;
        expect_success(DRI_release(sink), "DRI_release");
    }
}

} // namespace
} // namespace dri::test
