// How much staging a transfer in place receives within limits, for artificial plans.
#include "commit/in_place.hpp"
#include "commit/memory_estimate.hpp"

#include "support/dice.hpp"
#include "support/random_case.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace dri::test {
namespace {

// Both endpoints of one process with a buffer of `bytes` bytes and a given plan.
struct MadeUp {
    commit::MatchedTransfer matched;
    commit::DraftTransfer draft;

    MadeUp(int64_t bytes, plan::Plan plan, int64_t source_limit, int64_t sink_limit) {
        const TransferCase c = from_line(fmt::format("1B [{}] * rm over 0 -> * rm over 0", bytes));
        matched = {.name = "made up",
                   .source = make_side(c, c.source),
                   .sinks = {make_side(c, c.sink)},
                   .tags = {1},
                   .drops = {false},
                   .options = c.options(),
                   .nodes = std::make_shared<planner::NodeMap>()};
        matched.options.in_place = true;
        const auto endpoint = [&](commit::Role role, const planner::Side &side, int64_t limit) {
            commit::Declaration d{"made up", role, side.dist, {}, {nullptr}, {}};
            d.attributes.workspace_limit = limit;
            d.attributes.in_place = 1;
            return std::make_shared<commit::Endpoint>(std::move(d), 0);
        };
        draft.matched = &matched;
        draft.source_endpoint = endpoint(commit::Role::source, matched.source, source_limit);
        draft.flows.emplace_back();
        draft.flows.front().plan = std::make_shared<const plan::Plan>(std::move(plan));
        draft.flows.front().endpoint = endpoint(commit::Role::sink, matched.sinks[0], sink_limit);
    }
    exec::StagingBudget &staging() { return draft.flows.front().staging; }
    int64_t source_bytes() const { return commit::source_estimate(draft).workspace(); }
    int64_t sink_bytes() const { return commit::sink_estimate(draft, draft.flows.front(), {}).workspace(); }
};

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
        const int64_t bytes = dice.range(1, 100'000), source_limit = dice.range(0, 30'000),
                      sink_limit = dice.range(0, 10'000);
        MadeUp free(bytes, plan, commit::no_limit, commit::no_limit),
            limited(bytes, plan, source_limit, sink_limit), min(bytes, plan, commit::no_limit, commit::no_limit);
        ASSERT_TRUE(commit::fit_in_place(free.draft));
        commit::give_min_staging_in_place(min.draft);
        const bool fits = commit::fit_in_place(limited.draft);
        ASSERT_EQ(fits, min.source_bytes() <= source_limit && min.sink_bytes() <= sink_limit);
        if (!fits)
            continue;
        ++fit;
        ASSERT_LE(limited.source_bytes(), source_limit);
        ASSERT_LE(limited.sink_bytes(), sink_limit);
        ASSERT_GE(limited.staging().sends_in_place, std::min(plan.in_place->sends_at_once, all));
        some += limited.staging().sends_in_place < free.staging().sends_in_place;
        for (int64_t more = limited.staging().sends_in_place + 1; more <= free.staging().sends_in_place; ++more) {
            MadeUp other(bytes, plan, commit::no_limit, commit::no_limit);
            other.staging().sends_in_place = more;
            ASSERT_GT(other.source_bytes(), source_limit) << more << " slots of " << all;
        }
        for (int64_t more = limited.staging().receives_in_place + 1; more <= free.staging().receives_in_place;
             ++more) {
            MadeUp other(bytes, plan, commit::no_limit, commit::no_limit);
            other.staging().receives_in_place = more;
            ASSERT_GT(other.sink_bytes(), sink_limit) << more << " slots of " << all;
        }
    }
    EXPECT_GT(fit, dri::test::rounds(300));
    EXPECT_GT(some, dri::test::rounds(20));
}

// One long message among many short ones. Staging for all of them needs less memory than a few slots of its
// length. Under a tight limit only one slot remains. Trying one slot after the other would take hours.
TEST(StagingInPlace, of_many_messages_is_found_quickly) {
    constexpr int64_t many = 200'000, longest = int64_t{16} << 20;
    std::vector<int64_t> lengths(many, 64);
    lengths[many / 2] = longest;
    MadeUp one(int64_t{1} << 30, plan_of(lengths, 1), commit::no_limit, commit::no_limit);
    ASSERT_TRUE(commit::fit_in_place(one.draft));
    EXPECT_EQ(one.staging().sends_in_place, many);
    MadeUp limited(int64_t{1} << 30, plan_of(lengths, 1), longest + longest / 4, commit::no_limit);
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(commit::fit_in_place(limited.draft));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(limited.staging().sends_in_place, 1);
    EXPECT_LT(seconds, 30);
}

} // namespace
} // namespace dri::test
