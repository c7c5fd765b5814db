// With DRI_CHECK=1 processes that part are told in the call where they do, also if both calls have plans.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"

#include <cstdlib>
#include <functional>

namespace dri::test {
namespace {

using Call = std::function<int()>;

class ArrayCheck : public testing::Test {
protected:
    const int64_t n_ = 4 * world().size;
    const Array a_ = shape_array({n_, 3}, make_world()), b_ = shape_array({n_, 3}, make_world());

    void SetUp() override {
        const char *const check = std::getenv("DRI_CHECK");
        if (!check || std::string(check) != "1")
            GTEST_SKIP() << "calls are compared with DRI_CHECK=1 alone";
        if (world().size == 1)
            GTEST_SKIP() << "one process agrees with itself";
    }
    // Both are known. Process 0 makes one, the others the other one; then all make both again.
    static void expect_told(const Call &one, const Call &other) {
        for (int turn = 0; turn < 2; ++turn)
            for (const Call &call : {one, other})
                expect_success(call(), "a call that all make");
        EXPECT_EQ((world().rank == 0 ? one : other)(), DRI_ERR_MISMATCH) << DRI_error_message();
        for (const Call &call : {one, other})
            expect_success(call(), "a call that all make again");
    }
    static int to_new(const std::function<int(DRI_Array *)> &call) {
        Array made;
        return call(made.out());
    }
};

TEST_F(ArrayCheck, Moves) {
    const int turned[]{1, 0}, same[]{0, 1};
    const auto permute = [&](const int *order) {
        return [this, order] { return to_new([&](DRI_Array *to) { return DRI_array_permute(a_, order, to); }); };
    };
    expect_told(permute(turned), permute(same));
    const auto reshape = [&](int64_t rows) {
        return [this, rows] {
            const int64_t shape[]{rows, 3 * n_ / rows};
            return to_new([&](DRI_Array *to) { return DRI_array_reshape(a_, 2, shape, to); });
        };
    };
    expect_told(reshape(n_ / 2), reshape(n_));
    Values found(static_cast<size_t>(3 * n_));
    const auto gather = [&](int root) {
        return [this, root, &found] { return DRI_array_gather(a_, nullptr, root, found.data()); };
    };
    expect_told(gather(0), gather(-1));
    expect_told(gather(0), permute(turned));
    double result = 0;
    const auto reduce = [&](DRI_Op op) {
        return [this, op, &result] { return DRI_array_reduce(a_, nullptr, op, &result); };
    };
    expect_told(reduce(DRI_OP_SUM), reduce(DRI_OP_MAX));
}

TEST_F(ArrayCheck, Loops) {
    DRI_Kernel kernel = nullptr;
    void *copy = nullptr;
    expect_success(DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel, &copy, nullptr), "DRI_loop_kernel");
    const auto slice = [&](int64_t first) { return Ranges{{first, 1, n_ - 1}, {0, 1, 3}}; };
    const DRI_Operand target = operand_of(b_, slice(0)), up = operand_of(a_, slice(0)),
                      down = operand_of(a_, slice(1));
    Loop one, other;
    expect_success(DRI_loop_create(&target, 1, &up, one.out()), "DRI_loop_create");
    expect_success(DRI_loop_create(&target, 1, &down, other.out()), "DRI_loop_create");
    expect_told([&] { return DRI_loop_run(one, kernel, copy); },
                [&] { return DRI_loop_run(other, kernel, copy); });
    const auto create = [&](const DRI_Operand &read) {
        return [&] {
            Loop loop;
            return DRI_loop_create(&target, 1, &read, loop.out());
        };
    };
    expect_told(create(up), create(down));
    const auto first_of = [](void *, int, const int64_t[], void *const data[], const int64_t *const[]) {
        *static_cast<double *>(data[0]) = *static_cast<double *>(data[1]);
        return DRI_SUCCESS + 0;
    };
    Loop reduction;
    expect_success(DRI_loop_create(nullptr, 1, &down, reduction.out()), "DRI_loop_create");
    double result = 0;
    const auto reduce = [&](DRI_Op op) {
        return [&, op] { return DRI_loop_reduce(reduction, first_of, nullptr, DRI_DOUBLE, 1, op, &result); };
    };
    expect_told(reduce(DRI_OP_MIN), reduce(DRI_OP_MAX));
}

TEST_F(ArrayCheck, Pieces) {
    const Array other = shape_array({n_ + world().size, 3}, make_world());
    const DRI_Box all{{0, 0}, {n_, 3}};
    const auto repartition = [&](DRI_Array of) {
        return [of, &all] { return to_new([&](DRI_Array *to) { return DRI_array_repartition(of, &all, to); }); };
    };
    expect_told(repartition(a_), repartition(other));
    Array one, two;
    expect_success(DRI_array_repartition(a_, &all, one.out()), "DRI_array_repartition");
    expect_success(DRI_array_repartition(b_, &all, two.out()), "DRI_array_repartition");
    expect_told([&] { return DRI_array_update_overlap(one); }, [&] { return DRI_array_update_overlap(two); });
    const auto ring = [&] {
        MapDim rule = block_dim(0, n_);
        rule.left = rule.right = 1;
        return make_array(make_domain(make_map({rule}, make_world()), {{0, 1, n_}}));
    };
    const Array x = ring(), y = ring();
    expect_told([&] { return DRI_array_update_overlap(x); }, [&] { return DRI_array_update_overlap(y); });
}

} // namespace
} // namespace dri::test
