// Pieces: what processes ask for, and memory of the caller.
#include "array_face.hpp"

namespace {

using namespace array_face;
using dri::Box;
using dri::Piece;

double piece_field(const Index<2> &at) { return static_cast<double>(at[0] * 10 + at[1]); }

// Compares all parts with what the whole array has there.
void expect_parts(const Piece<double, 2> &piece, std::int64_t first, std::int64_t rows) {
    std::int64_t next = first;
    for (const auto &part : piece.parts()) {
        if (part.extent(0) == 0)
            continue;
        EXPECT_EQ(part.ranges()[0].first, next);
        for (std::int64_t i = 0; i < part.extent(0); ++i)
            for (std::int64_t j = 0; j < part.extent(1); ++j)
                EXPECT_EQ(part(i, j), piece_field({next + i, j}));
        next += part.extent(0);
    }
    EXPECT_EQ(next, first + rows);
}

TEST(ArrayFacePieces, HoldWhatProcessesAskFor) {
    const std::int64_t n = 5 * face::processes();
    Array<double, 2> a({n, 4});
    set(a, piece_field);
    const std::int64_t own = 5 * face::rank(), from = std::max<std::int64_t>(own - 2, 0),
                       to = std::min(own + 7, n);
    auto piece = a.repartition(Box<2>({from, 0}, {to - from, 4}));
    EXPECT_EQ(piece.loffs(), (Index<2>{from, 0}));
    expect_parts(piece, from, to - from);
    const auto parts = piece.parts();
    EXPECT_EQ(parts[1].data(), a.domain().owned() > 0 ? &a(own, 0) : nullptr);
    a += 1;
    piece.update_overlap();
    a -= 1;
    for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
        for (std::int64_t i = 0; i < parts[k].extent(0); ++i)
            EXPECT_EQ(parts[k](i, 1), piece_field({parts[k].ranges()[0].first + i, 1}) + 1);
    piece.update_overlap_start();
    piece.update_overlap_wait();
    expect_parts(piece, from, to - from);
    const auto whole = a.repartition(Box<2>({0, 0}, {n, 4}));
    expect_parts(whole, 0, n);
    const auto standard = a.repartition();
    expect_parts(standard, own, 5);
    const auto some = piece.subview(Ranges(range(0, n, 2), range(1, 3)), Box<2>({(from + 1) / 2, 0}, {2, 2}));
    EXPECT_EQ(some.loffs(), (Index<2>{(from + 1) / 2, 0}));
    std::int64_t rows = 0;
    for (const auto &part : some.parts())
        for (std::int64_t i = 0; i < part.extent(0); ++i, ++rows)
            EXPECT_EQ(part(i, 0), piece_field({((from + 1) / 2 + rows) * 2, 1}));
    EXPECT_EQ(rows, 2);
    EXPECT_EQ(face::code_of([&] { a.repartition(Box<2>({0, 0}, {n + 1, 4})); }), DRI_ERR_ARG);
}

TEST(ArrayFacePieces, AreMadeOfMemoryOfTheCaller) {
    const std::int64_t first = 3 * face::rank(), n = 3 * face::processes();
    std::vector<double> left(2), own(6), none;
    for (std::size_t k = 0; k < own.size(); ++k)
        own[k] = static_cast<double>(first * 2) + static_cast<double>(k);
    const std::int64_t halo = face::rank() > 0 ? 1 : 0;
    using View = dri::View<double, 2>;
    Piece<double, 2> piece(dri::Gdo<double, 2>(n, 2), dri::world(), {first - halo, 0},
                           {View(left.data(), {halo, 2}), View(own.data(), {3, 2}), View(none.data(), {0, 2})});
    EXPECT_EQ(piece.loffs(), (Index<2>{first - halo, 0}));
    EXPECT_EQ(piece.parts()[1].data(), own.data());
    EXPECT_EQ(piece.parts()[0].extent(0), halo);
    EXPECT_EQ(piece.device(), "host");
    piece.set_device("sycl:gpu:0");
    EXPECT_EQ(piece.device(), "sycl:gpu:0");
    piece.set_device("host");
    const auto same = Piece<double, 2>::adopt([&] {
        DRI_Array handle;
        EXPECT_EQ(DRI_array_subview(piece.handle(), Ranges(range(0, n), range(0, 2)).data(), nullptr, &handle), 0);
        return handle;
    }());
    EXPECT_EQ(same.parts()[1](2, 1), static_cast<double>(first * 2 + 5));
    EXPECT_EQ(face::code_of([&] {
                  Piece<double, 2>(
                      dri::Gdo<double, 2>(n, 2), dri::world(), {n, 0},
                      {View(left.data(), {0, 2}), View(own.data(), {3, 2}), View(none.data(), {0, 2})});
              }),
              DRI_ERR_ARG);
}

} // namespace
