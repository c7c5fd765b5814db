// Arrays over memory of the caller: parts that are odd but right, and devices.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"
#include "support/resident_bytes.hpp"
#include "support/sanitizer.hpp"

namespace dri::test {
namespace {

// n rows of 3 columns. Each process has `own` of them, and a row of the next process behind.
struct OwnRows {
    int64_t n, begin, own, right;
    Values memory;
    DRI_View parts[3]{};
    Array array;

    OwnRows(int64_t rows, int64_t first, int64_t count, bool has_halo)
        : n(rows), begin(first), own(count), right(has_halo ? 1 : 0),
          memory(static_cast<size_t>(3 * (count + 1)), -1) {
        for (int64_t i = 0; i < 3 * own; ++i)
            memory[static_cast<size_t>(i)] = static_cast<double>(3 * begin + i);
        const int64_t sizes[]{0, own, right}, places[]{0, 0, 3 * own};
        for (int i = 0; i < 3; ++i) {
            parts[i].data = memory.data() + places[i];
            parts[i].ndims = 2;
            parts[i].range[0].size = sizes[i];
            parts[i].range[1].size = 3;
            parts[i].step[0] = 3;
            parts[i].step[1] = 1;
        }
    }
    void init() {
        const int64_t shape[]{n, 3}, loffs[]{begin, 0};
        Gdo gdo;
        expect_success(DRI_gdo_create(2, DRI_DOUBLE, shape, gdo.out()), "DRI_gdo_create");
        expect_success(DRI_array_init(gdo, make_world(), loffs, 3, parts, array.out()), "DRI_array_init");
    }
    double sum() const {
        double found = -1;
        EXPECT_EQ(DRI_array_reduce(array, nullptr, DRI_OP_SUM, &found), DRI_SUCCESS) << DRI_error_message();
        return found;
    }
    double wanted_sum() const { return static_cast<double>(3 * n * (3 * n - 1) / 2); }
};

bool is_last() { return world().rank + 1 == world().size; }

// A process of the node would read them from a copy of all that is owned.
TEST(Init, ShortRowsOfALargePartTravelAlone) {
    if (world().size == 1)
        GTEST_SKIP() << "the only process has all";
    constexpr int64_t count = int64_t{1} << 18, part_bytes = count * 3 * 8;
    OwnRows rows(count * world().size, count * world().rank, count, !is_last());
    rows.init();
    const int64_t before = resident_bytes();
    for (int turn = 0; turn < 3; ++turn) {
        rows.memory[0] = static_cast<double>(turn);
        barrier();
        expect_success(DRI_array_update_overlap(rows.array), "DRI_array_update_overlap");
        if (!is_last()) {
            EXPECT_EQ(rows.memory[3 * count], turn);
            EXPECT_EQ(rows.memory[3 * count + 2], static_cast<double>(3 * (rows.begin + count) + 2));
        }
        barrier();
    }
    if (!sanitized) {
        EXPECT_LT(resident_bytes() - before, part_bytes / 2);
    }
}

TEST(Init, AnEmptyPartMayHaveAnySizes) {
    if (world().size == 1)
        GTEST_SKIP() << "the only process has all";
    for (const int64_t columns : {3, 2, 55, 0}) {
        OwnRows rows(2 * (world().size - 1), 2 * world().rank, is_last() ? 0 : 2, false);
        if (is_last()) {
            rows.parts[1].range[1].size = columns;
            rows.parts[1].step[0] = 0;
            rows.parts[1].step[1] = 7;
        }
        rows.init();
        EXPECT_EQ(rows.sum(), rows.wanted_sum()) << columns;
    }
}

TEST(Init, ADimensionOfOneElementTakesNoStep) {
    OwnRows rows(2 * world().size, 2 * world().rank, 2, !is_last());
    rows.parts[2].step[0] = 0;
    rows.init();
    ASSERT_EQ(DRI_array_update_overlap(rows.array), DRI_SUCCESS) << DRI_error_message();
    for (int64_t i = 0; i < 3; ++i)
        EXPECT_EQ(rows.memory[static_cast<size_t>(6 + i)],
                  is_last() ? -1 : static_cast<double>(3 * (rows.begin + 2) + i));
}

TEST(Init, ADeviceIsRespectedAtAnyTime) {
    OwnRows rows(2 * world().size, 2 * world().rank, 2, !is_last());
    rows.init();
    EXPECT_EQ(rows.sum(), rows.wanted_sum());
    expect_success(DRI_array_update_overlap(rows.array), "DRI_array_update_overlap");
    expect_success(DRI_array_set_device(rows.array, "gpu"), "DRI_array_set_device");
    double sum = -1;
    Values all(static_cast<size_t>(3 * rows.n));
    for (const int code :
         {DRI_array_reduce(rows.array, nullptr, DRI_OP_SUM, &sum),
          DRI_array_gather(rows.array, nullptr, -1, all.data()), DRI_array_update_overlap(rows.array)})
        EXPECT_EQ(code, DRI_ERR_UNSUPPORTED);
    EXPECT_NE(std::string(DRI_error_message()).find("on the device 'gpu'"), std::string::npos);
    expect_success(DRI_array_set_device(rows.array, "host"), "DRI_array_set_device");
    EXPECT_EQ(rows.sum(), rows.wanted_sum());
}

// Also those of a part of the array.
TEST(Init, AnUpdateUnderWayEndsOnAnyDevice) {
    OwnRows rows(2 * world().size, 2 * world().rank, 2, !is_last());
    rows.init();
    const DRI_Range all[]{{0, 1, rows.n}, {0, 1, 3}};
    Array part;
    expect_success(DRI_array_subview(rows.array, all, nullptr, part.out()), "DRI_array_subview");
    for (const DRI_Array array : {rows.array.get(), part.get()}) {
        std::fill(rows.memory.begin() + 6, rows.memory.end(), -1);
        barrier();
        expect_success(DRI_array_update_overlap_start(array), "DRI_array_update_overlap_start");
        expect_success(DRI_array_set_device(rows.array, "gpu"), "DRI_array_set_device");
        expect_success(DRI_array_update_overlap_wait(array), "DRI_array_update_overlap_wait");
        EXPECT_EQ(rows.memory[6], is_last() ? -1 : static_cast<double>(3 * (rows.begin + 2)));
        EXPECT_EQ(DRI_array_update_overlap_start(array), DRI_ERR_UNSUPPORTED);
        expect_success(DRI_array_set_device(rows.array, "host"), "DRI_array_set_device");
    }
}

} // namespace
} // namespace dri::test
