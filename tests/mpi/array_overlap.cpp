// Updates of overlap. The oracle says for each place of the local memory which member it stands for, or that it is
// beyond the domain.
#include "support/arrays.hpp"
#include "support/library.hpp"

#include <array>
#include <optional>

namespace dri::test {
namespace {

constexpr double untouched = -77;

double value_at(int64_t row, int64_t column) { return static_cast<double>(1000 * row + column); }

struct Plate {
    MapDim rows, columns;
    DRI_Range row, column;
};

// The member at a place of a dimension, from its first owned one. Nothing: beyond a truncated edge.
std::optional<int64_t> member_at(const DRI_Range &whole, const MapDim &rule, const DRI_Range &own, int64_t place) {
    const int64_t index = own.first + place * whole.stride;
    const int64_t order = (index - whole.first) / whole.stride;
    if ((order < 0 && rule.left_edge != DRI_WRAP) || (order >= whole.size && rule.right_edge != DRI_WRAP))
        return std::nullopt;
    return whole.first + (order + 4 * whole.size) % whole.size * whole.stride;
}

class Overlap : public testing::Test {
protected:
    void make(const Plate &plate) {
        plate_ = plate;
        domain_ = make_domain(make_map({plate.rows, plate.columns}, make_world()), {plate.row, plate.column});
        array_ = make_array(domain_);
        expect_success(DRI_array_view(array_, 0, &view_), "DRI_array_view");
    }
    template <class F> void each_place(F &&f) {
        if (view_->range[0].size == 0 || view_->range[1].size == 0)
            return;
        for (int64_t i = -view_->left[0]; i < view_->range[0].size + view_->right[0]; ++i)
            for (int64_t j = -view_->left[1]; j < view_->range[1].size + view_->right[1]; ++j)
                f(i, j, static_cast<double *>(view_->data)[i * view_->step[0] + j * view_->step[1]]);
    }
    void set(double shift) {
        each_place([&](int64_t, int64_t, double &element) { element = untouched; });
        fill(array_, domain_, [&](const Indices &i) { return value_at(i[0], i[1]) + shift; });
    }
    void expect_filled(double shift) {
        each_place([&](int64_t i, int64_t j, double element) {
            const auto row = member_at(plate_.row, plate_.rows, view_->range[0], i);
            const auto column = member_at(plate_.column, plate_.columns, view_->range[1], j);
            ASSERT_EQ(element, row && column ? value_at(*row, *column) + shift : untouched) << i << " " << j;
        });
    }

    Plate plate_;
    Domain domain_;
    Array array_;
    const DRI_View *view_ = nullptr;
};

MapDim rimmed(int64_t lo, int64_t hi, int64_t left, int64_t right, DRI_Edge left_edge = DRI_TRUNCATE,
              DRI_Edge right_edge = DRI_TRUNCATE) {
    MapDim rule = block_dim(lo, hi);
    rule.left = left;
    rule.right = right;
    rule.left_edge = left_edge;
    rule.right_edge = right_edge;
    return rule;
}

std::vector<Plate> plates() {
    const int64_t n = 3 * world().size;
    return {
        {rimmed(1, n + 1, 1, 1), rimmed(1, n + 1, 1, 1), {1, 1, n}, {1, 1, n}},
        {rimmed(0, n, 2, 1, DRI_WRAP, DRI_WRAP), rimmed(0, n, 1, 2, DRI_WRAP, DRI_WRAP), {0, 1, n}, {0, 1, n}},
        {rimmed(0, n, 2, 1, DRI_WRAP, DRI_WRAP), rimmed(0, n, 1, 2), {0, 1, n}, {0, 1, n}},
        {rimmed(0, 2 * n, 1, 2), rimmed(0, n, 0, 0), {0, 2, n}, {0, 1, n}},
        {rimmed(0, n, 1, 0), rimmed(-2 * n, 0, 0, 2, DRI_TRUNCATE, DRI_WRAP), {0, 1, n}, {-2 * n, 2, n}},
    };
}

TEST_F(Overlap, WholeAndInHalves) {
    for (const Plate &plate : plates()) {
        make(plate);
        EXPECT_GE(view_->left[0] + view_->right[0], 1);
        for (int turn = 0; turn < 2; ++turn) {
            set(turn);
            ASSERT_EQ(DRI_array_update_overlap(array_), DRI_SUCCESS) << DRI_error_message();
            expect_filled(turn);
        }
        barrier();
        set(10);
        ASSERT_EQ(DRI_array_update_overlap_start(array_), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(difference(array_, domain_, [](const Indices &i) { return value_at(i[0], i[1]) + 10; }), "");
        ASSERT_EQ(DRI_array_update_overlap_wait(array_), DRI_SUCCESS) << DRI_error_message();
        expect_filled(10);
    }
}

// Processes without elements take part as well.
TEST_F(Overlap, WithFewerMembersThanParts) {
    make({rimmed(0, 100, 1, 1), rimmed(0, 4, 0, 0), {0, 1, 2}, {0, 1, 4}});
    set(0);
    ASSERT_EQ(DRI_array_update_overlap(array_), DRI_SUCCESS) << DRI_error_message();
    expect_filled(0);
}

TEST_F(Overlap, AfterTheDomainHasChanged) {
    const int64_t n = 3 * world().size;
    make({rimmed(0, n, 1, 1), rimmed(0, n, 1, 1), {0, 1, n}, {0, 1, n}});
    set(0);
    ASSERT_EQ(DRI_array_update_overlap(array_), DRI_SUCCESS) << DRI_error_message();
    const Ranges next{{0, 1, n}, {0, 1, n - 1}};
    ASSERT_EQ(DRI_domain_set(domain_, {}, next.data()), DRI_SUCCESS) << DRI_error_message();
    plate_.column = next[1];
    set(1);
    ASSERT_EQ(DRI_array_update_overlap(array_), DRI_SUCCESS) << DRI_error_message();
    expect_filled(1);
}

// All calls are refused on all processes alike, and nothing is lost.
TEST_F(Overlap, BetweenTheHalvesOtherCallsAreRefused) {
    make(plates()[0]);
    const Array other = make_array(domain_);
    const auto refused = [&](int code, const char *words) {
        EXPECT_EQ(code, DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find(words), std::string::npos) << DRI_error_message();
    };
    const auto put = [](void *, const char *, size_t) -> int { return DRI_SUCCESS; };
    const Ranges next{{1, 1, 2}, {1, 1, 2}};
    refused(DRI_array_update_overlap_wait(array_), "no update");
    for (int turn = 0; turn < 2; ++turn) {
        set(turn);
        ASSERT_EQ(DRI_array_update_overlap_start(array_), DRI_SUCCESS) << DRI_error_message();
        refused(DRI_array_update_overlap_start(array_), "under way");
        refused(DRI_array_update_overlap(array_), "under way");
        refused(DRI_assign(array_, nullptr, other, nullptr, nullptr), "under way");
        refused(DRI_assign(other, nullptr, array_, nullptr, nullptr), "under way");
        refused(DRI_array_write(array_, put, nullptr), "under way");
        refused(DRI_domain_set(domain_, {}, next.data()), "under way");
        ASSERT_EQ(DRI_array_update_overlap_wait(array_), DRI_SUCCESS) << DRI_error_message();
        refused(DRI_array_update_overlap_wait(array_), "no update");
        expect_filled(turn);
    }
}

// An update that has timed out is under way until the same call is done.
TEST_F(Overlap, AfterADeadlineTheSameCallGoesOn) {
    if (world().size == 1)
        GTEST_SKIP() << "nobody comes late";
    make(plates()[0]);
    const Array other = make_array(domain_);
    expect_success(DRI_array_set_attr(array_, DRI_ARRAY_TIMEOUT_MS, 50), "DRI_array_set_attr");
    const auto update = [&] {
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = DRI_array_update_overlap(array_);
        return code;
    };
    ASSERT_EQ(update(), DRI_SUCCESS) << DRI_error_message();
    set(1);
    barrier();
    int code = DRI_SUCCESS;
    if (world().rank > 0)
        code = DRI_array_update_overlap(array_); // of many processes some may have no neighbour that is late
    barrier();
    const Ranges next{{1, 1, 2}, {1, 1, 2}};
    EXPECT_EQ(DRI_domain_set(domain_, {}, next.data()), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("update of overlap under way"), std::string::npos)
        << DRI_error_message();
    if (code == DRI_ERR_TIMEOUT) {
        EXPECT_EQ(DRI_array_update_overlap_start(array_), DRI_ERR_STATE);
        EXPECT_EQ(DRI_array_update_overlap_wait(array_), DRI_ERR_STATE);
    }
    if (code == DRI_ERR_TIMEOUT || world().rank == 0) {
        ASSERT_EQ(update(), DRI_SUCCESS) << DRI_error_message();
    }
    expect_filled(1);
    barrier();
    EXPECT_EQ(DRI_domain_set(domain_, {}, next.data()), DRI_SUCCESS) << DRI_error_message();
}

// The library ends what is left: memory, a plan, a kept update, and one that is under way.
TEST_F(Overlap, IsLeftToTheEndOfTheLibrary) {
    make(plates()[0]);
    for (const bool halves : {false, true}) {
        DRI_Array left{}, other{};
        expect_success(DRI_array_create(domain_, DRI_DOUBLE, nullptr, &left), "DRI_array_create");
        expect_success(DRI_array_create(domain_, DRI_DOUBLE, nullptr, &other), "DRI_array_create");
        ASSERT_EQ(DRI_assign(left, nullptr, other, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(DRI_array_update_overlap(left), DRI_SUCCESS) << DRI_error_message();
        if (halves) {
            ASSERT_EQ(DRI_array_update_overlap_start(left), DRI_SUCCESS) << DRI_error_message();
        }
    }
}

TEST_F(Overlap, ArraysWithoutOverlapAndAliases) {
    const Domain plain = make_domain(make_map({cyclic_dim(0)}, make_world()), {{0, 1, 9}});
    const Array array = make_array(plain);
    EXPECT_EQ(DRI_array_update_overlap(array), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_array_update_overlap_start(array), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_array_update_overlap(array), DRI_ERR_STATE);
    EXPECT_EQ(DRI_array_update_overlap_wait(array), DRI_SUCCESS) << DRI_error_message();
    make(plates()[0]);
    const Ranges inside{{1, 1, 2}, {1, 1, 2}};
    Array alias;
    expect_success(DRI_array_slice(array_, inside.data(), 0, alias.out()), "DRI_array_slice");
    EXPECT_EQ(DRI_array_update_overlap(alias), DRI_ERR_UNSUPPORTED);
    EXPECT_NE(std::string(DRI_error_message()).find("alias"), std::string::npos) << DRI_error_message();
    EXPECT_EQ(DRI_array_update_overlap_start(alias), DRI_ERR_UNSUPPORTED);
}

} // namespace
} // namespace dri::test
