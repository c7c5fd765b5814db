// Statements that have timed out: the same one goes on, and others on the same arrays are refused. Process 0
// executes them alone, and the others come late.
#include "array_face.hpp"

#include <functional>
#include <optional>

namespace {

using namespace array_face;

class LateStatements : public testing::Test {
protected:
    const std::int64_t n = 4 * face::processes();
    Array<double, 1> a{{n}}, b{{n}};
    const Ranges<1> low{range(0, n - 1)}, high{range(1, n)};

    void SetUp() override {
        if (face::processes() == 1)
            GTEST_SKIP() << "nobody comes late";
        if (compares_calls())
            GTEST_SKIP() << "calls that are compared wait for each other before they have a deadline";
        for (auto *array : {&a, &b})
            array->timeout(std::chrono::milliseconds(100));
        set(a, [](auto at) { return at[0]; });
    }
    static void completed(const std::function<void()> &call) {
        for (;;)
            try {
                return call();
            } catch (const dri::Timeout &) {
            }
    }
    // The same statement from a deeper call, so that its expression lies elsewhere.
    [[gnu::noinline]] void scaled(double factor, int depth = 0) {
        volatile char deeper[512] = {};
        if (depth > 0)
            return scaled(factor, depth - 1 + deeper[depth]);
        b[low] = factor * a[high];
    }
    // Neighbours of other processes come first.
    [[gnu::noinline]] double most(double factor, int depth) {
        volatile char deeper[512] = {};
        if (depth > 0)
            return most(factor, depth - 1 + deeper[depth]);
        return dri::max(factor * (a[low] + a[high]));
    }
    void late(const std::function<void()> &first) {
        dri::world().agree(DRI_SUCCESS);
        if (face::rank() == 0)
            first();
        dri::world().agree(DRI_SUCCESS);
    }
    void expect_scaled(double factor) {
        expect(b, [&](auto at) { return at[0] < n - 1 ? factor * static_cast<double>(at[0] + 1) : 0; });
    }
};

TEST_F(LateStatements, GoOnWithEqualNumbers) {
    completed([&] { scaled(1); });
    late([&] {
        EXPECT_THROW(scaled(2), dri::Timeout);
        try { // its expression lies where that of the first one lay
            scaled(3);
            ADD_FAILURE();
        } catch (const dri::Error &error) {
            EXPECT_EQ(error.code(), DRI_ERR_STATE) << error.what();
        }
        EXPECT_EQ(face::code_of([&] { scaled(3); }), DRI_ERR_STATE);
        EXPECT_EQ(face::code_of([&] { b[low] = a[high] * 2; }), DRI_ERR_STATE);
        EXPECT_THROW(scaled(2, 3), dri::Timeout);
    });
    completed([&] { scaled(2, 5); });
    expect_scaled(2);
    completed([&] { scaled(3); });
    expect_scaled(3);
}

TEST_F(LateStatements, ReductionsGoOnWithEqualNumbers) {
    const auto most = [&](double factor) { return dri::max(factor * a); };
    double found = 0;
    completed([&] { found = most(1); });
    late([&] {
        EXPECT_THROW(most(2), dri::Timeout);
        EXPECT_EQ(face::code_of([&] { most(3); }), DRI_ERR_STATE);
    });
    completed([&] { found = most(2); });
    EXPECT_EQ(found, 2 * static_cast<double>(n - 1));
}

// Behind many others, and over memory of the caller.
TEST_F(LateStatements, ReductionsGoOnBehindManyOthers) {
    constexpr std::int64_t others = 2000;
    std::optional<Array<double, 1>> own;
    if (face::rank() == 0) {
        own.emplace(dri::Index<1>{others}, dri::Group{0});
        set(*own, [](auto) { return 1; });
    }
    double found = 0;
    const auto total = [&] { found = dri::sum(a); };
    completed(total);
    for (int turn = 0; turn < 3; ++turn) {
        late([&] {
            EXPECT_THROW(total(), dri::Timeout);
            for (std::int64_t i = 0; i < others; ++i)
                ASSERT_EQ(dri::sum((*own)[Ranges<1>{range(i, others)}]), static_cast<double>(others - i));
        });
        found = -1;
        completed(total);
        EXPECT_EQ(found, static_cast<double>(n * (n - 1) / 2)) << "turn " << turn;
    }
    late([&] { EXPECT_THROW(total(), dri::Timeout); });
    completed(total);
}

// It is refused while another one over the same processes has timed out, and goes on behind that.
TEST_F(LateStatements, ReductionsGoOnBehindARefusal) {
    for (auto *array : {&a, &b})
        set(*array, [](auto at) { return at[0]; });
    double found = 0;
    completed([&] { found = most(1, 0); });
    completed([&] { found = dri::max(b); });
    late([&] {
        EXPECT_THROW(most(2, 0), dri::Timeout);
        EXPECT_THROW(dri::max(b), dri::Timeout);
        EXPECT_EQ(face::code_of([&] { most(2, 3); }), DRI_ERR_STATE);
        EXPECT_EQ(face::code_of([&] { most(2, 6); }), DRI_ERR_STATE);
    });
    completed([&] { found = dri::max(b); });
    EXPECT_EQ(found, static_cast<double>(n - 1));
    completed([&] { found = most(2, 9); });
    EXPECT_EQ(found, 2 * static_cast<double>(2 * n - 3));
}

// Memory of the user may lie elsewhere, as that of a table which is made for each call.
TEST_F(LateStatements, GoOnWithOtherMemory) {
    const auto call = [&](const std::vector<double> &one) { b[low] = a[high] * dri::View<const double, 1>(one); };
    const std::vector<double> first{2}, second{2};
    completed([&] { call(first); });
    late([&] { EXPECT_THROW(call(first), dri::Timeout); });
    completed([&] { call(second); });
    expect_scaled(2);
}

// A kernel of the user is compared if its captures can be.
TEST_F(LateStatements, GoOnWithEqualKernels) {
    const auto call = [&](std::int64_t factor) {
        dri::apply(
            b[low],
            [factor](auto to, auto from) {
                for (std::int64_t i = 0; i < to.extent(0); ++i)
                    to(i) = static_cast<double>(factor) * from(i);
            },
            a[high]);
    };
    completed([&] { call(1); });
    late([&] {
        EXPECT_THROW(call(2), dri::Timeout);
        EXPECT_EQ(face::code_of([&] { call(3); }), DRI_ERR_STATE);
        EXPECT_THROW(call(2), dri::Timeout);
    });
    completed([&] { call(2); });
    expect_scaled(2);
}

} // namespace
