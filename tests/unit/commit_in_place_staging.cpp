// How much staging a transfer in place receives within limits, for artificial plans.
#include "commit/in_place_staging.hpp"

#include "exec/lane_layout.hpp"
#include "plan/plan.hpp"
#include "support/dice.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace dri::test {
namespace {

using commit::in_place_staging;

int64_t source_bytes(const plan::Plan &plan, const exec::StagingBudget &staging) {
    return exec::send_layout(plan, staging).bytes();
}
int64_t sink_bytes(const plan::Plan &plan, const exec::StagingBudget &staging) {
    return exec::receive_layout(plan, staging).bytes();
}

plan::Message message_of(int64_t bytes) { return {0, bytes, {{bytes, 0, 0, {}}}, 0}; }

plan::Plan plan_of(const std::vector<int64_t> &lengths, int64_t sends_at_once) {
    plan::Plan plan;
    for (const int64_t bytes : lengths)
        plan.sends.push_back(message_of(bytes));
    plan.receives = plan.sends;
    plan.in_place.emplace();
    plan.in_place->packed_before.resize(lengths.size());
    plan.in_place->sends_at_once = sends_at_once;
    return plan;
}

// Compared with all larger numbers of slots, one after the other.
TEST(StagingInPlace, is_the_maximum_within_the_limit) {
    Dice dice(71);
    int64_t fit = 0, some = 0;
    for (int i = 0; i < dri::test::rounds(3000); ++i) {
        std::vector<int64_t> lengths(static_cast<size_t>(dice.range(1, 40)));
        for (int64_t &bytes : lengths)
            bytes = dice.chance(20) ? dice.range(1, 5000) : dice.range(1, 200);
        const auto all = std::ssize(lengths);
        const plan::Plan plan = plan_of(lengths, dice.range(1, all));
        const int64_t quota = dice.range(1, 100'000), source_limit = dice.range(0, 30'000),
                      sink_limit = dice.range(0, 10'000);
        const auto free = in_place_staging(plan, 1, {quota, INT64_MAX, INT64_MAX});
        ASSERT_TRUE(free);
        const exec::StagingBudget min = commit::min_in_place_staging(plan, 1, false);
        const auto limited = in_place_staging(plan, 1, {quota, source_limit, sink_limit});
        ASSERT_EQ(limited.has_value(),
                  source_bytes(plan, min) <= source_limit && sink_bytes(plan, min) <= sink_limit);
        if (!limited)
            continue;
        ++fit;
        ASSERT_LE(source_bytes(plan, *limited), source_limit);
        ASSERT_LE(sink_bytes(plan, *limited), sink_limit);
        ASSERT_GE(limited->sends_in_place, std::min(plan.in_place->sends_at_once, all));
        some += limited->sends_in_place < free->sends_in_place;
        for (exec::StagingBudget more = *limited; ++more.sends_in_place <= free->sends_in_place;)
            ASSERT_GT(source_bytes(plan, more), source_limit) << more.sends_in_place << " of " << all;
        for (exec::StagingBudget more = *limited; ++more.receives_in_place <= free->receives_in_place;)
            ASSERT_GT(sink_bytes(plan, more), sink_limit) << more.receives_in_place << " of " << all;
    }
    EXPECT_GT(fit, dri::test::rounds(300));
    EXPECT_GT(some, dri::test::rounds(20));
}

// Halos: short rows have a slot each, whatever the quota; stretches of the buffer need none, even if the others
// share one slot.
TEST(StagingInPlace, of_halos_has_slots_for_short_rows_and_none_for_stretches) {
    const plan::Message column{0, 400, {{8, 0, 0, {{50, 80, 8}}}}, 0}, row = message_of(1 << 18);
    plan::Plan plan = plan_of({}, 1);
    plan.sends = plan.receives = {row, row, column, column};
    plan.in_place->packed_before.resize(4);
    const auto as_it_lies =
        in_place_staging(plan, 1, {.quota = 10, .source_limit = INT64_MAX, .sink_limit = INT64_MAX});
    ASSERT_TRUE(as_it_lies);
    EXPECT_EQ(sink_bytes(plan, *as_it_lies), 1 << 18);
    plan.in_place->keeps_sent = true;
    commit::InPlaceMemory memory{
        .quota = 10, .source_limit = INT64_MAX, .sink_limit = INT64_MAX, .in_buffer = true};
    const auto halo = in_place_staging(plan, 1, memory);
    ASSERT_TRUE(halo);
    EXPECT_TRUE(halo->sends_from_buffer && halo->receives_into_buffer);
    EXPECT_EQ(source_bytes(plan, *halo), 2 * 448);
    EXPECT_EQ(sink_bytes(plan, *halo), 2 * 448);
    memory.sink_limit = 2 * 448 - 1;
    const auto limited = in_place_staging(plan, 1, memory);
    ASSERT_TRUE(limited);
    EXPECT_TRUE(limited->receives_into_buffer);
    EXPECT_EQ(sink_bytes(plan, *limited), 448);
    memory.sink_limit = 447;
    EXPECT_FALSE(in_place_staging(plan, 1, memory));
    memory.sink_limit = 1 << 18;
    memory.in_buffer = false;
    const auto given = in_place_staging(plan, 1, memory);
    ASSERT_TRUE(given);
    EXPECT_FALSE(given->sends_from_buffer || given->receives_into_buffer);
    EXPECT_EQ(sink_bytes(plan, *given), 1 << 18);
}

// One long column has a slot; it takes none of the rows out of the buffer.
TEST(StagingInPlace, of_halos_with_a_long_column_receives_rows_in_the_buffer) {
    const plan::Message column{0, 400'000, {{8, 0, 0, {{50'000, 80, 8}}}}, 0}, row = message_of(1 << 18);
    plan::Plan plan = plan_of({}, 1);
    plan.sends = plan.receives = {row, row, column, column};
    plan.in_place->packed_before.resize(4);
    plan.in_place->keeps_sent = true;
    const auto halo = in_place_staging(
        plan, 1, {.quota = 10, .source_limit = INT64_MAX, .sink_limit = INT64_MAX, .in_buffer = true});
    ASSERT_TRUE(halo);
    EXPECT_TRUE(halo->receives_into_buffer);
    EXPECT_EQ(sink_bytes(plan, *halo), 400'000);
}

// One long message among many short ones. Staging for all of them needs less memory than a few slots of its
// length. Under a tight limit only one slot remains. Trying one slot after the other would take hours.
TEST(StagingInPlace, of_many_messages_is_found_quickly) {
    constexpr int64_t many = 200'000, longest = int64_t{16} << 20, quota = int64_t{1} << 30;
    std::vector<int64_t> lengths(many, 64);
    lengths[many / 2] = longest;
    const plan::Plan plan = plan_of(lengths, 1);
    const auto free = in_place_staging(plan, 1, {quota, INT64_MAX, INT64_MAX});
    ASSERT_TRUE(free);
    EXPECT_EQ(free->sends_in_place, many);
    const auto begin = std::chrono::steady_clock::now();
    const auto limited = in_place_staging(plan, 1, {quota, longest + longest / 4, INT64_MAX});
    ASSERT_TRUE(limited);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(limited->sends_in_place, 1);
    EXPECT_LT(seconds, 30);
}

} // namespace
} // namespace dri::test
