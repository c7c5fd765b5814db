// Checks that a loop allocates no memory when it runs.
#include "support/allocation_counter.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"

namespace dri::test {
namespace {

int sum_rows(void *, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
    for (int64_t i = 0; i < sizes[0]; ++i)
        for (int64_t j = 0; j < sizes[1]; ++j) {
            const auto at = [&](size_t k) {
                return reinterpret_cast<double *>(static_cast<char *>(data[k]) + i * steps[k][0] +
                                                  j * steps[k][1]);
            };
            *at(0) = *at(1) + *at(2);
        }
    return DRI_SUCCESS;
}

int first_of(void *, int, const int64_t[], void *const data[], const int64_t *const[]) {
    *static_cast<double *>(data[0]) = *static_cast<double *>(data[1]);
    return DRI_SUCCESS;
}

// In place of the target, too: the result takes a temporary.
TEST(LoopAllocations, RunsMakeNone) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    const int64_t rows = 40 * world().size;
    const Numbers shape{rows, 30};
    const Array a = shape_array(shape, make_world()), b = shape_array(shape, make_world());
    const auto shifted = [&](DRI_Array of, int64_t first) {
        return operand_of(of, {{first, 1, rows - 2}, {0, 1, 30}});
    };
    const DRI_Operand reads[]{shifted(a, 0), shifted(a, 2)}, whole = operand_of(a, {{0, 1, rows}, {0, 1, 30}});
    Loop reduction;
    expect_success(DRI_loop_create(nullptr, 1, &whole, reduction.out()), "DRI_loop_create");
    for (const DRI_Array target : {b.get(), a.get()}) {
        const DRI_Operand to = shifted(target, 1);
        Loop loop;
        expect_success(DRI_loop_create(&to, 2, reads, loop.out()), "DRI_loop_create");
        int failed = 0;
        double result = 0;
        const auto run = [&] {
            failed += DRI_loop_run(loop, sum_rows, nullptr) != DRI_SUCCESS;
            failed +=
                DRI_loop_reduce(reduction, first_of, nullptr, DRI_DOUBLE, 1, DRI_OP_MAX, &result) != DRI_SUCCESS;
        };
        run();
        const long made = allocations_of([&] {
            for (int i = 0; i < 100; ++i)
                run();
        });
        EXPECT_EQ(failed, 0) << DRI_error_message();
        EXPECT_EQ(made, 0) << "allocations in 100 runs";
        barrier();
    }
}

// Of arrays and pieces.
TEST(LoopAllocations, QueriesMakeNone) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    const int64_t rows = 4 * world().size;
    const Array array = shape_array({rows, 30}, make_world());
    const DRI_Box mine{{4 * world().rank, 0}, {4, 30}};
    Array piece;
    expect_success(DRI_array_repartition(array, &mine, piece.out()), "DRI_array_repartition");
    for (const DRI_Array one : {array.get(), piece.get()}) {
        int failed = 0, count = 0;
        DRI_View parts[3]{};
        int64_t loffs[2]{};
        const long made = allocations_of([&] {
            failed += DRI_array_get_parts(one, &count, parts) != DRI_SUCCESS;
            failed += DRI_array_get_loffs(one, loffs) != DRI_SUCCESS;
        });
        EXPECT_EQ(failed, 0) << DRI_error_message();
        EXPECT_EQ(made, 0);
        EXPECT_EQ(count, 3);
        EXPECT_EQ(parts[1].range[0].size, 4);
        EXPECT_EQ(loffs[0], 4 * world().rank);
    }
}

} // namespace
} // namespace dri::test
