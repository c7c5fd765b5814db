// Statements: assignments and reductions of expressions.
#include "array_face.hpp"

namespace {

using namespace array_face;

double field(const Index<2> &at) { return static_cast<double>(at[0] * 100 + at[1]); }

TEST(ArrayFaceStatements, AssignsExpressionsOfShiftedSlices) {
    Array<double, 2> a({11, 9}), b({11, 9});
    set(a, field);
    b = -1;
    const auto in = a.ranges().expand(-1);
    b[in] = 0.25 * (a[in.shift(-1, 0)] + a[in.shift(1, 0)] + a[in.shift(0, -1)] + a[in.shift(0, 1)]) + 3;
    expect(b, [&](auto at) { return in.contains(at) ? field(at) + 3 : -1; });
    b[in.shift(1, 1)] = std::as_const(a)[in.shift(-1, -1)] - field({0, 0});
    expect(b, [&](auto at) {
        if (in.shift(1, 1).contains(at))
            return field({at[0] - 2, at[1] - 2});
        return in.contains(at) ? field(at) + 3 : -1;
    });
}

TEST(ArrayFaceStatements, ReadsBeforeItWrites) {
    Array<double, 1> a({40});
    set(a, [](auto at) { return at[0] * at[0]; });
    const Ranges in(range(2, 39));
    a[in] = a[in.shift(-2)] + a[in.shift(1)];
    expect(a, [&](auto at) {
        const double i = static_cast<double>(at[0]);
        return in.contains(at) ? (i - 2) * (i - 2) + (i + 1) * (i + 1) : i * i;
    });
    a = a + a;
    a = dri::where(a < 0, a, 1);
    expect(a, [](auto) { return 1; });
}

TEST(ArrayFaceStatements, TakesStrides) {
    Array<int, 1> a({60}), b({25});
    set(a, [](auto at) { return at[0]; });
    b[{range(1, 25, 2)}] = 10 * a[{range(3, 38, 3)}] + a[{range(59 - 44, 60, 4)}];
    expect(b, [](auto at) {
        const std::int64_t k = (at[0] - 1) / 2;
        return at[0] % 2 == 1 ? 10 * (3 + 3 * k) + 15 + 4 * k : 0;
    });
    EXPECT_EQ(face::code_of([&] { b[{range(0, 5)}] = a[{range(4, -1, -1)}] + 0; }), DRI_ERR_ARG);
}

TEST(ArrayFaceStatements, Broadcasts) {
    Array<double, 2> table({7, 5}), column({7, 1});
    Array<double, 1> row({5});
    set(row, [](auto at) { return at[0] + 1; });
    set(column, [](auto at) { return 100 * at[0]; });
    table = row + column;
    expect(table, [](auto at) { return at[0] * 100 + at[1] + 1; });
    table = row;
    expect(table, [](auto at) { return at[1] + 1; });
    table[{range(2, 6), range(0, 5)}] = column[{range(3, 4), range(0, 1)}];
    expect(table, [](auto at) { return at[0] >= 2 && at[0] < 6 ? 300 : at[1] + 1; });
    std::vector<double> memory{1, 2, 3, 4, 5};
    table = column * dri::View<double, 1>(std::span(memory));
    expect(table, [](auto at) { return 100 * at[0] * (at[1] + 1); });
    EXPECT_EQ(dri::sum(row + 0 * table), 7 * 15);
    EXPECT_EQ(face::code_of([&] { dri::sum(row + column); }), DRI_ERR_UNSUPPORTED);
    Array<double, 1> longer({6});
    EXPECT_EQ(face::code_of([&] { table = longer + 1.0; }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { table = longer; }), DRI_ERR_ARG);
}

TEST(ArrayFaceStatements, ChangesElements) {
    Array<int, 1> a({30}), b({30});
    set(a, [](auto at) { return at[0] + 1; });
    set(b, [](auto at) { return at[0] % 7 + 1; });
    const auto value = [](std::int64_t i) {
        int x = static_cast<int>(i) + 1;
        const int y = static_cast<int>(i) % 7 + 1;
        x += y;
        x -= 2 * y;
        x *= y;
        x += 1000;
        x /= y;
        x %= 91;
        x |= 5;
        x &= y + 60;
        x ^= 3;
        return x;
    };
    a += b;
    a -= 2 * b;
    a *= b;
    (a += 1000) /= b;
    a %= 91;
    a |= 5;
    a &= b + 60;
    a ^= 3;
    expect(a, [&](auto at) { return value(at[0]); });
    const Ranges some(range(4, 20));
    a[some] += a[some.shift(-4)];
    a[some] *= 2;
    expect(a, [&](auto at) { return some.contains(at) ? 2 * (value(at[0]) + value(at[0] - 4)) : value(at[0]); });
}

TEST(ArrayFaceStatements, Reduces) {
    Array<float, 2> a({13, 6});
    Array<double, 2> b({13, 6});
    set(a, [](auto at) { return at[0] * 6 + at[1] + 1; });
    set(b, field);
    static_assert(std::is_same_v<decltype(dri::sum(a)), double>);
    static_assert(std::is_same_v<decltype(dri::max(a)), float>);
    EXPECT_EQ(dri::sum(a), 78 * 79 / 2);
    EXPECT_EQ(dri::min(b[{range(3, 9), range(2, 4)}]), 302);
    EXPECT_EQ(dri::max(dri::abs(b - 600)), 605);
    EXPECT_EQ(dri::max(b[{range(0, 12), range(0, 6)}] - b[{range(1, 13), range(0, 6)}]), -100);
    EXPECT_EQ(dri::sum(a > 70), 8);
    EXPECT_TRUE(dri::max(a > 70));
    EXPECT_FALSE(dri::max(a > 78));
    EXPECT_EQ(dri::sum(b[{range(0, 0), range(0, 6)}]), 0);
    EXPECT_EQ(face::code_of([&] { dri::max(b[{range(0, 0), range(0, 6)}]); }), DRI_ERR_ARG);
    Array<std::int8_t, 1> bytes({300});
    set(bytes, [](auto at) { return at[0] % 2 ? 100 : 27; });
    EXPECT_EQ(dri::sum(bytes), 150 * 127);
    EXPECT_EQ(dri::min(bytes), 27);
    Array<std::complex<float>, 1> waves({50});
    set(waves, [](auto at) { return std::complex<float>(float(at[0]), 1); });
    EXPECT_EQ(dri::sum(waves), std::complex<double>(1225, 50));
    b = 0;
    b[{range(5, 6), range(5, 6)}] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(dri::max(b)));
    EXPECT_TRUE(std::isnan(dri::min(b)));
}

TEST(ArrayFaceStatements, AllocatesNothingAgain) {
    if (compares_calls())
        GTEST_SKIP() << "statements that are compared each time allocate what they send";
    Array<double, 2> a({20, 8}), b({20, 8});
    const auto in = a.ranges().expand(-1);
    const auto statements = [&] {
        b[in] = 0.5 * (a[in.shift(1, 0)] + a[in.shift(-1, 0)]);
        b[in] += a[in];
        dri::max(dri::abs(b - a));
    };
    statements();
    statements();
    EXPECT_EQ(face::allocations_of([&] {
                  for (int i = 0; i < 5; ++i)
                      statements();
              }),
              0);
}

TEST(ArrayFaceStatements, ReadsOverlapThatWraps) {
    const Ranges all(range(0, 24));
    const dri::Domain ring(dri::stencil_map(all, {2}, dri::Edge::wrap), all);
    Array<double, 1> a(ring), b(ring);
    set(a, [](auto at) { return at[0]; });
    const auto differences = [](auto out, auto x) {
        for (std::int64_t i = 0; i < out.extent(0); ++i)
            out(i) = x(i + 1) - x(i - 2);
    };
    dri::apply(b, differences, dri::reach(a, {2}, {1}));
    expect(b, [](auto at) { return (at[0] + 1) % 24 - (at[0] + 22) % 24; });
    EXPECT_EQ(face::code_of([&] { dri::apply(b, differences, dri::reach(a, {2}, {3})); }), DRI_ERR_ARG);
    b = a[all.shift(1)] - 2 * a[all.shift(-2)];
    expect(b, [](auto at) { return (at[0] + 1) % 24 - 2 * ((at[0] + 22) % 24); });
    EXPECT_EQ(face::code_of([&] { b = a[all.shift(3)] + 0; }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { b[all.shift(1)] = a + 0; }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { forall(a[all.shift(1)], [](double) {}); }), DRI_ERR_ARG);
    face::expect_failure(DRI_ERR_ARG, "inside", [&] { a[all.shift(1)] = 0; });
    const Array<double, 1> plain({24});
    EXPECT_EQ(face::code_of([&] { b = plain[all.shift(1)] + 0; }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { b = plain[all.shift(1)]; }), DRI_ERR_ARG);
    EXPECT_NE(face::code_of([&] { forall(zip(b, plain[all.shift(1)]), [](double, double) {}); }), DRI_SUCCESS);
}

TEST(ArrayFaceStatements, RunsOverWholeArraysOfAnyMap) {
    const Ranges all(range(-3, 30), range(0, 5));
    const dri::Domain cycles(dri::block_cyclic_map({-3, 0}, {2, 3}), all);
    Array<double, 2> a(cycles), b(cycles);
    set(a, field);
    b = 2 * a + 1;
    expect(b, [](auto at) { return 2 * field(at) + 1; });
    EXPECT_EQ(dri::max(b - 2 * a), 1);
    if (face::processes() > 1) {
        const Ranges in(range(0, 20), range(0, 5));
        EXPECT_EQ(face::code_of([&] { b[in] = a[in.shift(1, 0)] + 0; }), DRI_ERR_UNSUPPORTED);
    }
}

TEST(ArrayFaceStatements, Explains) {
    Array<double, 1> a({40}), b({40});
    const Ranges in(range(1, 39));
    const std::string text = dri::explain(b[in], a[in.shift(-1)] + a[in.shift(1)]);
    EXPECT_NE(text.find("core"), std::string::npos) << text;
}

// Cases of the Dist dialect.
TEST(ArrayFaceStatements, HasTheResultsOfDist) {
    for (int members = 1; members <= std::min(face::processes(), 5); ++members) {
        const auto team = dri::Group::ranks(0, members);
        if (team.position() < 0)
            continue;
        SCOPED_TRACE(members);
        Array<std::int64_t, 1> a({16}, team); // dist-ew-01
        set(a, [](auto at) { return at[0] * at[0]; });
        const Ranges to(range(3, 13));
        a[to] = 2 * a[to.shift(-3)] + a[to.shift(-2)] + a[to.shift(-1)] + 1 * a[to];
        const std::vector<std::int64_t> wanted{0,   1,   4,   14,  31,  58,  95,  142,
                                               199, 266, 343, 430, 527, 169, 196, 225};
        EXPECT_EQ(a.gather(), wanted);
        if (members >= 2) { // dist-ew-02
            const dri::Gdo<std::int64_t, 1> ten(10);
            const auto pair = dri::Group::ranks(0, 2);
            if (pair.position() >= 0) {
                const auto cut = [&](std::int64_t first) {
                    const dri::Dist dist(ten, dri::Partition<1>(dri::sizes({first, 10 - first})), pair);
                    return dri::Domain(dri::dist_map(dist), Ranges(range(0, 10)));
                };
                Array<std::int64_t, 1> x(cut(5)), y(cut(2)), sum({10}, pair);
                x = 1;
                set(y, [](auto at) { return at[0]; });
                sum = x + y;
                expect(sum, [](auto at) { return at[0] + 1; });
                EXPECT_EQ(sum.domain().owned(), 5);
            }
        }
        Array<std::int64_t, 1> x({5}, team), sum({5}, team); // dist-ew-04
        set(x, [](auto at) { return at[0] + 1; });
        sum = x + 1;
        EXPECT_EQ(sum.gather(), (std::vector<std::int64_t>{2, 3, 4, 5, 6}));
        Array<double, 2> A({12, 12}, team), B({12, 12}, team); // dist-ew-05
        set(A, [](auto at) { return at[0] * 12 + at[1]; });
        const auto in = A.ranges().expand(-2);
        B[in] = A[in] + A[in.shift(0, 1)] + A[in.shift(0, -1)] + A[in.shift(1, 0)] + A[in.shift(-1, 0)] +
                A[in.shift(0, 2)] + A[in.shift(0, -2)] + A[in.shift(2, 0)] + A[in.shift(-2, 0)];
        expect(B, [&](auto at) { return in.contains(at) ? 9 * (at[0] * 12 + at[1]) : 0; });
    }
}

} // namespace
