// Sums over the frames of an endpoint, compared with its plan.
#include "exec/frame_sums.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

using exec::FrameBytes;
using exec::FrameSums;

plan::StridedCopy bytes_copy(int64_t bytes) { return {bytes, 0, 0, {}, {}, {}}; }

// Three strips: own bytes and a message, two messages, and nothing but a pull.
plan::Plan three_strips() {
    plan::Plan plan;
    plan.rank = 4;
    plan.self = {bytes_copy(3)};
    plan.sends = {{1, 10, {}}, {1, 20, {}}, {2, 40, {}}};
    plan.pullers = {{5, 100}, {1, 7}};
    plan.strips = {{.self = 1, .sends = 1, .receives = 0, .taken = 0},
                   {.self = 1, .sends = 3, .receives = 0, .taken = 0},
                   {.self = 1, .sends = 3, .receives = 0, .taken = 107}};
    return plan;
}

void expect_sums(const FrameBytes &bytes, const std::array<int64_t, 4> &expected) {
    EXPECT_EQ((std::array{bytes.self, bytes.message, bytes.direct, bytes.messages}), expected);
}

} // namespace

TEST(FrameSums, FramesOfASourceRepeatItsStrips) {
    const FrameSums sums = FrameSums::of_source(three_strips());
    const std::array<int64_t, 4> of_strips[]{{0, 0, 0, 0}, {3, 10, 0, 1}, {3, 70, 0, 3}, {3, 70, 107, 3}};
    expect_sums(sums.array(), of_strips[3]);
    for (int64_t frames = 0; frames < 10; ++frames) {
        std::array<int64_t, 4> expected = of_strips[frames % 3];
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] += frames / 3 * of_strips[3][i];
        expect_sums(sums.first(frames), expected);
    }
}

TEST(FrameSums, FramesThatASinkReceivesTogetherCountWithTheFirst) {
    plan::Plan plan;
    plan.receives = {{1, 10, {}}, {2, 5, {}}};
    plan.self = {bytes_copy(3)};
    const FrameSums sums = FrameSums::of_sink(plan, 2);
    for (int64_t frames = 0; frames < 7; ++frames) {
        const int64_t arrays = (frames + 1) / 2;
        expect_sums(sums.first(frames), {3 * arrays, 15 * arrays, 0, 2 * arrays});
    }
    expect_sums(FrameSums().first(3), {0, 0, 0, 0});
}

TEST(FrameSums, PeersAreOtherProcesses) {
    plan::Plan plan = three_strips();
    plan.receives = {{4, 10, {}}, {7, 10, {}}};
    EXPECT_EQ(exec::peers_of(plan, exec::Of::source), (std::vector<int>{1, 2, 5, 1}));
    EXPECT_EQ(exec::peers_of(plan, exec::Of::sink), std::vector<int>{7});
}

} // namespace dri::test
