// Lists that share their memory: the columns of a table, and the copies of messages.
#include "plan/column.hpp"
#include "plan/copy_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dri::test {

namespace {

plan::Column column_of(const std::vector<int64_t> &values) {
    return {values.size(), [&](const auto &take) { std::for_each(values.begin(), values.end(), take); }};
}

// Reads a column in both ways.
void expect_values(const plan::Column &column, const std::vector<int64_t> &values) {
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(column[i], values[i]) << i;
    column.with([&](const auto &get) {
        for (size_t i = 0; i < values.size(); ++i)
            EXPECT_EQ(get(i), values[i]) << i;
    });
}

plan::StridedCopy copy_at(int64_t src, int64_t dst, int64_t run = 8) { return {run, src, dst, {{4, 16, 8}}}; }

} // namespace

TEST(Column, takes_as_few_bytes_as_its_values_need) {
    const int64_t far = int64_t{UINT32_MAX};
    const struct {
        std::vector<int64_t> values;
        int64_t bytes; // for each value
    } cases[]{
        {{7}, 0},
        {{5, 5, 5}, 0},
        {{100, 90, 80, 70}, 0},
        {{3, -4, 10}, 4},
        {{far - 1, 0, 1}, 4},
        {{-1, far - 1, 0}, 4},
        {{-1, far, 0}, 8},
        {{INT64_MAX / 2, 1 - INT64_MAX / 2, 0}, 8},
    };
    for (const auto &c : cases) {
        const plan::Column column = column_of(c.values);
        EXPECT_EQ(column.heap_bytes(), c.bytes * std::ssize(c.values)) << c.values[0];
        expect_values(column, c.values);
    }
}

TEST(CopyList, moved_copies_share_their_form) {
    plan::CopyForms forms;
    plan::CopyList a{copy_at(0, 0), copy_at(100, 32)}, b{copy_at(1000, 8), copy_at(1100, 40)};
    const plan::CopyList before = b;
    forms.share(a);
    forms.share(b);
    EXPECT_EQ(&a.form(), &b.form());
    EXPECT_EQ(b, before);
    EXPECT_EQ(b[1], copy_at(1100, 40));
    EXPECT_NE(a, b);
}

TEST(CopyList, other_copies_do_not_share) {
    const plan::CopyList first{copy_at(0, 0), copy_at(100, 32)};
    for (const plan::CopyList &other :
         {plan::CopyList{copy_at(0, 0), copy_at(101, 32)}, plan::CopyList{copy_at(0, 0), copy_at(100, 33)},
          plan::CopyList{copy_at(0, 0, 4), copy_at(100, 32)}, plan::CopyList{copy_at(0, 0)},
          plan::CopyList{copy_at(0, 0), {8, 100, 32, {}, {{0, 0, {{0, 0, 1}, {9, 8, 1}, {1, 16, 1}}}}}}}) {
        plan::CopyForms forms;
        plan::CopyList a = first, b = other;
        forms.share(a);
        forms.share(b);
        EXPECT_NE(&a.form(), &b.form());
        EXPECT_EQ(a, first);
        EXPECT_EQ(b, other);
    }
}

TEST(CopyList, a_change_leaves_the_others_as_they_are) {
    plan::CopyForms forms;
    plan::CopyList a{copy_at(0, 0)}, b{copy_at(64, 0)};
    forms.share(a);
    forms.share(b);
    b.change()[0].dst_offset = 24;
    b.push_back(copy_at(1, 2));
    EXPECT_EQ(a, plan::CopyList{copy_at(0, 0)});
    EXPECT_EQ(b, (plan::CopyList{copy_at(64, 24), copy_at(1, 2)}));
    EXPECT_EQ(b.size(), 2u);
    EXPECT_EQ(b.back(), copy_at(1, 2));
    EXPECT_TRUE(plan::CopyList().empty());
}

} // namespace dri::test
