// The lanes without messages, alone: the own part, pads, and reads from sources where they lie.
#include "exec/pull_lane.hpp"
#include "exec/self_lane.hpp"

#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

using exec::PadLane;
using exec::Pullers;
using exec::PullLane;
using exec::SelfLane;

constexpr int64_t source_buffers = 2, buffer_bytes = 8;

// Three sources of one process, each with a buffer of 8 bytes and one puller.
class Sources {
public:
    Sources() {
        for (int i = 0; i < 3; ++i) {
            all_.push_back(std::make_shared<transport::SharedSource>(1, source_buffers, buffer_bytes, 8));
            for (int64_t b = 0; b < source_buffers; ++b)
                std::memset(all_.back()->buffer(b), 'a' + i, buffer_bytes);
        }
    }
    std::vector<transport::SourceView> views() const {
        const auto opened = std::make_shared<transport::OpenedMemory>();
        std::vector<transport::SourceView> views;
        for (const auto &source : all_)
            views.emplace_back(source->handle(0), opened);
        return views;
    }
    transport::SharedSource &operator[](size_t i) { return *all_[i]; }

private:
    std::vector<std::shared_ptr<transport::SharedSource>> all_;
};

// Pulls the first two bytes of processes 5, 6 and 7.
plan::Plan three_pulls() {
    plan::Plan plan;
    for (int i = 0; i < 3; ++i)
        plan.pulls.push_back({5 + i, {bytes_copy(2, 0, 2 * i)}});
    return plan;
}

} // namespace

TEST(SelfLane, CopiesOncePerFrameAndWaitsForTheSource) {
    plan::Plan plan;
    plan.self = {bytes_copy(1, 0, 1), bytes_copy(1, 1, 0)};
    LaneMaker maker(std::move(plan));
    SelfLane lane(maker.context());
    const std::string source = "ab";
    std::string sink = "..";
    for (int frame = 0; frame < 2; ++frame) {
        lane.begin();
        EXPECT_TRUE(lane.at_begin());
        EXPECT_FALSE(lane.copy_next(nullptr, bytes_of(sink))) << "its frame is not there yet";
        EXPECT_TRUE(lane.copy_next(reinterpret_cast<const std::byte *>(source.data()), bytes_of(sink)));
        EXPECT_TRUE(lane.left() && !lane.at_begin());
        EXPECT_TRUE(lane.copy_next(reinterpret_cast<const std::byte *>(source.data()), bytes_of(sink)));
        EXPECT_FALSE(lane.left());
        EXPECT_EQ(std::exchange(sink, ".."), "ba");
    }
    EXPECT_FALSE(SelfLane().left());
}

// A frame of the sink is made of three strips, the second without copies for this process.
TEST(SelfLane, CountsStripsThatAreCopied) {
    plan::Plan plan;
    plan.self = {bytes_copy(1, 0, 0), bytes_copy(1, 0, 1), bytes_copy(1, 0, 2)};
    plan.strips = {{.self = 1}, {.self = 1}, {.self = 3}};
    LaneMaker maker(std::move(plan));
    SelfLane lane(maker.context());
    std::string sink = "...";
    const std::byte source{};
    lane.begin();
    std::vector<int64_t> copied{lane.copied_strips()}, next{lane.next_strip()};
    while (lane.copy_next(&source, bytes_of(sink))) {
        copied.push_back(lane.copied_strips());
        next.push_back(lane.next_strip());
    }
    EXPECT_EQ(copied, (std::vector<int64_t>{0, 2, 2, 3}));
    EXPECT_EQ(next, (std::vector<int64_t>{0, 2, 2, 2}));
}

TEST(PadLane, FillsEachPadOnce) {
    plan::Plan plan;
    plan.zeros = {bytes_copy(2, 0, 0), bytes_copy(1, 0, 3)};
    LaneMaker maker(std::move(plan));
    PadLane lane(maker.plan());
    for (int frame = 0; frame < 2; ++frame) {
        std::string sink = "....";
        lane.begin();
        EXPECT_TRUE(lane.fill_next(bytes_of(sink)) && lane.fill_next(bytes_of(sink)));
        EXPECT_FALSE(lane.left() || lane.fill_next(bytes_of(sink)));
        EXPECT_EQ(sink, std::string("\0\0.\0", 4));
    }
}

TEST(PullLane, PullsFromWhoeverHasHandedOverRoundRobin) {
    Sources sources;
    LaneMaker maker(three_pulls());
    PullLane lane(maker.context(), {}, sources.views(), 0);
    exec::OffsetConsensus consensus;
    std::string sink = "......";
    EXPECT_FALSE(lane.left()) << "no frame has started";
    lane.begin();
    EXPECT_FALSE(lane.pull_next(0, bytes_of(sink), consensus));
    EXPECT_EQ(lane.pending(0), 5);
    sources[1].hand_over(1);
    EXPECT_TRUE(lane.pull_next(0, bytes_of(sink), consensus));
    EXPECT_EQ(sink, "..bb..");
    EXPECT_EQ(sources[1].find_lagging(0, 1, 1), 1) << "the source may use its buffer again";
    sources[0].hand_over(1);
    sources[2].hand_over(1);
    EXPECT_TRUE(lane.pull_next(0, bytes_of(sink), consensus));
    EXPECT_EQ(sink, "..bbcc") << "the next process in the circle";
    EXPECT_TRUE(lane.pull_next(0, bytes_of(sink), consensus));
    EXPECT_EQ(sink, "aabbcc");
    EXPECT_FALSE(lane.left() || lane.pull_next(0, bytes_of(sink), consensus));
    EXPECT_EQ(lane.pending(0), std::nullopt);
}

TEST(PullLane, MissesOnlySourcesThatLeftBeforeTheFrame) {
    Sources sources;
    LaneMaker maker(three_pulls());
    PullLane lane(maker.context(), {}, sources.views(), 0);
    lane.begin();
    sources[1].hand_over(1);
    sources[1].leave(1, transport::Leave::complete);
    EXPECT_FALSE(lane.lost(0)) << "the frame is there";
    EXPECT_EQ(lane.lost(1)->peer, 6);
    sources[2].leave(0, transport::Leave::early);
    EXPECT_EQ(lane.lost(0)->peer, 7);
}

TEST(PullLane, ReportsTheEndOnce) {
    Sources sources;
    LaneMaker maker(three_pulls());
    PullLane lane(maker.context(), {}, sources.views(), 0);
    lane.begin();
    lane.end(3);
    EXPECT_FALSE(lane.left());
    lane.leave(2);
    EXPECT_EQ(sources[0].left(0), 3);
    EXPECT_TRUE(sources[0].is_complete(0));
}

TEST(Pullers, NameWhoLagsAndWhoHasLeft) {
    plan::Plan plan;
    plan.pullers = {{.peer = 5}, {.peer = 6}};
    LaneMaker maker(std::move(plan));
    const auto source = std::make_shared<transport::SharedSource>(3, source_buffers, buffer_bytes, 8);
    Pullers pullers(maker.plan(), source, 1);
    const auto opened = std::make_shared<transport::OpenedMemory>();
    transport::SourceView first(source->handle(1), opened), second(source->handle(2), opened);
    source->hand_over(1);
    EXPECT_EQ(pullers.lagging(0), std::nullopt);
    EXPECT_EQ(pullers.lagging(1), 5);
    first.take(1);
    EXPECT_EQ(pullers.lagging(1), 6);
    second.leave(0, transport::Leave::early);
    EXPECT_EQ(pullers.lagging(1), std::nullopt);
    EXPECT_FALSE(pullers.all_left());
    first.leave(1, transport::Leave::complete);
    ASSERT_TRUE(pullers.all_left() && pullers.at_end());
    EXPECT_EQ(pullers.all_left()->frames, 1);
    EXPECT_EQ(pullers.at_end()->peer, 5);
}

} // namespace dri::test
