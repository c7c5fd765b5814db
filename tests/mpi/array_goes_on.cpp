// Loops that have timed out go on with the call that they began with: its kernel, context and operation.
#include "support/late_arrays.hpp"
#include "support/library.hpp"

namespace dri::test {
namespace {

class GoesOn : public ArrayTimeouts {};

int add_neighbour(void *, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
    for (int64_t i = 0; i < sizes[0]; ++i)
        *reinterpret_cast<double *>(static_cast<char *>(data[0]) + i * steps[0][0]) += 1;
    return DRI_SUCCESS;
}

TEST_F(GoesOn, ALoopGoesOnWithItsKernel) {
    const DRI_Operand target = operand_of(b_, {{0, 1, n_ - 1}}), read = operand_of(a_, {{1, 1, n_ - 1}});
    Loop loop;
    expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
    DRI_Kernel kernel = nullptr;
    void *copy = nullptr, *negative = nullptr;
    expect_success(DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel, &copy, nullptr), "DRI_loop_kernel");
    expect_success(DRI_loop_kernel(DRI_OP_NEG, DRI_DOUBLE, &kernel, &negative, nullptr), "DRI_loop_kernel");
    repeat([&] { return DRI_loop_run(loop, kernel, negative); });
    barrier();
    if (is_first()) {
        EXPECT_EQ(DRI_loop_run(loop, kernel, copy), DRI_ERR_TIMEOUT);
        expect_another(DRI_loop_run(loop, kernel, negative));
        expect_another(DRI_loop_run(loop, add_neighbour, nullptr));
    }
    barrier();
    repeat([&] { return DRI_loop_run(loop, kernel, copy); });
    const auto parts = parts_of(b_);
    const int64_t begin = 4 * world().rank, end = begin + 4;
    Values wanted = counting(begin + 1, end + 1);
    if (end == n_)
        wanted.back() = static_cast<double>(n_ - 1);
    EXPECT_EQ(elements_of(parts[1]), wanted);
}

int add_number(void *number, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
    for (int64_t i = 0; i < sizes[0]; ++i)
        *reinterpret_cast<double *>(static_cast<char *>(data[0]) + i * steps[0][0]) =
            *reinterpret_cast<const double *>(static_cast<char *>(data[1]) + i * steps[1][0]) +
            *static_cast<const double *>(number);
    return DRI_SUCCESS;
}

TEST_F(GoesOn, ALoopGoesOnWithItsContext) {
    const DRI_Operand target = operand_of(b_, {{0, 1, n_ - 1}}), read = operand_of(a_, {{1, 1, n_ - 1}});
    Loop loop;
    expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
    double first = 100, other = 200, same = 100;
    expect_success(DRI_loop_set_context(loop, &other), "DRI_loop_set_context, when nothing is under way");
    const auto run = [&](double &number) { return DRI_loop_run(loop, add_number, &number); };
    repeat([&] { return run(other); });
    barrier();
    double *mine = &first;
    if (is_first()) {
        EXPECT_EQ(run(first), DRI_ERR_TIMEOUT);
        expect_another(run(other));
        expect_another(run(same));
        EXPECT_EQ(run(first), DRI_ERR_TIMEOUT);
        expect_success(DRI_loop_set_context(loop, &same), "DRI_loop_set_context");
        expect_another(run(first));
        mine = &same;
    }
    barrier();
    repeat([&] { return run(*mine); });
    const int64_t begin = 4 * world().rank, end = std::min(begin + 4, n_ - 1);
    Values wanted = counting(begin + 101, end + 101);
    if (end == n_ - 1)
        wanted.push_back(static_cast<double>(n_ - 1));
    EXPECT_EQ(elements_of(parts_of(b_)[1]), wanted);
}

// Statements in one call. The loop that is left goes on, and so does the same call.
TEST_F(GoesOn, AStatementInOneCallGoesOn) {
    const DRI_Operand target = operand_of(b_, {{0, 1, n_ - 2}}), read = operand_of(a_, {{2, 1, n_ - 2}});
    double number = 100;
    const auto once = [&](DRI_Loop *left) { return DRI_loop_do(&target, 1, &read, add_number, &number, left); };
    DRI_Loop none{7};
    repeat([&] { return once(&none); });
    EXPECT_EQ(none.id, 0U) << "nothing has timed out";
    for (const bool takes_loop : {true, false}) {
        number += 100;
        barrier();
        Loop left;
        if (is_first()) {
            EXPECT_EQ(once(takes_loop ? left.out() : nullptr), DRI_ERR_TIMEOUT);
            double other = 0;
            expect_another(DRI_loop_do(&target, 1, &read, add_number, &other, nullptr));
        }
        barrier();
        if (is_first() && takes_loop)
            repeat([&] { return DRI_loop_run(left, add_number, &number); });
        else
            repeat([&] { return once(nullptr); });
        const int64_t begin = 4 * world().rank, end = std::min(begin + 4, n_ - 2);
        const auto more = static_cast<int64_t>(number) + 2;
        Values wanted = counting(begin + more, end + more);
        for (int64_t i = end; i < begin + 4; ++i)
            wanted.push_back(static_cast<double>(i));
        EXPECT_EQ(elements_of(parts_of(b_)[1]), wanted);
    }
}

TEST_F(GoesOn, AReductionInOneCallGoesOn) {
    const DRI_Operand read = operand_of(a_, {{0, 1, n_}});
    double sum = -1;
    const auto once = [&](DRI_Loop *left) {
        return DRI_loop_do_reduce(1, &read, add_all, nullptr, DRI_DOUBLE, 1, DRI_OP_SUM, &sum, left);
    };
    repeat([&] { return once(nullptr); });
    barrier();
    Loop left;
    if (is_first()) {
        EXPECT_EQ(once(left.out()), DRI_ERR_TIMEOUT);
    }
    barrier();
    sum = -1;
    repeat([&] {
        return is_first() ? DRI_loop_reduce(left, add_all, nullptr, DRI_DOUBLE, 1, DRI_OP_SUM, &sum)
                          : once(nullptr);
    });
    EXPECT_EQ(sum, static_cast<double>(n_ * (n_ - 1) / 2));
}

TEST_F(GoesOn, AReductionGoesOnWithItsContext) {
    const DRI_Operand read = operand_of(a_, {{0, 1, n_}});
    Loop loop;
    double sum = -1;
    int first = 0, other = 0, same = 0;
    expect_success(DRI_loop_create(nullptr, 1, &read, loop.out()), "DRI_loop_create");
    const auto reduce = [&](int &context) {
        return DRI_loop_reduce(loop, add_all, &context, DRI_DOUBLE, 1, DRI_OP_SUM, &sum);
    };
    repeat([&] { return reduce(other); });
    barrier();
    int *mine = &first;
    if (is_first()) {
        EXPECT_EQ(reduce(first), DRI_ERR_TIMEOUT);
        expect_another(reduce(other));
        expect_success(DRI_loop_set_context(loop, &same), "DRI_loop_set_context");
        expect_another(reduce(first));
        mine = &same;
    }
    barrier();
    sum = -1;
    repeat([&] { return reduce(*mine); });
    EXPECT_EQ(sum, static_cast<double>(n_ * (n_ - 1) / 2));
}

TEST_F(GoesOn, AReductionGoesOnWithItsOperation) {
    DRI_Operand read = operand_of(a_, {{1, 1, n_ - 2}});
    read.right[0] = 1;
    Loop loop;
    double sum = -1;
    expect_success(DRI_loop_create(nullptr, 1, &read, loop.out()), "DRI_loop_create");
    const auto reduce = [&](DRI_Op op) {
        return DRI_loop_reduce(loop, add_all, nullptr, DRI_DOUBLE, 1, op, &sum);
    };
    repeat([&] { return reduce(DRI_OP_MAX); });
    barrier();
    if (is_first()) {
        EXPECT_EQ(reduce(DRI_OP_SUM), DRI_ERR_TIMEOUT);
        expect_another(reduce(DRI_OP_MAX));
    }
    barrier();
    repeat([&] { return reduce(DRI_OP_SUM); });
    EXPECT_EQ(sum, static_cast<double>((n_ - 1) * (n_ - 2) / 2));
}

} // namespace
} // namespace dri::test
