// A process that waits moves all its transfers, because other processes may wait for a different one than it does.
// Without that these tests would not finish.
#include "support/library.hpp"
#include "support/line.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace dri::test {
namespace {

constexpr StripShape tiny{14, 9}, in_many_rounds{200, 120};

Line make_line_in_rounds(const std::string &name, int from, int to, int nbuffs = 2) {
    Line line(name, from, to, in_many_rounds, nbuffs);
    line.send_in_rounds();
    return line;
}

class Meanwhile : public testing::Test {
protected:
    void SetUp() override {
        if (last_ == 0)
            GTEST_SKIP() << "needs two processes";
    }
    // Process 0 inserts frames that are sent in many rounds, then waits for the last process, which needs them
    // first.
    void run(const Line &line, const std::function<void(int64_t)> &wait) const {
        for (int64_t frame = 0; frame < 3; ++frame) {
            line.insert_frame(frame);
            line.take_frame(frame);
            wait(frame);
            line.acquire_next();
        }
    }

    const int last_ = world().size - 1;
    const Group all_ = make_world();
};

TEST_F(Meanwhile, InsertedFramesAreSentWhileTheProcessWaitsForAnotherTransfer) {
    for (const bool messages : {false, true})
        for (const int64_t timeout : {0, 100000}) {
            const Line line = make_line_in_rounds("in rounds", 0, last_);
            const Line back("back", last_, 0, tiny);
            if (messages)
                back.send_messages();
            back.each_endpoint([&](DRI_Xfer xfer) { set_timeout(xfer, timeout); });
            commit(all_);
            run(line, [&](int64_t frame) { back.run(frame); });
        }
}

TEST_F(Meanwhile, InsertedFramesAreSentWhileTheProcessWaitsForMessagesToLeave) {
    const Line line = make_line_in_rounds("in rounds", 0, last_);
    const Line after = make_line_in_rounds("after", 0, last_, 1);
    commit(all_);
    run(line, [&](int64_t frame) { after.run(frame); });
}

TEST_F(Meanwhile, InsertedFramesAreSentWhileTheProcessWaitsInACommit) {
    const Line line = make_line_in_rounds("in rounds", 0, last_);
    commit(all_);
    run(line, [&](int64_t frame) {
        const Strip source = *declare_strip("later", DRI_SOURCE, all_ranks(), 1),
                    sink = *declare_strip("later", DRI_SINK, all_ranks(), 1);
        commit(all_);
        source.fill(buffer_of<void>(source.xfer), frame);
        expect_success(DRI_do("later", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
    });
}

// The process waits until its last messages are sent.
TEST_F(Meanwhile, InsertedFramesAreSentWhileAnotherSourceIsDestroyed) {
    const Line line = make_line_in_rounds("in rounds", 0, last_);
    commit(all_);
    for (int64_t frame = 0; frame < 3; ++frame) {
        Line parting = make_line_in_rounds("parting", 0, last_);
        commit(all_);
        parting.insert_frame(7);
        line.insert_frame(frame);
        line.take_frame(frame);
        if (parting.source) {
            EXPECT_EQ(parting.source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        parting.take_frame(7);
        line.acquire_next();
    }
}

// The process waits until others have read the user's memory.
TEST_F(Meanwhile, InsertedFramesAreSentWhileASourceInUserMemoryIsDestroyed) {
    constexpr int64_t count = 100000;
    std::vector<int32_t> memory(count), expected(count);
    std::iota(expected.begin(), expected.end(), 1);
    const Line line = make_line_in_rounds("in rounds", 0, last_);
    const int rank = world().rank;
    Xfer parting;
    if (rank == 0 || rank == last_) {
        const Dist dist = make_dist(make_gdo({count}, DRI_INT32), make_blocks(1, 0), make_group({rank}));
        void *const buffers[]{memory.data()};
        expect_success(DRI_xfer_create("parting", rank == 0 ? DRI_SOURCE : DRI_SINK, dist, DRI_ROW_MAJOR, 1,
                                       buffers, parting.out()),
                       "DRI_xfer_create");
    }
    commit(all_);
    line.insert_frame(0);
    if (rank == 0) {
        memory = expected;
        insert(parting);
        EXPECT_EQ(parting.reset(), DRI_SUCCESS) << DRI_error_message();
    }
    line.take_frame(0);
    if (rank == last_) {
        expect_success(DRI_do(nullptr, parting), "DRI_do of the sink");
        EXPECT_EQ(memory, expected);
    }
}

// Two processes exchange their parts. Process 0 waits until the last one has read both its frames. The last one
// waits for its only buffer, until process 0 has taken the frame in it.
TEST_F(Meanwhile, ItsOwnSinkIsFilledAheadWhileASourceInUserMemoryIsDestroyed) {
    constexpr int64_t count = 100000;
    const int rank = world().rank;
    const bool first = rank == 0;
    std::vector<int32_t> memory(3 * count);
    const auto at = [&](int64_t i) { return memory.data() + i * count; };
    Xfer source, sink;
    if (first || rank == last_) {
        const Gdo gdo = make_gdo({2 * count}, DRI_INT32);
        const Part halves = make_blocks(1, 0);
        void *const in_user_memory[]{at(0), at(1)}, *const to_user_memory[]{at(2)};
        expect_success(DRI_xfer_create("swap", DRI_SOURCE, make_dist(gdo, halves, make_group({0, last_})),
                                       DRI_ROW_MAJOR, first ? 2 : 1, first ? in_user_memory : nullptr,
                                       source.out()),
                       "DRI_xfer_create");
        expect_success(DRI_xfer_create("swap", DRI_SINK, make_dist(gdo, halves, make_group({last_, 0})),
                                       DRI_ROW_MAJOR, first ? 2 : 1, first ? nullptr : to_user_memory, sink.out()),
                       "DRI_xfer_create");
    }
    commit(all_);
    const auto number = [](int process, int64_t frame) { return static_cast<int32_t>(process * 10 + frame); };
    const auto insert_frame = [&](int64_t frame) {
        std::fill_n(buffer_of<int32_t>(source), count, number(rank, frame));
        insert(source);
    };
    const auto take_frame = [&](int64_t frame) {
        const auto *const buffer = static_cast<const int32_t *>(extract(sink));
        EXPECT_EQ(std::count(buffer, buffer + count, number(first ? last_ : 0, frame)), count) << frame;
        release(sink);
    };
    if (first) {
        insert_frame(0);
        acquire(source);
        insert_frame(1);
        EXPECT_EQ(source.reset(), DRI_SUCCESS) << DRI_error_message();
        take_frame(0);
    } else if (rank == last_) {
        take_frame(0);
        insert_frame(0);
        acquire(source);
        take_frame(1);
    }
}

// A source of one buffer continues once the sink's process has received the frame, whatever that process waits
// for.
TEST_F(Meanwhile, ASinkIsFilledAheadWhileTheProcessWaitsForAnotherTransfer) {
    for (const bool messages : {false, true})
        for (const int64_t timeout : {0, 100000}) {
            const Line ahead("ahead", 0, last_, in_many_rounds, 1, 3), after("after", 0, last_, tiny);
            if (messages)
                after.send_messages();
            after.each_endpoint([&](DRI_Xfer xfer) { set_timeout(xfer, timeout); });
            commit(all_);
            for (int64_t frame = 0; frame < 6; frame += 2) {
                for (int64_t i = 0; i < 2; ++i) {
                    ahead.insert_frame(frame + i);
                    ahead.acquire_next();
                }
                after.run(frame);
                ahead.take_frame(frame);
                ahead.take_frame(frame + 1);
            }
        }
}

TEST_F(Meanwhile, ThreeProcessesOrMoreWaitInARing) {
    const int rank = world().rank, size = world().size;
    std::vector<Line> lines;
    for (int from = 0; from < size; ++from)
        lines.push_back(make_line_in_rounds("from " + std::to_string(from), from, (from + 1) % size));
    commit(all_);
    for (int64_t frame = 0; frame < 3; ++frame) {
        // Each process waits for the previous one.
        lines[static_cast<size_t>(rank)].insert_frame(frame);
        lines[static_cast<size_t>((rank + size - 1) % size)].take_frame(frame);
        lines[static_cast<size_t>(rank)].acquire_next();
    }
}

} // namespace
} // namespace dri::test
