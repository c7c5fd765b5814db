// In place with exact boxes that form no grid. Boxes that tile the array are put in order; others arrive as well.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>

namespace dri::test {
namespace {

struct Area {
    std::array<int64_t, 2> lo{}, hi{};
    int64_t elements() const { return (hi[0] - lo[0]) * (hi[1] - lo[1]); }
};

// Each process in turn receives an equal share of the rest, cut along the two dimensions alternately.
Area dealt_area(int64_t rows, int64_t columns, size_t first_dim) {
    const auto [rank, size] = world();
    Area left{{0, 0}, {rows, columns}};
    for (int p = 0; p < rank; ++p) {
        const size_t d = (first_dim + static_cast<size_t>(p)) % 2;
        left.lo[d] += (left.hi[d] - left.lo[d]) / (size - p);
    }
    const size_t d = (first_dim + static_cast<size_t>(rank)) % 2;
    left.hi[d] = left.lo[d] + (left.hi[d] - left.lo[d]) / (size - rank);
    return left;
}

Dist make_area_dist(DRI_Gdo gdo, const Area &a) {
    return make_dist(gdo, make_exact({{0, a.lo[0], a.hi[0], 0}, {0, a.lo[1], a.hi[1], 0}}), make_world());
}

struct TurnedAreas {
    bool is_in_order = false;
    int64_t workspace = 0, largest = 0; // workspace of this process; largest buffer of all processes
};

// From row-major boxes to column-major boxes, compact.
TurnedAreas turn_areas(int64_t rows, int64_t columns, const Area &from, const Area &to) {
    static int number = 0;
    const std::string name = "areas " + std::to_string(number++);
    const Gdo gdo = make_gdo({rows, columns}, DRI_INT64);
    const Xfer out = make_xfer(name, DRI_SOURCE, make_area_dist(gdo, from)),
               in = make_xfer(name, DRI_SINK, make_area_dist(gdo, to), DRI_COL_MAJOR);
    TurnedAreas turned;
    const int64_t bytes = 8 * std::max(from.elements(), to.elements());
    MPI_Allreduce(&bytes, &turned.largest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (const DRI_Xfer endpoint : {out.get(), in.get()})
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_IN_PLACE, DRI_IN_PLACE_COMPACT), "DRI_xfer_set_attr");
    commit(make_world());
    for (int64_t f = 1; f <= 3; ++f) {
        const auto value = [&](int64_t i, int64_t j) { return f * 100'000'000 + i * columns + j; };
        int64_t *at = buffer_of<int64_t>(out);
        for (int64_t i = from.lo[0]; i < from.hi[0]; ++i)
            for (int64_t j = from.lo[1]; j < from.hi[1]; ++j)
                *at++ = value(i, j);
        expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
        const int64_t *got = buffer_of<int64_t>(in);
        int64_t wrong = 0;
        for (int64_t j = to.lo[1]; j < to.hi[1]; ++j)
            for (int64_t i = to.lo[0]; i < to.hi[0]; ++i)
                wrong += *got++ != value(i, j);
        EXPECT_EQ(wrong, 0) << name << ", frame " << f;
    }
    static char text[1 << 20];
    expect_success(DRI_xfer_explain(out, text, sizeof text), "DRI_xfer_explain");
    turned.is_in_order = std::string(text).find(" in blocks of ") != std::string::npos;
    for (const DRI_Xfer endpoint : {out.get(), in.get()}) {
        DRI_Xfer_info info{};
        expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
        turned.workspace += info.workspace_bytes;
    }
    return turned;
}

TEST(InPlaceBoxes, ThatTileStayWithinTheBound) {
    for (const auto &[rows, columns] : {std::pair<int64_t, int64_t>{810, 421}, {501, 703}}) {
        const TurnedAreas turned =
            turn_areas(rows, columns, dealt_area(rows, columns, 0), dealt_area(rows, columns, 1));
        EXPECT_TRUE(turned.is_in_order);
        EXPECT_LE(turned.workspace, turned.largest / world().size);
    }
}

// Several processes hold the same elements, or none holds some. Nothing is put in order.
TEST(InPlaceBoxes, ThatShareElementsArrive) {
    const auto [rank, size] = world();
    Area wider = dealt_area(300, 210, 1);
    wider.lo[0] = std::max<int64_t>(wider.lo[0] - 2, 0);
    wider.lo[1] = std::max<int64_t>(wider.lo[1] - 3, 0);
    EXPECT_EQ(turn_areas(300, 210, dealt_area(300, 210, 0), wider).is_in_order, size == 1);
    Area less = dealt_area(300, 210, 1);
    if (rank == 0)
        --less.hi[0];
    EXPECT_FALSE(turn_areas(300, 210, dealt_area(300, 210, 0), less).is_in_order);
}

} // namespace
} // namespace dri::test
