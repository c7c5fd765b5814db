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

// Three batches there and back, so that a process has several parts.
TEST_F(GraphWalk, PartsOverlap) { expect_sound({{0}, {1, {0}}, {0, {1}}, {1, {2, 0}}, {0, {3, 0}}}, 2, 1); }

// The walk sees what goes wrong.
TEST_F(GraphWalk, FindsFaultsOfLines) {
    const auto found = [](LineFault fault) {
        return walk_all({{{0}, {1, {0}}}, 4, 1, true, false, {false, fault}}).fault;
    };
    EXPECT_NE(found(LineFault::overwrites), "");
    EXPECT_NE(found(LineFault::frees_early), "");
    EXPECT_NE(found(LineFault::never_frees).find("for ever"), std::string::npos);
}

} // namespace
} // namespace dri::graph::test
