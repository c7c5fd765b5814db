// The memory of lanes: what a layout says is what the exchanges made from it hold.
#include "exec/lane_layout.hpp"

#include "exec/control_channel.hpp"
#include "exec/message_lane.hpp"

#include "support/oracle_run.hpp"
#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

// Bytes that a transport reserves for the exchanges of a layout.
int64_t reserved(const exec::MessageLayout &layout) {
    const auto transport = std::move(make_loopback(3).front());
    int64_t bytes = 0;
    for (int64_t i = 0; i < layout.exchanges; ++i)
        bytes += transport->prepare(layout.spec)->memory_bytes();
    return bytes;
}

plan::Plan plan_of(const std::string &line, int64_t message_bytes,
                   planner::PlanFor made_for = planner::PlanFor::frames) {
    const TransferCase c = from_line(line);
    planner::PlanOptions options = c.options();
    options.message_bytes = message_bytes;
    options.made_for = made_for;
    return planner::make_plan(make_side(c, c.source), make_side(c, c.sink), options, 0);
}

} // namespace

TEST(LaneLayout, TellsWhatIsReserved) {
    for (const int64_t message_bytes : {int64_t{1} << 30, int64_t{1000}, int64_t{100}})
        for (const exec::StagingBudget &budget :
             {exec::StagingBudget{}, exec::StagingBudget{.frames = 3},
              exec::StagingBudget{.frames = 0, .per_receiver = 1},
              exec::StagingBudget{.frames = 0, .per_receiver = 2, .per_sender = 1}}) {
            const plan::Plan plan =
                plan_of("8B [96,90] block(3),* rm over 0-2 -> *,block(3) 10 over 0-2", message_bytes);
            const exec::LinkLayout layout = exec::link_layout(plan, budget);
            EXPECT_GT(layout.sends.bytes(), 0);
            EXPECT_EQ(layout.sends.bytes(), reserved(layout.sends.messages));
            EXPECT_EQ(layout.receives.bytes(), reserved(layout.receives));
            EXPECT_EQ(layout.sends.round_robin, budget.frames == 0);
        }
}

TEST(LaneLayout, GrowsWithTheFramesAndCreditsOfTheBudget) {
    const plan::Plan plan = plan_of("8B [96,90] block(3),* rm over 0-2 -> *,block(3) 10 over 0-2", 1000);
    const int64_t frame = exec::send_layout(plan, {.frames = 1}).bytes();
    EXPECT_EQ(exec::send_layout(plan, {.frames = 4}).bytes(), 4 * frame);
    int64_t before = 0;
    for (const int64_t credits : {1, 2, 5}) {
        const int64_t bytes = exec::send_layout(plan, {.frames = 0, .per_receiver = credits}).bytes();
        EXPECT_TRUE(before < bytes && bytes < frame) << credits;
        before = bytes;
    }
    EXPECT_EQ(exec::receive_layout(plan, {.per_sender = 2}).bytes(),
              2 * exec::receive_layout(plan, {.per_sender = 1}).bytes());
}

// Also if the frames of the source are strips, and if each message has a slot.
TEST(LaneLayout, OfLengthsAloneTellsTheSameBytes) {
    for (const char *line : {"8B [96,90] block(3),* rm over 0-2 -> *,block(3) 10 over 0-2",
                             "4B [300,200] cyclic(2,7),* rm over 0-1 -> *,cyclic(3,5) rm over 0-2"})
        for (const int64_t message_bytes : {1000, 100})
            for (exec::StagingBudget budget :
                 {exec::StagingBudget{.frames = 0, .per_receiver = 1, .per_sender = 1},
                  exec::StagingBudget{.frames = 0, .per_receiver = 3}, exec::StagingBudget{.frames = 2},
                  exec::StagingBudget{.frames = 5}})
                for (const int64_t strips : {1, 2})
                    for (budget.dense = false;; budget.dense = true) {
                        plan::Plan whole = plan_of(line, message_bytes),
                                   lengths = plan_of(line, message_bytes, planner::PlanFor::lengths);
                        EXPECT_LT(lengths.sends.size(), whole.sends.size()) << line;
                        for (plan::Plan *plan : {&whole, &lengths})
                            for (int64_t k = 1; strips > 1 && k <= strips; ++k)
                                plan->strips.push_back({0, k == strips ? plan->sends.size() : 0, 0, 0});
                        EXPECT_EQ(exec::send_layout(lengths, budget).bytes(),
                                  exec::send_layout(whole, budget).bytes());
                        EXPECT_EQ(exec::receive_layout(lengths, budget).bytes(),
                                  exec::receive_layout(whole, budget).bytes());
                        if (budget.dense)
                            break;
                    }
}

// With a slot for each send, slots are as long as their messages; otherwise as the longest.
TEST(LaneLayout, InPlacePoolsSlotsOfAllPeers) {
    plan::Plan plan;
    plan.sends = {sent(1, 64, 0), sent(2, 640, 64)};
    plan.receives = {received(1, 64, 0), received(2, 640, 64)};
    plan.in_place = plan::InPlaceOrder{{1, 2}, 1};
    EXPECT_EQ(exec::send_layout(plan, {.sends_in_place = 1}).bytes(), 640);
    EXPECT_EQ(exec::send_layout(plan, {.sends_in_place = 2}).bytes(), 704);
    EXPECT_EQ(exec::receive_layout(plan, {.receives_in_place = 1}).bytes(), 640);
}

TEST(LaneLayout, TellsWhatControlChannelsReserve) {
    for (const exec::MessageLayout &layout :
         {exec::control_sends({1, 2}, 8, 3), exec::control_sends({1}, 40, 1), exec::control_receives(2, 40)}) {
        EXPECT_GT(layout.bytes(), 0);
        EXPECT_EQ(layout.bytes(), reserved(layout));
    }
    EXPECT_EQ(exec::control_sends({}, 8, 3).bytes(), 0);
}

TEST(LaneLayout, WithoutMessagesNeedsNothing) {
    const exec::LinkLayout layout = exec::link_layout({}, {.frames = 5});
    EXPECT_EQ(layout.sends.bytes() + layout.receives.bytes(), 0);
    EXPECT_EQ(layout.sends.messages.exchanges + layout.receives.exchanges, 0);
}

} // namespace dri::test
