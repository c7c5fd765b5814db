// Plans in place whose parts are put in order: their messages, pieces and staging.
#include "support/plan_difference.hpp"
#include "support/plan_in_place.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace dri::test {
namespace {

TEST(ArrangedPlans, have_contiguous_messages_and_staging_for_one) {
    const plan::Plan plan = plan_in_place("8B [4096,2048] block(4),* rm -> *,block(4) cm", 1, true);
    EXPECT_EQ(plan.in_place->sends_at_once, 1);
    EXPECT_FALSE(plan.in_place->before.empty());
    EXPECT_FALSE(plan.in_place->after.empty());
    const int64_t part = int64_t{4096} * 2048 * 8 / 4;
    EXPECT_EQ(plan::pieces_bytes(plan.in_place->before), part);
    EXPECT_EQ(plan::pieces_bytes(plan.in_place->after), part);
    std::set<int64_t> offsets;
    for (const plan::Message &m : plan.sends) {
        ASSERT_EQ(m.copies.size(), 1u);
        EXPECT_TRUE(m.copies[0].loops.empty());
        EXPECT_LE(m.bytes, part / 4 / 8) << "an eighth of 1/P";
        EXPECT_TRUE(offsets.insert(m.copies[0].src_offset).second);
    }
    // A part that is already in order is not moved: rows cut by columns arrive as blocks of rows.
    const plan::Plan by_rows = plan_in_place("8B [4096,2048] block(4),* rm -> *,block(4) rm", 1, true);
    EXPECT_FALSE(by_rows.in_place->before.empty());
    EXPECT_TRUE(by_rows.in_place->after.empty());
}

// Of parts that grow or shrink, too. Messages of a round have one peer, and their pieces are joined.
TEST(ArrangedPlans, of_short_messages_have_few_pieces_and_staging_for_few) {
    for (const int64_t p : {4, 16, 64}) {
        const int64_t rows = 60 * p + p / 2, columns = 90 * p + 1, part = rows * columns * 8 / p;
        for (const int rank : {0, static_cast<int>(p) - 1})
            for (const char *sink : {"rm", "cm"}) {
                const plan::Plan plan = plan_in_place(
                    fmt::format("8B [{2},{3}] block({0}),* rm -> *,block({0}) {1}", p, sink, rows, columns), rank,
                    true, 512);
                const size_t of_pairs = static_cast<size_t>(8 * p); // eight of each pair
                const auto &[before, after] = std::tie(plan.in_place->before, plan.in_place->after);
                EXPECT_GE(plan.sends.size(), 6 * of_pairs);
                EXPECT_LE(after.size(), 2 * of_pairs) << sink;
                EXPECT_LE(before.size(), sink == std::string("rm") ? of_pairs : plan.sends.size());
                EXPECT_LE(bytes_at_once(plan), part / p) << plan.in_place->sends_at_once << " sends at once";
            }
    }
}

TEST(ArrangedPlans, do_not_grow_with_the_array) {
    std::set<size_t> sends, pieces;
    for (const char *sizes : {"[40960,20480]", "[1048576,2097152]", "[100000000,200000000]"}) {
        const plan::Plan plan =
            plan_in_place(fmt::format("8B {} block(16),* rm -> *,block(16) cm", sizes), 5, true);
        sends.insert(plan.sends.size());
        for (const auto *list : {&plan.in_place->before, &plan.in_place->after}) {
            pieces.insert(list->size());
            EXPECT_FALSE(list->empty());
        }
    }
    EXPECT_LE(*sends.rbegin(), 64u * 16);
    EXPECT_LE(*pieces.rbegin(), 64u * 16);
}

// - Elements that several processes receive. In a part that is put in order, each element has one address.
// - Elements that a sink does not receive. Putting the part in order would lose them.
// - Lists: in rising order as they lie, tables are cut into slabs.
// - Numbers that are converted.
// - Square turns whose layout turns with the cut: each message fills the place of another one.
TEST(ArrangedPlans, of_other_shapes_are_those_of_parts_as_they_lie) {
    Dice dice(86);
    const std::string list = dealt_lists(dice, 400, 4, true);
    for (const std::string &line :
         {std::string("8B [40,30] block(3),* rm -> *,block(3)<1:1> cm"),
          std::string("8B [4096,2048] at[0,0]+[4000,2048] block(4),* rm -> *,block(4) cm"),
          std::string("8B [4096,2048] at[0,8]+[4096,2040] block(4),* rm -> at[0,0]+[4096,2040] *,block(4) cm"),
          fmt::format("8B [400,300] {},* rm over 0-3 -> *,block(4) cm over 0-3", list),
          fmt::format("8B [400,300] *,block(4) rm over 0-3 -> {},* rm over 0-3", list),
          std::string("int16 [400,300] block(4),* rm -> *,block(4) cm to=float"),
          std::string("int16 [400,300] block(4),* rm -> *,block(4) cm scale=0.5"),
          std::string("8B [401,401] block(4),* rm -> *,block(4) cm"),
          std::string("8B [403,403] cyclic(4,3),* cm -> *,cyclic(4,3) rm"),
          std::string("8B [41,7,41] block(4),*,* rm -> *,*,block(4) cm")})
        for (const int rank : {0, 1, 2}) {
            const plan::Plan compact = plan_in_place(line, rank, true);
            EXPECT_TRUE(compact.in_place->before.empty()) << line.substr(0, 70);
            EXPECT_TRUE(compact.in_place->after.empty()) << line.substr(0, 70);
            EXPECT_FALSE(compact.sends.empty()) << line.substr(0, 70);
            EXPECT_EQ(find_difference(compact, plan_in_place(line, rank, false)), "") << line.substr(0, 70);
        }
}

// A list of a few ranges is a few loops, and each of them is put in order.
TEST(ArrangedPlans, of_short_lists_are_put_in_order) {
    const plan::Plan plan = plan_in_place(
        "8B [4096,2048] idx(0-1023:2048-3071|1024-2047:3072-4095),* rm over 0-1 -> *,block(2) cm over 0-1", 1,
        true);
    EXPECT_EQ(plan.in_place->sends_at_once, 1);
    EXPECT_FALSE(plan.in_place->before.empty());
}

} // namespace
} // namespace dri::test
