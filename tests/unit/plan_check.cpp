// The checker finds each kind of fault, and none in correct plans. The printer shows the whole plan.
#include "support/plan_check.hpp"

#include <gtest/gtest.h>

using dri::plan::Plan;
using dri::test::BufferBytes;
using dri::test::check_plans;

namespace {

// Two ranks exchange halves of a 4 x 4 matrix of 8 bytes, rows to columns. Each sends a 2 x 2 tile.
class Check : public testing::Test {
protected:
    std::vector<Plan> plans;
    std::vector<BufferBytes> buffers{{64, 64}, {64, 64}};

    void SetUp() override {
        for (int rank = 0; rank < 2; ++rank) {
            const int peer = 1 - rank;
            Plan plan;
            plan.rank = rank;
            plan.self = {{8, 16 * rank, 16 * rank, {{2, 8, 32}, {2, 32, 8}}}};
            plan.sends = {{peer, 32, {{16, 16 * peer, 0, {{2, 32, 16}}}}}};
            plan.receives = {{peer, 32, {{8, 0, 16 * peer, {{2, 8, 32}, {2, 16, 8}}}}}};
            plans.push_back(plan);
        }
    }
    void expect_fault(const std::string &text) const {
        const std::string faults = check_plans(plans, buffers);
        EXPECT_NE(faults.find(text), std::string::npos) << "the faults are: " << faults;
    }
};

} // namespace

TEST_F(Check, SoundPlansHaveNoFault) {
    EXPECT_EQ(check_plans(plans, buffers), "");
    EXPECT_EQ(check_plans({}, {}), "");
}

TEST_F(Check, SumsOfAPlan) {
    EXPECT_EQ(dri::plan::self_bytes(plans[0]), 32);
    EXPECT_EQ(dri::plan::send_bytes(plans[0]), 32);
    plans[0].receives.push_back({1, 8, {}});
    EXPECT_EQ(dri::plan::receive_bytes(plans[0]), 40);
}

TEST_F(Check, MissingReceive) {
    plans[1].receives.clear();
    expect_fault("rank 0 sends 1 messages to 1, which receives 0");
}

TEST_F(Check, MissingSend) {
    plans[1].sends.clear();
    expect_fault("rank 1 sends 0 messages to 0, which receives 1");
}

TEST_F(Check, LengthsThatDiffer) {
    plans[0].sends[0] = {1, 16, {{16, 16, 0, {}}}};
    expect_fault("message 0 from 0 to 1: 16 B sent, 32 B received");
}

TEST_F(Check, OrderOfMessagesThatDiffers) {
    plans[0].sends = {{1, 16, {{16, 0, 0, {}}}}, {1, 32, {{32, 0, 0, {}}}}};
    plans[1].receives = {{0, 32, {{32, 0, 0, {}}}}, {0, 16, {{16, 0, 0, {}}}}};
    expect_fault("message 0 from 0 to 1: 16 B sent, 32 B received");
    std::swap(plans[1].receives[0], plans[1].receives[1]);
    EXPECT_EQ(check_plans(plans, buffers), "");
}

TEST_F(Check, CopiesThatLeaveTheirBuffers) {
    plans[0].self[0].src_offset = 24;
    expect_fault("rank 0, self copy 0: [24, 72) leaves the source buffer of 64 B");
    plans[0].self[0] = {8, 0, 40, {{2, 8, 32}, {2, 32, -8}}};
    expect_fault("rank 0, self copy 0: [32, 80) leaves the sink buffer of 64 B");
    plans[0].self[0] = {8, 8, 0, {{2, -16, 8}}};
    expect_fault("rank 0, self copy 0: [-8, 16) leaves the source buffer");
    plans[1].sends[0].copies.change()[0].src_offset = 32;
    expect_fault("rank 1, send 0 to 0: [32, 80) leaves the source buffer");
    plans[1].receives[0].copies.change()[0].dst_offset = 32;
    expect_fault("rank 1, receive 0 from 0: [32, 80) leaves the sink buffer");
}

TEST_F(Check, CopiesThatLeaveTheirMessage) {
    plans[0].sends[0].copies.change()[0].dst_offset = 8;
    expect_fault("rank 0, send 0 to 1: [8, 40) leaves the message of 32 B");
    plans[0].receives[0].copies.change()[0].src_offset = 8;
    expect_fault("rank 0, receive 0 from 1: [8, 40) leaves the message of 32 B");
}

TEST_F(Check, BytesOfAMessageInNoCopy) {
    plans[0].sends[0].copies.change()[0].loops.clear();
    expect_fault("rank 0, send 0 to 1: bytes [16, 32) are in no copy");
    plans[0].sends[0].copies = {{16, 0, 0, {}}, {8, 0, 24, {}}};
    expect_fault("rank 0, send 0 to 1: bytes [16, 24) are in no copy");
    plans[1].receives[0].copies.change()[0] = {8, 0, 0, {{2, 16, 8}}};
    expect_fault("rank 1, receive 0 from 0: bytes [8, 16) are in no copy");
}

TEST_F(Check, BytesOfAMessageFilledTwice) {
    plans[0].sends[0].copies.push_back({8, 0, 8, {}});
    expect_fault("rank 0, send 0 to 1: byte 8 is in two copies");
    plans[1].sends[0].copies = {{16, 0, 0, {{2, 16, 16}, {2, 16, 0}}}};
    expect_fault("rank 1, send 0 to 0: byte 0 is in two copies");
}

TEST_F(Check, AReceiveMayUseItsBytesTwice) {
    plans[0].receives[0].copies = {{16, 0, 0, {{2, 16, 16}, {2, 0, 32}}}};
    EXPECT_EQ(check_plans(plans, buffers), "");
}

TEST_F(Check, ScatteredCopiesThatFillAMessageTogether) {
    plans[0].sends[0].copies = {{4, 0, 0, {{4, 8, 8}}}, {4, 4, 28, {{4, 8, -8}}}};
    EXPECT_EQ(check_plans(plans, buffers), "");
}

TEST_F(Check, ConversionsHaveTheirOwnLengthOnEachSide) {
    const dri::plan::Conversion narrow{dri::Scalar::float64, dri::Scalar::float32, 1};
    const dri::plan::Conversion wide{dri::Scalar::float32, dri::Scalar::float64, 1};
    plans[0].sends = {{1, 16, {{16, 16, 0, {{2, 32, 8}}, {}, narrow}}}};
    plans[1].receives = {{0, 16, {{4, 0, 0, {{2, 4, 32}, {2, 8, 8}}, {}, wide}}}};
    EXPECT_EQ(check_plans(plans, buffers), "");
    plans[1].receives[0].copies.change()[0].dst_offset = 20;
    expect_fault("rank 1, receive 0 from 0: [20, 68) leaves the sink buffer of 64 B");
    plans[0].sends[0].copies.change()[0].conversion = {};
    expect_fault("rank 0, send 0 to 1: [0, 24) leaves the message of 16 B");
}

TEST_F(Check, PeersThatDoNotExist) {
    plans[0].sends.push_back({7, 8, {{8, 0, 0, {}}}});
    plans[1].receives.push_back({1, 8, {{8, 0, 0, {}}}});
    expect_fault("rank 0, send 1 to 7: there is no such rank");
    expect_fault("rank 1 sends 0 messages to 1, which receives 1");
}

// The second pair of tiles uses the direct way instead of messages.
class CheckPulls : public Check {
protected:
    void SetUp() override {
        Check::SetUp();
        for (int rank = 0; rank < 2; ++rank) {
            const int peer = 1 - rank;
            Plan &plan = plans[static_cast<size_t>(rank)];
            plan.sends.clear();
            plan.receives.clear();
            plan.pulls = {{peer, {{8, 16 * rank, 16 * peer, {{2, 8, 32}, {2, 32, 8}}}}}};
            plan.pullers = {{peer, 32}};
        }
    }
};

TEST_F(CheckPulls, SoundOnesHaveNoFault) {
    EXPECT_EQ(check_plans(plans, buffers), "");
    EXPECT_EQ(dri::plan::pull_bytes(plans[0]), 32);
    EXPECT_EQ(dri::plan::puller_bytes(plans[0]), 32);
}

TEST_F(CheckPulls, APullerWithoutItsPull) {
    plans[1].pulls.clear();
    expect_fault("rank 0 expects rank 1 to pull [32] B, but it pulls [] B");
}

TEST_F(CheckPulls, APullThatItsSourceDoesNotExpect) {
    plans[1].pullers.clear();
    expect_fault("rank 1 expects rank 0 to pull [] B, but it pulls [32] B");
}

TEST_F(CheckPulls, BytesThatDiffer) {
    plans[0].pullers[0].bytes = 24;
    expect_fault("rank 0 expects rank 1 to pull [24] B, but it pulls [32] B");
}

TEST_F(CheckPulls, PiecesThatDifferBetweenTheSides) {
    plans[0].pullers[0].long_pieces = true;
    expect_fault("ranks 0 and 1 disagree on whether pieces are long");
}

TEST_F(CheckPulls, CopiesThatLeaveTheBuffers) {
    buffers[1].source = 32;
    expect_fault("rank 0, pull from 1: [0, 48) leaves the peer's source buffer of 32 B");
    buffers[1].source = 64;
    buffers[0].sink = 32;
    expect_fault("rank 0, pull from 1: [16, 64) leaves the sink buffer of 32 B");
}

TEST_F(CheckPulls, TwoPullsOfOnePairAndOneFromItself) {
    plans[0].pulls.push_back(plans[0].pulls[0]);
    plans[1].pullers.push_back(plans[1].pullers[0]);
    expect_fault("rank 0 is listed by rank 1 as a puller 2 times");
    plans[0].pulls = {{0, plans[0].pulls[0].copies}};
    expect_fault("rank 0, pull from 0: from itself");
    plans[0].pulls = {{5, plans[0].pulls[0].copies}};
    expect_fault("rank 0, pull from 5: there is no such rank");
    plans[0].pulls = {{1, {}}};
    expect_fault("rank 0, pull from 1: has no copies");
}

TEST_F(CheckPulls, ThePrinterShowsThem) {
    EXPECT_EQ(dri::test::to_text(plans[0]), "rank 0: self 32 B, sends 0 B, receives 0 B\n"
                                            "  pulled by 1: 32 B\n"
                                            "  self 8B @0->@0 x[2: 8->32] x[2: 32->8]\n"
                                            "  pull from 1: 32 B\n"
                                            "    8B @0->@16 x[2: 8->32] x[2: 32->8]\n");
}

TEST_F(Check, EmptyMessagesAndCopies) {
    plans[0].sends.push_back({1, 0, {}});
    plans[1].receives.push_back({0, 0, {}});
    plans[1].self.push_back({});
    expect_fault("rank 0, send 1 to 1: a message of 0 B");
    expect_fault("rank 1, self copy 1: copies nothing");
}

TEST_F(Check, PlansAtTheWrongIndex) {
    std::swap(plans[0], plans[1]);
    expect_fault("plan 0 belongs to rank 1");
    buffers.pop_back();
    EXPECT_EQ(check_plans(plans, buffers), "2 plans, but 1 pairs of buffers");
}

TEST_F(Check, PlansOfHugeArraysTakeNoLonger) {
    const int64_t n = int64_t{1} << 20;
    for (Plan &plan : plans) {
        plan.self.clear();
        plan.sends[0] = {1 - plan.rank, 8 * n * n, {{8, 0, 0, {{n, 8, 8 * n}, {n, 8 * n, 8}}}}};
        plan.receives[0] = {1 - plan.rank, 8 * n * n, {{8 * n * n, 0, 0, {}}}};
    }
    buffers = {{8 * n * n, 8 * n * n}, {8 * n * n, 8 * n * n}};
    EXPECT_EQ(check_plans(plans, buffers), "");
}

TEST_F(Check, PrintsEveryCopy) {
    EXPECT_EQ(dri::test::to_text(plans[1]), "rank 1: self 32 B, sends 32 B, receives 32 B\n"
                                            "  self 8B @16->@16 x[2: 8->32] x[2: 32->8]\n"
                                            "  send to 0: 32 B\n"
                                            "    16B @0->@0 x[2: 32->16]\n"
                                            "  receive from 0: 32 B\n"
                                            "    8B @0->@0 x[2: 8->32] x[2: 16->8]\n");
}
