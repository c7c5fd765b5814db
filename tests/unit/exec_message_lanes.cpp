// The lanes of messages alone: what is packed when, and what happens to messages of processes that leave.
#include "exec/message_lane.hpp"

#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

using exec::ReceiveLane;
using exec::SendAhead;
using exec::SendLane;
using Posted = std::vector<size_t>;

// Two messages to process 1, two to process 2, and one to process 3.
plan::Plan five_sends() {
    plan::Plan plan;
    plan.sends = {sent(1, 2, 0), sent(1, 2, 2), sent(2, 2, 4), sent(2, 2, 6), sent(3, 2, 8)};
    return plan;
}

plan::Plan three_receives() {
    plan::Plan plan;
    plan.receives = {received(1, 2, 0), received(2, 2, 2), received(2, 2, 4)};
    return plan;
}

// Messages that are stretches of the buffer, one behind the other.
std::vector<plan::Message> rows_to(int peer, int64_t count, int64_t bytes) {
    std::vector<plan::Message> all;
    for (int64_t i = 0; i < count; ++i)
        all.push_back(sent(peer, bytes, i * bytes));
    return all;
}

// A message of elements that lie apart.
plan::Message column_to(int peer) { return {peer, 4, {{2, 0, 0, {{2, 8, 2}}}}, 0}; }

// A plan in place of these messages.
plan::Plan in_place(const std::vector<std::vector<plan::Message>> &lists) {
    plan::Plan plan;
    for (const std::vector<plan::Message> &list : lists)
        plan.sends.insert(plan.sends.end(), list.begin(), list.end());
    plan.in_place = plan::InPlaceOrder{{}, 1};
    return plan;
}

} // namespace

TEST(SendLane, PacksFewMessagesAheadAndThenAll) {
    LaneMaker maker(five_sends());
    auto lane = maker.make<SendLane>();
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string source = "aabbccddee";
    lane.begin({.number = 0});
    while (lane.post_next(bytes_of(source), SendAhead::few))
        continue;
    EXPECT_EQ(exchange.posted, (Posted{0, 1, 2}));
    EXPECT_TRUE(lane.left());
    while (lane.post_next(bytes_of(source), SendAhead::all))
        continue;
    EXPECT_EQ(exchange.posted, (Posted{0, 1, 2, 3, 4}));
    EXPECT_EQ(std::memcmp(exchange.send_data(3), "dd", 2), 0);
    EXPECT_FALSE(lane.left());
    EXPECT_EQ(lane.packed(), 5u);
    EXPECT_FALSE(lane.done());
    exchange.land();
    EXPECT_TRUE(lane.done());
}

TEST(SendLane, WaitsForTheMessagesOfTheFrameBefore) {
    LaneMaker maker(five_sends());
    auto lane = maker.make<SendLane>({.frames = 1});
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string source = "aabbccddee";
    lane.begin({.number = 0});
    while (lane.post_next(bytes_of(source), SendAhead::all))
        continue;
    lane.begin({.number = 1});
    EXPECT_FALSE(lane.post_next(bytes_of(source), SendAhead::all));
    const auto blocking = lane.blocking_receiver();
    ASSERT_TRUE(blocking);
    EXPECT_EQ(std::pair(blocking->peer, blocking->frames_before), std::pair(3, int64_t{1}));
    exchange.land();
    EXPECT_TRUE(lane.post_next(bytes_of(source), SendAhead::all));
}

TEST(SendLane, UsesAnExchangePerFrameThatFits) {
    LaneMaker maker(five_sends());
    auto lane = maker.make<SendLane>({.frames = 2});
    ASSERT_EQ(LaneExchange::all.size(), 2u);
    std::string source = "aabbccddee";
    for (int64_t frame = 0; frame < 2; ++frame) {
        lane.begin({.number = frame});
        EXPECT_TRUE(lane.post_next(bytes_of(source), SendAhead::all)) << frame;
        EXPECT_EQ(LaneExchange::all.at(static_cast<size_t>(frame))->posted, Posted{0});
    }
}

// With less memory than a frame needs, no process waits until all messages of another one are sent.
TEST(SendLane, ServesReceiversRoundRobinIfAFrameDoesNotFit) {
    LaneMaker maker(five_sends());
    auto lane = maker.make<SendLane>({.frames = 0, .per_receiver = 1});
    LaneExchange &exchange = *LaneExchange::all.at(0);
    exchange.free_slots = 3;
    std::string source = "aabbccddee";
    lane.begin({.number = 0});
    while (lane.post_next(bytes_of(source), SendAhead::all))
        continue;
    EXPECT_EQ(exchange.posted, (Posted{0, 2, 4}));
    EXPECT_EQ(lane.blocking_receiver()->peer, 1);
    exchange.land();
    while (lane.post_next(bytes_of(source), SendAhead::all))
        continue;
    EXPECT_EQ(exchange.posted, (Posted{0, 2, 4, 1, 3}));
}

// A stretch of the buffer is sent from there. The buffer is held until it has left, and its receiver is named.
TEST(SendLane, HoldsTheBufferThatItSendsFrom) {
    plan::Plan plan;
    plan.sends = {sent(1, 2, 4), column_to(2)};
    plan.receives = {received(1, 2, 0), received(2, 2, 6)};
    plan.in_place = plan::InPlaceOrder{{0, 0}, 1};
    LaneMaker maker(std::move(plan));
    const exec::StagingBudget budget{.sends_in_place = 1, .receives_in_place = 1, .sends_from_buffer = true};
    const exec::SendLayout layout = exec::send_layout(*maker.plan(), budget);
    EXPECT_EQ(layout.messages.spec.sends_at, (std::vector<int64_t>{4, transport::in_staging}));
    EXPECT_EQ(layout.messages.spec.answered, (std::vector<char>{1, 1}));
    EXPECT_EQ(layout.bytes(), 64) << "one slot, for the message that is packed";
    auto lane = maker.make<SendLane>(budget);
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string source = "ab..cd..ef";
    EXPECT_FALSE(lane.holds_buffer());
    lane.begin({.number = 0, .origin = bytes_of(source)});
    EXPECT_EQ(exchange.origin, bytes_of(source));
    EXPECT_TRUE(lane.holds_buffer());
    EXPECT_TRUE(lane.post_next(bytes_of(source), SendAhead::all));
    EXPECT_EQ(std::memcmp(exchange.send_data(0), "\0\0", 2), 0) << "nothing is packed";
    EXPECT_FALSE(lane.lets_go()) << "a message is left";
    EXPECT_TRUE(lane.post_next(bytes_of(source), SendAhead::all));
    EXPECT_EQ(std::memcmp(exchange.send_data(1), "abef", 4), 0);
    EXPECT_FALSE(lane.left());
    EXPECT_FALSE(lane.lets_go());
    const auto blocking = lane.blocking_receiver();
    ASSERT_TRUE(blocking);
    EXPECT_EQ(std::pair(blocking->peer, blocking->frames_before), std::pair(2, int64_t{0}));
    exchange.land();
    EXPECT_TRUE(lane.holds_buffer());
    EXPECT_TRUE(lane.lets_go());
    EXPECT_FALSE(lane.holds_buffer() || lane.lets_go());
    EXPECT_FALSE(lane.blocking_receiver());
}

// In a look MPI copies all long messages that it finds. What is not packed is therefore posted before.
TEST(SendLane, PostsAllThatIsNotPackedAtOnce) {
    constexpr int64_t bytes = 100'000, messages = 5;
    std::string source(bytes * messages, 'a');
    for (const bool from_buffer : {true, false}) {
        LaneMaker maker(in_place({rows_to(1, messages, bytes)}));
        auto lane = maker.make<SendLane>({.sends_in_place = messages, .sends_from_buffer = from_buffer});
        lane.begin({.number = 0, .origin = bytes_of(source)});
        EXPECT_EQ(lane.next_is_quick(), from_buffer);
        size_t posted = 0;
        while (lane.post_next(bytes_of(source), SendAhead::few))
            ++posted;
        EXPECT_EQ(posted, from_buffer ? messages : 3);
        EXPECT_FALSE(lane.next_is_quick());
    }
}

// Rows of two neighbours, and between them a column, which is packed. It comes last, and rows under way do not
// hold it up, because they take no slots.
TEST(SendLane, PostsRowsFirstAndThenPacksColumns) {
    constexpr int64_t bytes = 100'000;
    LaneMaker maker(in_place({rows_to(1, 4, bytes), {column_to(1)}, rows_to(2, 4, bytes)}));
    auto lane = maker.make<SendLane>({.sends_in_place = 1, .sends_from_buffer = true});
    std::string source(4 * bytes, 'a');
    lane.begin({.number = 0, .origin = bytes_of(source)});
    do {
        lane.post_next(bytes_of(source), SendAhead::few);
    } while (lane.next_is_quick());
    EXPECT_EQ(LaneExchange::all.at(0)->posted, (Posted{0, 1, 2, 3, 5, 6, 7, 8, 4}));
    EXPECT_FALSE(lane.left());
}

// The receiver posts what it receives into its buffer first. A row behind a column of the same neighbour would
// arrive before it.
TEST(SendLane, PostsNoRowBeforeAColumnOfTheSameNeighbour) {
    constexpr int64_t bytes = 5000;
    LaneMaker maker(in_place({rows_to(1, 1, bytes), {column_to(1)}, rows_to(1, 1, bytes), rows_to(2, 1, bytes)}));
    auto lane = maker.make<SendLane>({.sends_in_place = 1, .sends_from_buffer = true});
    std::string source(bytes, 'a');
    lane.begin({.number = 0, .origin = bytes_of(source)});
    while (lane.post_next(bytes_of(source), SendAhead::all))
        continue;
    EXPECT_EQ(LaneExchange::all.at(0)->posted, (Posted{0, 3, 1, 2}));
}

// MPI needs memory for each message under way, so a long list of them is not posted in one go.
TEST(SendLane, LooksBetweenManyMessagesThatAreNotPacked) {
    constexpr int64_t bytes = 5000, messages = 1000;
    LaneMaker maker(in_place({rows_to(1, messages, bytes)}));
    auto lane = maker.make<SendLane>({.sends_in_place = 1, .sends_from_buffer = true});
    std::string source(messages * bytes, 'a');
    lane.begin({.number = 0, .origin = bytes_of(source)});
    do {
        EXPECT_TRUE(lane.post_next(bytes_of(source), SendAhead::few));
    } while (lane.next_is_quick());
    EXPECT_EQ(lane.packed(), 256u);
}

// A short message to a process that sends nothing back is packed, so that its sender need not wait for that
// process.
TEST(SendLane, PacksShortMessagesThatAreNotAnswered) {
    plan::Plan plan;
    plan.sends = {sent(1, 2, 4), sent(2, 5000, 10), sent(3, 2, 6)};
    plan.receives = {received(3, 2, 0)};
    EXPECT_EQ(exec::sends_in_buffer(plan), (std::vector<int64_t>{transport::in_staging, 10, 6}));
    plan.sends.resize(1);
    EXPECT_TRUE(exec::sends_in_buffer(plan).empty());
}

// MPI matches the receives of one sender in the order of posting, and those in staging may wait for a slot.
TEST(ReceiveLane, ReceivesNothingInTheBufferBehindAMessageInStaging) {
    constexpr int64_t in = transport::in_staging;
    const auto packed = [](int peer) { return plan::Message{peer, 4, {{2, 0, 0, {{2, 2, 8}}}}, 0}; };
    plan::Plan plan;
    plan.receives = {received(1, 2, 4), packed(1), received(1, 2, 20), received(2, 2, 40), packed(2)};
    EXPECT_EQ(exec::receives_in_buffer(plan), (std::vector<int64_t>{4, in, in, 40, in}));
}

TEST(ReceiveLane, UnpacksNothingThatArrivesInTheBuffer) {
    plan::Plan plan;
    plan.receives = {received(1, 2, 4), {2, 4, {{2, 0, 0, {{2, 2, 8}}}}, 0}};
    plan.in_place = plan::InPlaceOrder{{0, 0}, 0};
    LaneMaker maker(std::move(plan));
    const exec::StagingBudget budget{.receives_in_place = 1, .receives_into_buffer = true};
    const exec::MessageLayout layout = exec::receive_layout(*maker.plan(), budget);
    EXPECT_EQ(layout.spec.receives_at, (std::vector<int64_t>{4, transport::in_staging}));
    EXPECT_EQ(layout.bytes(), 64);
    auto lane = maker.make<ReceiveLane>(budget);
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string sink = "..........";
    lane.set_origin(bytes_of(sink));
    EXPECT_EQ(exchange.origin, bytes_of(sink));
    lane.begin();
    exec::OffsetConsensus consensus;
    exchange.arrive(0, "xx");
    exchange.arrive(1, "abef");
    EXPECT_TRUE(lane.unpack_next(bytes_of(sink), consensus) && lane.unpack_next(bytes_of(sink), consensus));
    EXPECT_EQ(sink, "ab......ef") << "MPI has written the other message, or will not";
    EXPECT_EQ(exchange.released, (Posted{0, 1}));
    EXPECT_FALSE(lane.left() || lane.pending());
}

TEST(SendLane, LeavesOutReceiversThatHaveLeft) {
    LaneMaker maker(five_sends());
    auto lane = maker.make<SendLane>();
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string source = "aabbccddee";
    lane.begin({.number = 0});
    EXPECT_TRUE(lane.post_next(bytes_of(source), SendAhead::all));
    exchange.depart(1, false, 0);
    exchange.depart(3, false, 0);
    while (lane.post_next(bytes_of(source), SendAhead::all))
        continue;
    EXPECT_EQ(exchange.posted, (Posted{0, 2, 3}));
    EXPECT_FALSE(lane.left());
    EXPECT_EQ(lane.receiver_left(0)->peer, 1);
    EXPECT_EQ(lane.receiver_left(0)->frames, 0);
}

TEST(SendLane, ReportsTheCloseAtOnceAndLeavesOnce) {
    LaneMaker maker(five_sends());
    auto lane = maker.make<SendLane>();
    lane.begin({.number = 4, .closes = true});
    EXPECT_FALSE(lane.left()) << "the close is a header alone";
    EXPECT_EQ(LaneExchange::all.at(0)->announced, std::pair(int64_t{4}, transport::Leave::complete));
    lane.leave(4, transport::Leave::early);
    EXPECT_FALSE(lane.any());
}

TEST(SendLane, ThatLeavesHasNoStepsAndKeepsWhatItPacked) {
    LaneMaker maker(five_sends());
    auto lane = maker.make<SendLane>();
    std::string source = "aabbccddee";
    lane.begin({.number = 0});
    EXPECT_TRUE(lane.post_next(bytes_of(source), SendAhead::all) &&
                lane.post_next(bytes_of(source), SendAhead::all));
    lane.leave(0, transport::Leave::early);
    EXPECT_FALSE(lane.left() || lane.post_next(bytes_of(source), SendAhead::all));
    EXPECT_FALSE(lane.blocking_receiver());
    EXPECT_TRUE(lane.done());
    EXPECT_EQ(lane.packed(), 2u) << "in place, received messages may go where these have been";
}

TEST(SendLane, WithoutMessagesHasNoSteps) {
    SendLane lane;
    std::string source = "a";
    lane.begin({.number = 0});
    EXPECT_FALSE(lane.left() || lane.any() || lane.post_next(bytes_of(source), SendAhead::all));
    EXPECT_TRUE(lane.done());
}

TEST(ReceiveLane, UnpacksInTheOrderOfArrival) {
    LaneMaker maker(three_receives());
    auto lane = maker.make<ReceiveLane>();
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string sink = "......";
    exec::OffsetConsensus consensus;
    lane.begin();
    EXPECT_FALSE(lane.unpack_next(bytes_of(sink), consensus));
    EXPECT_EQ(lane.pending(), 1);
    exchange.arrive(2, "cc");
    exchange.arrive(0, "aa");
    EXPECT_TRUE(lane.unpack_next(bytes_of(sink), consensus));
    EXPECT_EQ(sink, "....cc");
    EXPECT_EQ(exchange.released, Posted{2}) << "its memory serves the next message at once";
    EXPECT_TRUE(lane.unpack_next(bytes_of(sink), consensus));
    EXPECT_EQ(lane.pending(), 2);
    EXPECT_TRUE(lane.left());
    exchange.arrive(1, "bb");
    EXPECT_TRUE(lane.unpack_next(bytes_of(sink), consensus));
    EXPECT_EQ(sink, "aabbcc");
    EXPECT_FALSE(lane.left());
    EXPECT_EQ(lane.pending(), std::nullopt);
}

// A sum over all messages for each of them would be 10^11 steps here, which take minutes.
TEST(ReceiveLane, IsMadeInOnePassOverItsMessages) {
    constexpr int64_t messages = 300'000;
    plan::Plan plan;
    plan::CopyForms forms;
    for (int64_t i = 0; i < messages; ++i) {
        plan.receives.push_back(received(1, 2, 2 * i));
        forms.share(plan.receives.back().copies);
    }
    LaneMaker maker(std::move(plan));
    EXPECT_EQ(maker.make<ReceiveLane>().size(), size_t{messages});
}

TEST(ReceiveLane, MissesOnlySendersThatLeftBeforeTheFrame) {
    LaneMaker maker(three_receives());
    auto lane = maker.make<ReceiveLane>();
    LaneExchange &exchange = *LaneExchange::all.at(0);
    exchange.depart(2, true, 3, transport::Leave::complete);
    EXPECT_FALSE(lane.lost(2)) << "it has sent that frame";
    EXPECT_EQ(lane.lost(3)->peer, 2);
    exchange.depart(1, true, 1);
    EXPECT_EQ(lane.lost(3)->peer, 1) << "it left before the end";
}

TEST(ReceiveLane, TakesNothingAfterTheEnd) {
    LaneMaker maker(three_receives());
    auto lane = maker.make<ReceiveLane>();
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string sink = "......";
    exec::OffsetConsensus consensus;
    lane.begin();
    exchange.arrive(0, "aa");
    lane.end(5);
    EXPECT_EQ(exchange.announced, std::pair(int64_t{5}, transport::Leave::complete));
    EXPECT_FALSE(lane.unpack_next(bytes_of(sink), consensus));
    EXPECT_EQ(sink, "......");
    exchange.announced.reset();
    lane.leave(5);
    EXPECT_FALSE(lane.any());
}

TEST(ReceiveLane, ObservesTheOffsetBehindTheData) {
    plan::Plan plan = three_receives();
    plan.note_bytes = plan::window_note_bytes;
    LaneMaker maker(std::move(plan));
    auto lane = maker.make<ReceiveLane>();
    LaneExchange &exchange = *LaneExchange::all.at(0);
    std::string sink = "......";
    exec::OffsetConsensus consensus;
    consensus.begin();
    lane.begin();
    for (const size_t message : {size_t{0}, size_t{1}}) {
        Dims offset(2, static_cast<int64_t>(message));
        std::string text(2 + sizeof offset, 'x');
        std::memcpy(text.data() + 2, &offset, sizeof offset);
        exchange.arrive(message, text);
        EXPECT_EQ(consensus.mismatch().has_value(), false);
        EXPECT_TRUE(lane.unpack_next(bytes_of(sink), consensus));
    }
    ASSERT_TRUE(consensus.mismatch());
    EXPECT_EQ(std::pair(consensus.mismatch()->first, consensus.mismatch()->second), std::pair(1, 2));
}

} // namespace dri::test
