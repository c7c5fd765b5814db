// The lane of a buffer that source and sink share: nothing is overwritten before it is packed.
#include "exec/in_place_lane.hpp"

#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

using exec::InPlaceLane;
using exec::ReceiveLane;
using exec::SendAhead;
using exec::SendLane;

// Swaps two pairs of bytes with process 1. Each received message lies where a sent one lay before.
plan::Plan swap() {
    plan::Plan plan;
    plan.sends = {sent(1, 2, 0), sent(1, 2, 2)};
    plan.receives = {received(1, 2, 0), received(1, 2, 2)};
    plan.in_place = plan::InPlaceOrder{{1, 2}, 1};
    return plan;
}

class InPlace : public testing::Test {
protected:
    InPlace() {
        sends_ = maker_.make<SendLane>(budget);
        receives_ = maker_.make<ReceiveLane>(budget);
        lane_ = InPlaceLane(maker_.plan(), exec::send_layout(*maker_.plan(), budget));
        lane_.begin({.number = 0});
        sends_.begin({.number = 0});
        lane_.begin();
        receives_.begin();
    }
    LaneExchange &out() { return *LaneExchange::all.at(0); }
    LaneExchange &in() { return *LaneExchange::all.at(1); }
    bool unpack() { return lane_.unpack_next(receives_, sends_, bytes_of(buffer_)); }
    bool post() { return lane_.post_next(sends_, bytes_of(buffer_), SendAhead::all); }

    static constexpr exec::StagingBudget budget{.sends_in_place = 1, .receives_in_place = 2};
    LaneMaker maker_{swap()};
    SendLane sends_;
    ReceiveLane receives_;
    InPlaceLane lane_;
    std::string buffer_ = "aabb";
};

} // namespace

TEST_F(InPlace, HoldsAMessageUntilWhatItOverwritesIsPacked) {
    in().arrive(1, "yy");
    EXPECT_TRUE(unpack()) << "it leaves the transport";
    EXPECT_EQ(buffer_, "aabb");
    EXPECT_TRUE(lane_.left());
    EXPECT_EQ(lane_.pending(receives_), 1) << "the other message has not arrived";
    EXPECT_TRUE(post());
    EXPECT_FALSE(unpack());
    in().arrive(0, "xx");
    EXPECT_TRUE(unpack());
    EXPECT_EQ(buffer_, "xxbb");
    EXPECT_EQ(lane_.pending(receives_), std::nullopt);
    EXPECT_TRUE(post());
    EXPECT_TRUE(unpack());
    EXPECT_EQ(buffer_, "xxyy");
    EXPECT_FALSE(lane_.left() || receives_.left() || sends_.left());
    EXPECT_EQ(in().released, (std::vector<size_t>{0, 1}));
}

// A receiver that holds the only slot keeps the others waiting, so it is named whoever the next message is for.
TEST_F(InPlace, NamesTheReceiverThatHoldsTheSlot) {
    out().free_slots = 1;
    EXPECT_TRUE(post());
    EXPECT_FALSE(post());
    const auto blocking = sends_.blocking_receiver();
    ASSERT_TRUE(blocking);
    EXPECT_EQ(std::pair(blocking->peer, blocking->frames_before), std::pair(1, int64_t{0}));
}

// The part is put in order before the first message is packed, and moved to where it belongs after the last one is
// unpacked. Runs of two messages alternate in the buffer.
TEST(InPlaceOrdered, GathersFirstAndScattersLast) {
    constexpr int64_t run = 64, section = 4 * run;
    const auto piece = [](int64_t first, int64_t offset) {
        plan::Piece runs{.offset = offset, .first = first, .run_bytes = run};
        runs.loops.push_back({4, 2 * run});
        return runs;
    };
    const std::vector<plan::Piece> pieces{piece(0, 0), piece(run, section)};
    plan::Plan plan;
    plan.sends = {sent(1, section, 0), sent(1, section, section)};
    plan.receives = {received(1, section, 0), received(1, section, section)};
    plan.in_place = plan::InPlaceOrder{{1, 2}, 1, pieces, pieces};
    LaneMaker maker(std::move(plan));
    const exec::StagingBudget budget{.sends_in_place = 2, .receives_in_place = 2, .block_bytes = run};
    auto sends = maker.make<SendLane>(budget);
    auto receives = maker.make<ReceiveLane>(budget);
    const exec::SendLayout layout = exec::send_layout(*maker.plan(), budget);
    EXPECT_EQ(layout.blocks_bytes, 3 * run);
    EXPECT_GT(layout.arranging_bytes, layout.blocks_bytes);
    InPlaceLane lane(maker.plan(), layout);
    const auto alternating = [](char a, char b) {
        std::string text;
        for (int i = 0; i < 4; ++i)
            text += std::string(run, a) + std::string(run, b);
        return text;
    };
    std::string buffer = alternating('a', 'b');
    lane.begin({.number = 0});
    sends.begin({.number = 0});
    lane.begin();
    receives.begin();
    LaneExchange &in = *LaneExchange::all.at(1);
    in.arrive(0, std::string(section, 'x'));
    EXPECT_TRUE(lane.unpack_next(receives, sends, bytes_of(buffer)));
    EXPECT_EQ(buffer, alternating('a', 'b')) << "the message is held";
    EXPECT_TRUE(lane.post_next(sends, bytes_of(buffer), SendAhead::all));
    EXPECT_EQ(std::memcmp(LaneExchange::all.at(0)->send_data(0), std::string(section, 'a').data(), section), 0);
    EXPECT_TRUE(lane.unpack_next(receives, sends, bytes_of(buffer)));
    EXPECT_TRUE(lane.post_next(sends, bytes_of(buffer), SendAhead::all));
    EXPECT_FALSE(lane.scatter(sends, receives, bytes_of(buffer))) << "a message is missing";
    in.arrive(1, std::string(section, 'y'));
    EXPECT_TRUE(lane.unpack_next(receives, sends, bytes_of(buffer)));
    EXPECT_TRUE(lane.left());
    EXPECT_TRUE(lane.scatter(sends, receives, bytes_of(buffer)));
    EXPECT_EQ(buffer, alternating('x', 'y'));
    EXPECT_FALSE(lane.left() || lane.scatter(sends, receives, bytes_of(buffer)));
}

// Kernels choose their stores by what a frame writes. The part itself may be a thousand times longer than an
// update.
TEST(WrittenBytes, leave_out_what_stays_in_place) {
    plan::Plan plan = swap();
    plan.self = {bytes_copy(1000, 4, 4), bytes_copy(10, 1004, 2000)};
    EXPECT_EQ(LaneMaker(plan).context().written(), 10 + 4);
    plan.in_place.reset();
    EXPECT_EQ(LaneMaker(plan).context().written(), 1000 + 10 + 4);
}

} // namespace dri::test
