// Arrays of a shape, moves, own kernels, and arithmetic on boxes.
#include "array_face.hpp"

namespace {

using namespace array_face;

double cube(const Index<3> &at) { return static_cast<double>((at[0] * 7 + at[1]) * 11 + at[2]); }

TEST(ArrayFaceMoves, MakesArraysOfAShape) {
    const Array<int, 2> a({10, 3});
    EXPECT_EQ(a.ranges(), Ranges(range(0, 10), range(0, 3)));
    const auto own = dri::default_partition(face::processes(), face::rank(), {10, 3});
    EXPECT_EQ(a.domain().owned(), own.size[0] * 3);
    const auto parts = a.parts();
    EXPECT_EQ(parts[0].extent(0), 0);
    EXPECT_EQ(parts[2].extent(0), 0);
    EXPECT_EQ(parts[1].extents(), own.size);
    EXPECT_EQ(parts[1].ranges()[0], dri::Range(own.offset[0], 1, own.size[0]));
    if (own.size[0] > 0) {
        parts[1](0, 2) = 5;
        EXPECT_EQ(a(own.offset[0], 2), 5);
    }
    const auto alone = dri::Group{0};
    const Array<float, 1> single({4}, alone);
    EXPECT_EQ(single.domain().owned(), face::rank() == 0 ? 4 : 0);
    const auto others = dri::Group::ranks(std::min(1, face::processes() - 1), face::processes());
    const Array<float, 2> rows({2 * others.size() + 1, 3}, others); // the last process has a row more
    for (int k = 0; k < others.size(); ++k) {
        const auto box = dri::default_partition(others.size(), k, {2 * others.size() + 1, 3});
        for (std::int64_t i = 0; i < box.size[0]; ++i)
            EXPECT_EQ(rows.domain().owner({box.offset[0] + i, 1}), others.ranks()[static_cast<std::size_t>(k)]);
    }
}

TEST(ArrayFaceMoves, PermutesReshapesAndGathers) {
    Array<double, 3> a({6, 7, 11});
    set(a, cube);
    const auto turned = a.permuted({2, 0, 1});
    EXPECT_EQ(turned.ranges(), Ranges(range(0, 11), range(0, 6), range(0, 7)));
    expect(turned, [](auto at) { return cube({at[1], at[2], at[0]}); });
    const auto flat = a.reshaped<1>({6 * 7 * 11});
    expect(flat, [](auto at) { return at[0]; });
    const auto square = flat.reshaped<2>({33, 14});
    expect(square, [](auto at) { return at[0] * 14 + at[1]; });
    EXPECT_EQ(face::code_of([&] { static_cast<void>(a.reshaped<1>({5})); }), DRI_ERR_ARG);
    const Ranges some(range(1, 6, 2), range(2, 4), range(0, 11, 5));
    const auto expect_some = [&](const std::vector<double> &found) {
        ASSERT_EQ(found.size(), static_cast<std::size_t>(some.size()));
        std::size_t k = 0;
        for (const auto &at : some.indices())
            EXPECT_EQ(found[k++], cube(at));
    };
    expect_some(a.gather(some));
    const int last = face::processes() - 1;
    const auto there = a.gather(some, last);
    if (face::rank() == last)
        expect_some(there);
    else
        EXPECT_TRUE(there.empty());
    EXPECT_EQ(a.gather().back(), 6 * 7 * 11 - 1);
}

// Process 0 gathers alone, and again once the others have come.
class LateGathers : public testing::Test {
protected:
    const std::int64_t n = 4 * face::processes();
    Array<double, 1> a{{n}};

    void SetUp() override {
        if (face::processes() == 1)
            GTEST_SKIP() << "nobody comes late";
        if (compares_calls())
            GTEST_SKIP() << "calls that are compared wait for each other before they have a deadline";
        a.timeout(std::chrono::milliseconds(100));
    }
    // Repeats a call until it needs no further time.
    template <class Call> static auto completed(const Call &call) {
        for (;;)
            try {
                return call();
            } catch (const dri::Timeout &) {
            }
    }
};

// To the elements of the first call.
TEST_F(LateGathers, GoOnAfterATimeout) {
    const auto gathered = [&] { return completed([&] { return a.gather(0); }); };
    gathered();
    set(a, [](auto at) { return at[0]; });
    dri::world().agree(DRI_SUCCESS);
    std::vector<std::vector<double>> others; // so that a new vector lies elsewhere
    if (face::rank() == 0) {
        EXPECT_THROW(a.gather(0), dri::Timeout);
        others.resize(4, std::vector<double>(static_cast<std::size_t>(n)));
    }
    dri::world().agree(DRI_SUCCESS);
    Array<double, 1> moved = std::move(a);
    a = std::move(moved);
    const auto found = gathered();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(face::rank() == 0 ? n : 0));
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(found[i], static_cast<double>(i));
}

// The alias has gone meanwhile. Another one of the same slice goes on.
TEST_F(LateGathers, GoOnAfterTheAliasHasGone) {
    const Ranges some(range(1, n)), other(range(0, n - 1));
    const auto gathered = [&](const Ranges<1> &slice) {
        return completed([&] { return a.alias(slice).gather(0); });
    };
    gathered(some);
    gathered(other);
    set(a, [](auto at) { return at[0]; });
    dri::world().agree(DRI_SUCCESS);
    if (face::rank() == 0) {
        EXPECT_THROW(a.alias(some).gather(0), dri::Timeout);
        EXPECT_THROW(a.alias(other).gather(0), dri::Timeout);
    }
    dri::world().agree(DRI_SUCCESS);
    for (const std::int64_t first : {0, 1}) {
        const auto found = gathered(first ? some : other);
        ASSERT_EQ(found.size(), static_cast<std::size_t>(face::rank() == 0 ? n - 1 : 0));
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(found[i], static_cast<double>(first + std::int64_t(i)));
    }
}

TEST(ArrayFaceMoves, AppliesOwnKernels) {
    Array<double, 2> a({17, 6}), b({17, 6});
    Array<float, 1> weights({6});
    set(a, [](auto at) { return at[0] * at[0] + at[1]; });
    set(weights, [](auto at) { return at[0] + 1; });
    const auto in = a.ranges().expand(-2, 0);
    std::int64_t positions = 0;
    dri::apply(
        b[in],
        [&](auto out, auto x, auto w, auto plain) {
            EXPECT_EQ(x.left(0), 2);
            EXPECT_EQ(x.right(0), 1);
            EXPECT_EQ(x.left(1), 0);
            EXPECT_EQ(x.extents(), out.extents());
            positions += out.size();
            for (std::int64_t i = 0; i < out.extent(0); ++i)
                for (std::int64_t j = 0; j < out.extent(1); ++j)
                    out(i, j) = x(i - 2, j) + x(i + 1, j) + w(i, j) * plain(i, j);
        },
        dri::reach(a[in], {2, 0}, {1, 0}), weights, b[in]);
    const auto owned = b.domain()[in].owned();
    EXPECT_EQ(positions, owned);
    expect(b, [&](auto at) {
        const std::int64_t i = at[0];
        return in.contains(at) ? (i - 2) * (i - 2) + (i + 1) * (i + 1) + 2 * at[1] : 0;
    });
    dri::apply(b, [](auto out) {
        for (const auto row : out.rows())
            for (double &x : row.span())
                x = 4;
    });
    expect(b, [](auto) { return 4; });
    const auto failing = [](auto) { throw std::out_of_range("of a kernel"); };
    if (b.domain().owned() > 0) {
        EXPECT_THROW(dri::apply(b, failing), std::out_of_range);
    } else {
        dri::apply(b, failing);
    }
    EXPECT_EQ(face::code_of([&] {
                  dri::apply(
                      b, [](auto, auto) {}, dri::reach(a, {1, 0}, {0, 0}));
              }),
              DRI_ERR_ARG);
}

TEST(ArrayFaceMoves, ComputesBoxes) {
    using Box = dri::Box<1>;
    EXPECT_EQ(dri::default_partition(4, 2, {44}), Box({22}, {11}));
    EXPECT_EQ(dri::default_partition<1>(3, 2, Index<1>{10}), Box({6}, {4}));
    Index<1> local{};
    const Box owned({5}, {5});
    const auto target = dri::target_of_slice(owned, Ranges(range(1, 20, 3)), &local);
    EXPECT_EQ(target, Box({2}, {1})); // 7
    EXPECT_EQ(local, Index<1>{2});
    EXPECT_EQ(dri::target_of_slice(owned, Ranges(range(1, 20, 3))), target);
    const Ranges before(range(0, 8)), behind(range(2, 10));
    const Box at({3}, {4});
    EXPECT_EQ(dri::bounding_box(before, at), Box({3}, {4}));
    EXPECT_EQ(dri::bounding_box(behind, at, dri::bounding_box(before, at)), Box({3}, {6}));
    EXPECT_EQ(dri::bounding_box(behind, at, dri::bounding_box(before, at), true), Box({5}, {2}));
    const auto first = dri::core(owned, before, at);
    EXPECT_EQ(first, Box({5}, {2}));
    EXPECT_EQ(dri::core(Box({0}, {8}), behind, at, first), Box({5}, {1}));
    EXPECT_EQ(face::code_of([] { static_cast<void>(dri::default_partition(0, 0, {4})); }), DRI_ERR_ARG);
}

TEST(ArrayFaceMoves, ShiftsRanges) {
    const Ranges r(range(0, 10), range(3, 30, 4));
    EXPECT_EQ(r.shift(2, -1), Ranges(range(2, 12), range(2, 29, 4)));
    EXPECT_EQ(r.shift(Index<2>{0, 4}), Ranges(range(0, 10), range(7, 34, 4)));
    EXPECT_EQ(r.expand(-1, 1), Ranges(range(1, 9), range(-1, 34, 4)));
    EXPECT_EQ(r.expand(-1), r.expand(-1, -1));
    const auto most = std::numeric_limits<std::int64_t>::max();
    face::expect_failure(DRI_ERR_OVERFLOW, "shift()", [&] { static_cast<void>(range(0, 5).shift(most)); });
}

} // namespace
