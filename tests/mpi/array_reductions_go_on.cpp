// Reductions in one call that have timed out: the same call goes on, whatever is called in between.
#include "support/late_arrays.hpp"
#include "support/library.hpp"

namespace dri::test {
namespace {

// Reductions in one call that leave no loop. Process 0 comes early, and calls `meanwhile` behind its timeout.
class ReductionGoesOn : public ArrayTimeouts {
protected:
    const Group self_ = make_group({0});

    static int sum_of(const std::vector<DRI_Operand> &reads, double &sum) {
        return DRI_loop_do_reduce(static_cast<int>(reads.size()), reads.data(), add_all, nullptr, DRI_DOUBLE, 1,
                                  DRI_OP_SUM, &sum, nullptr);
    }
    static void expect_goes_on(const std::vector<DRI_Operand> &reads, double wanted,
                               const std::function<void()> &meanwhile) {
        double sum = -1;
        repeat([&] { return sum_of(reads, sum); });
        for (int turn = 0; turn < 3; ++turn) {
            barrier();
            if (is_first() && !compares_calls()) {
                EXPECT_EQ(sum_of(reads, sum), DRI_ERR_TIMEOUT);
                meanwhile();
            }
            barrier();
            sum = -1;
            repeat([&] { return sum_of(reads, sum); });
            EXPECT_EQ(sum, wanted) << "turn " << turn;
        }
        // A process that was one exchange apart would have its sum without the others.
        barrier();
        if (is_first() && !compares_calls()) {
            EXPECT_EQ(sum_of(reads, sum), DRI_ERR_TIMEOUT);
        }
        barrier();
        repeat([&] { return sum_of(reads, sum); });
        EXPECT_EQ(sum, wanted);
    }
    double sum() const { return static_cast<double>(n_ * (n_ - 1) / 2); }
};

TEST_F(ReductionGoesOn, TheSameCallGoesOn) {
    expect_goes_on({operand_of(a_, {{0, 1, n_}})}, sum(), [] {});
}

// Neighbours of other processes are fetched first.
TEST_F(ReductionGoesOn, TheSameCallGoesOnWithReach) {
    DRI_Operand read = operand_of(a_, {{1, 1, n_ - 2}});
    read.right[0] = 1;
    expect_goes_on({read}, static_cast<double>((n_ - 1) * (n_ - 2) / 2), [] {});
}

TEST_F(ReductionGoesOn, OverMemoryOfTheCaller) {
    Values memory = counting(4 * world().rank, 4 * world().rank + 4);
    DRI_View parts[3]{};
    for (DRI_View &part : parts) {
        part.data = memory.data();
        part.ndims = 1;
        part.step[0] = 1;
    }
    parts[1].range[0].size = 4;
    const int64_t loffs = 4 * world().rank;
    Gdo gdo;
    Array array;
    expect_success(DRI_gdo_create(1, DRI_DOUBLE, &n_, gdo.out()), "DRI_gdo_create");
    expect_success(DRI_array_init(gdo, make_world(), &loffs, 3, parts, array.out()), "DRI_array_init");
    DRI_Operand own{}; // whose timeout is that of the other array
    own.array = array;
    own.slice[0] = {0, 1, n_};
    expect_goes_on({operand_of(a_, {{0, 1, n_}}), own}, sum(), [] {});
}

TEST_F(ReductionGoesOn, BehindManyOtherLoops) {
    constexpr int64_t others = 2000;
    Array own;
    if (is_first()) {
        own = shape_array({others + 1}, self_);
        fill_flat(own, {others + 1}, [](int64_t) { return 1; });
    }
    expect_goes_on({operand_of(a_, {{0, 1, n_}})}, sum(), [&] {
        for (int64_t i = 0; i < others; ++i) {
            double found = -1;
            ASSERT_EQ(sum_of({operand_of(own, {{i, 1, others - i}})}, found), DRI_SUCCESS) << DRI_error_message();
            ASSERT_EQ(found, static_cast<double>(others - i));
        }
    });
}

// Loops whose handles are gone leave their reduction to the next one of the same operands.
TEST_F(ReductionGoesOn, WithAnotherLoopOfTheSameOperands) {
    const DRI_Operand read = operand_of(a_, {{0, 1, n_}}), other = operand_of(b_, {{0, 1, n_}});
    double known = -1;
    repeat([&] { return sum_of({other}, known); });
    expect_goes_on({read}, sum(), [&] {
        double found = -1;
        expect_another(sum_of({other}, found));
        Loop loop;
        expect_success(DRI_loop_create(nullptr, 1, &read, loop.out()), "DRI_loop_create");
        EXPECT_EQ(DRI_loop_reduce(loop, add_all, nullptr, DRI_DOUBLE, 1, DRI_OP_SUM, &found), DRI_ERR_TIMEOUT);
        expect_another(DRI_loop_reduce(loop, add_all, nullptr, DRI_DOUBLE, 1, DRI_OP_MAX, &found));
    });
}

} // namespace
} // namespace dri::test
