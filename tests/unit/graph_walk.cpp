// Any order in which the processes of small graphs go on, and in which frames arrive: nobody waits for ever, every
// value is the one of its frame, and all outputs are those of an evaluation in one place.
#include "graph_walk.hpp"

#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace dri::graph::test {
namespace {

class GraphWalk : public testing::Test {
protected:
    void expect_sound(const WalkedJob &job) {
        const WalkFound found = walk_all(job);
        EXPECT_EQ(found.fault, "") << job.in_flight << " in flight, stream " << job.is_stream << ", lazy "
                                   << job.lines.is_lazy << ", keeps all " << job.keeps_all;
        EXPECT_GT(found.ends, 0u);
        states_ += found.states;
    }
    // All numbers of frames in flight, with a stream and without, with sinks that are filled at any time and while
    // they wait.
    void expect_sound(const std::vector<WalkedValue> &values, int most_in_flight, int frames) {
        for (const bool is_stream : {false, true})
            for (const bool is_lazy : {false, true})
                for (const bool keeps_all : {false, true})
                    for (int in_flight = 1; in_flight <= (dri::test::sanitized ? 1 : most_in_flight); ++in_flight)
                        expect_sound({values, frames, in_flight, is_stream, keeps_all, {is_lazy}});
    }
    void TearDown() override {
        RecordProperty("states", std::to_string(states_));
        std::printf("%zu states\n", states_);
    }

private:
    size_t states_ = 0;
};

constexpr int long_one = 2100; // elements; more than what shares a carrier

TEST_F(GraphWalk, ARoundTrip) { expect_sound({{0}, {1, {0}}, {0, {1, 0}}}, 2, 3); }

TEST_F(GraphWalk, AChainOfThree) { expect_sound({{0}, {1, {0}}, {2, {1}}}, 2, 2); }

// Both ask first and answer then: with sends that wait for their receives, both would wait for ever.
TEST_F(GraphWalk, BothAskAndAnswer) { expect_sound({{0}, {1}, {0, {1}}, {1, {0}}}, 2, 2); }

// The end comes to process 1 after it has sent a constant to process 2, which has learned of it already.
TEST_F(GraphWalk, AConstantIsAheadOfTheEnd) {
    if (!dri::test::sanitized) // two minutes there
        expect_sound({{0}, {1, {}, true}, {1, {0}}, {2, {0, 1}}}, 1, 2);
    expect_sound(WalkedJob{{{0}, {1, {0}}, {1, {}, true}, {2, {2}}}, 2, 1, true, true, {true}});
}

// A long value goes to two processes from one buffer.
TEST_F(GraphWalk, ALongValueGoesToTwo) {
    const std::vector<WalkedValue> values{{0, {}, false, long_one}, {1, {0}}, {2, {0}}};
    expect_sound(WalkedJob{values, 2, 1, false, false, {true}});
    expect_sound(WalkedJob{values, 1, 1, true, true, {true}});
}

// A transfer to two processes, what is computed from it on one of them, and a send beside it.
TEST_F(GraphWalk, APort) { expect_sound({{.by_port = true}, {1, {0}}, {2, {0}}}, 2, 2); }

TEST_F(GraphWalk, APortBehindAReceive) {
    expect_sound({{0}, {.owner = 1, .of = {0}, .by_port = true}, {2, {1}}, {0, {1}}}, 1, 2);
}

// One end of a transfer is behind the other of the same process.
TEST_F(GraphWalk, PortsThereAndBack) {
    expect_sound({{.by_port = true}, {.owner = 1, .of = {0}, .by_port = true}, {0, {1}}}, 2, 2);
}

// Whatever is lost, the end arrives, and every frame that arrives is whole.
TEST_F(GraphWalk, FramesAreDropped) {
    for (const bool keeps_all : {false, true})
        for (const int in_flight : {1, 2}) {
            expect_sound(WalkedJob{{{.by_port = true, .drops = true}, {1, {0}}}, 4, in_flight, true, keeps_all});
            expect_sound(
                WalkedJob{{{.by_port = true, .drops = true}, {1, {0}}, {2, {0}}}, 2, in_flight, true, keeps_all});
            expect_sound(WalkedJob{{{0}, {.owner = 1, .of = {0}, .by_port = true, .drops = true}, {2, {1}}},
                                   2,
                                   in_flight,
                                   true,
                                   keeps_all});
        }
}

// A call fails in the first frame or in the second one, at the beginning, in the middle, or at the end. Nobody
// waits for ever, and what was done before is right.
TEST_F(GraphWalk, ACallFails) {
    for (const bool is_stream : {false, true})
        for (const bool is_lazy : dri::test::sanitized ? std::vector{false} : std::vector{false, true})
            for (const bool by_port : {false, true})
                for (const size_t failing : {0, 1, 2, 3})
                    for (const int frame : {0, 1}) {
                        std::vector<WalkedValue> values{{0}, {1, {0}}, {0, {1}}, {2, {1}}};
                        values[1].by_port = by_port;
                        values[failing].fails_in = frame;
                        expect_sound(WalkedJob{values, 3, 1, is_stream, false, {is_lazy}});
                    }
}

// Three batches there and back, so that a process has several parts.
TEST_F(GraphWalk, PartsOverlap) { expect_sound({{0}, {1, {0}}, {0, {1}}, {1, {2, 0}}, {0, {3, 0}}}, 2, 1); }

// The walk sees what goes wrong.
TEST_F(GraphWalk, FindsFaultsOfLines) {
    const std::vector<WalkedValue> sent{{0}, {1, {0}}}, by_port{{.by_port = true}, {1, {0}}};
    for (const auto &values : {sent, by_port}) {
        const auto found = [&](LineFault fault) {
            return walk_all({values, 4, 1, true, false, {false, fault}}).fault;
        };
        EXPECT_NE(found(LineFault::overwrites), "");
        EXPECT_NE(found(LineFault::frees_early), "");
        EXPECT_NE(found(LineFault::loses), "");
        EXPECT_NE(found(LineFault::never_frees).find("for ever"), std::string::npos);
        EXPECT_EQ(found(LineFault::hides_gone), "") << "nobody leaves";
    }
    std::vector<WalkedValue> failing{{.by_port = true}, {1, {0}}, {1, {}}, {2, {2}}};
    failing[1].fails_in = 1;
    EXPECT_EQ(walk_all({failing, 4, 1, true, false, {false}}).fault, "");
    EXPECT_NE(walk_all({failing, 4, 1, true, false, {false, LineFault::hides_gone}}).fault.find("for ever"),
              std::string::npos);
}

} // namespace
} // namespace dri::graph::test
