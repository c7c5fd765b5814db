// Moves of arrays: where their results lie, and what becomes of them.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/late_arrays.hpp"
#include "support/library.hpp"

#include <fstream>
#include <numeric>

namespace dri::test {
namespace {

Array numbered(const Numbers &shape) {
    Array made = shape_array(shape, make_world());
    fill_flat(made, shape, [](int64_t i) { return static_cast<double>(i); });
    return made;
}

TEST(Moves, AShapeWithTooManyElementsIsRefused) {
    const Array array = numbered({4 * world().size, 4});
    const Array nothing = numbered({0, 4});
    Array made;
    // 2^64 + 16 size elements, if the product wraps.
    const int64_t half = int64_t{1} << 32;
    for (const Numbers &shape : {Numbers{half, half}, Numbers{half, half, 4}}) {
        EXPECT_EQ(DRI_array_reshape(array, static_cast<int>(shape.size()), shape.data(), made.out()),
                  DRI_ERR_OVERFLOW);
        EXPECT_EQ(DRI_array_reshape(nothing, static_cast<int>(shape.size()), shape.data(), made.out()),
                  DRI_ERR_OVERFLOW)
            << "it has no elements, but the shape has";
    }
    const int64_t empty[]{half, half, 0};
    EXPECT_EQ(DRI_array_reshape(array, 3, empty, made.out()), DRI_ERR_ARG);
}

int64_t pages_of_address_space() {
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
}

// The plan is kept, and uses the memory of the last result until the next call.
TEST(Moves, ResultsThatAreDestroyedAreFreed) {
    constexpr int turns = 20;
    constexpr int64_t bytes = int64_t{4} << 20;
    const Numbers shape{512 * world().size, bytes / 8 / 512};
    const Array array = numbered(shape);
    int64_t before = 0;
    for (int turn = -3; turn < turns; ++turn) {
        if (turn == 0)
            before = pages_of_address_space();
        Array made;
        const int turned[]{1, 0}, wrong[]{1, 1};
        expect_success(DRI_array_permute(array, turned, made.out()), "DRI_array_permute");
        Array refused;
        EXPECT_EQ(DRI_array_permute(array, wrong, refused.out()), DRI_ERR_ARG);
        const std::string message = DRI_error_message();
        expect_success(DRI_array_destroy(made.out()), "DRI_array_destroy");
        EXPECT_EQ(DRI_error_message(), message);
    }
    const int64_t more = (pages_of_address_space() - before) * 4096;
    EXPECT_LT(more, turns * bytes / 2);
}

void expect_permuted(const Array &array, const Numbers &shape, const Array &permuted) {
    Values wanted;
    const Values found = all_of(array, shape);
    for (int64_t j = 0; j < shape[1]; ++j)
        for (int64_t i = 0; i < shape[0]; ++i)
            wanted.push_back(found[static_cast<size_t>(i * shape[1] + j)]);
    EXPECT_EQ(all_of(permuted, {shape[1], shape[0]}), wanted);
}

// How long a process keeps its array has no say in what the others wait for.
TEST(Moves, ArraysMayEndOnSomeProcessesOnly) {
    const Numbers shape{4 * world().size, 4};
    const int turned[]{1, 0};
    std::vector<Array> kept;
    for (int turn = 0; turn < 10; ++turn) {
        Array array = numbered(shape), made;
        expect_success(DRI_array_permute(array, turned, made.out()), "DRI_array_permute");
        expect_permuted(array, shape, made);
        if (world().rank == 0)
            kept.push_back(std::move(array));
    }
}

class LateMoves : public ArrayTimeouts {};

// Process 0 destroys its array while the move has timed out, the others behind it.
TEST_F(LateMoves, AnArrayMayEndMeanwhile) {
    if (compares_calls())
        GTEST_SKIP() << "comparing the calls waits for the others";
    const Numbers row{1, n_}; // of process 0
    std::vector<Array> known;
    Array result;
    const auto reshape = [&](const Array &array) {
        return [&] { return DRI_array_reshape(array, 2, row.data(), result.out()); };
    };
    for (int turn = 0; turn < 4; ++turn) { // so many plans are kept
        known.push_back(made());
        repeat(reshape(known.back()));
        result = Array();
    }
    Array ends = made();
    barrier();
    if (is_first()) {
        EXPECT_EQ(reshape(ends)(), DRI_ERR_TIMEOUT);
        ends = Array();
    }
    barrier();
    if (!is_first()) {
        repeat(reshape(ends));
        ends = Array();
        result = Array();
    }
    for (int turn = 0; turn < 5; ++turn) {
        known.push_back(made());
        repeat(reshape(known.back()));
        EXPECT_EQ(all_of(result, row), counting(0, n_));
        result = Array();
    }
}

// Elements of equal size are not of equal type.
TEST(Moves, ResultsHaveTheTypeOfTheirArray) {
    const int64_t shape[]{4 * world().size, 4};
    const int turned[]{1, 0};
    const Domain domain = make_domain(make_map({block_dim(0, shape[0]), MapDim{}}, make_world()),
                                      {{0, 1, shape[0]}, {0, 1, shape[1]}});
    std::vector<Array> kept;
    for (const DRI_Type type : {DRI_DOUBLE, DRI_DOUBLE, DRI_DOUBLE, DRI_DOUBLE, DRI_INT64, DRI_UINT64}) {
        Array array, permuted, flat;
        expect_success(DRI_array_create(domain, type, nullptr, array.out()), "DRI_array_create");
        expect_success(DRI_array_permute(array, turned, permuted.out()), "DRI_array_permute");
        const int64_t elements = 4 * shape[0];
        expect_success(DRI_array_reshape(array, 1, &elements, flat.out()), "DRI_array_reshape");
        for (const Array *const made : {&permuted, &flat}) {
            DRI_Type found{};
            expect_success(DRI_array_get_type(*made, &found), "DRI_array_get_type");
            EXPECT_EQ(found.id, type.id);
        }
        kept.push_back(std::move(array));
    }
}

} // namespace
} // namespace dri::test
