// Frames in several buffers: the split calls of a frame, alone and together.
#include "support/library.hpp"
#include "support/strip.hpp"

#include <deque>

namespace dri::test {
namespace {

// Every process is source and sink. It holds all its buffers at once, and fills the last one first.
TEST(Buffers, SourceAndSinkHoldSeveralAtOnce) {
    const std::vector<int> all = all_ranks();
    for (const int n : {1, 2, 3})
        for (const int m : {1, 2, 4}) {
            const Strip source = *declare_strip("held", DRI_SOURCE, all, n),
                        sink = *declare_strip("held", DRI_SINK, all, m);
            commit(make_world());
            void *all_out[3], *all_in[4];
            expect_success(DRI_xfer_get_buffers(source.xfer, nullptr, all_out), "DRI_xfer_get_buffers");
            expect_success(DRI_xfer_get_buffers(sink.xfer, nullptr, all_in), "DRI_xfer_get_buffers");
            int64_t frames = 0;
            for (int round = 0; round < 4; ++round) {
                for (int i = round == 0 ? 1 : 0; i < n; ++i)
                    EXPECT_EQ(acquire(source.xfer), all_out[i]) << "in cyclic order";
                for (int i = n - 1; i >= 0; --i)
                    source.fill(all_out[i], frames + i);
                for (int i = 0; i < n; ++i) {
                    EXPECT_EQ(buffer_of<void>(source.xfer), all_out[i]) << "the oldest one";
                    insert(source.xfer);
                }
                for (int taken = 0; taken < n;) {
                    const int together = std::min(m, n - taken);
                    for (int i = 0; i < together; ++i) {
                        EXPECT_EQ(extract(sink.xfer), all_in[(frames + i) % m]) << "in cyclic order";
                        EXPECT_EQ(buffer_of<void>(sink.xfer), all_in[(frames + i) % m]) << "the last one";
                        void *again = nullptr;
                        DRI_Frame frame{};
                        expect_success(DRI_xfer_get_frame(sink.xfer, &again, &frame), "DRI_xfer_get_frame");
                        EXPECT_EQ(again, all_in[(frames + i) % m]);
                        EXPECT_EQ(frame.number, frames + i);
                    }
                    for (int i = 0; i < together; ++i)
                        EXPECT_EQ(sink.wrong(all_in[(frames + i) % m], frames + i), 0) << frames + i;
                    for (int i = 0; i < together; ++i)
                        release(sink.xfer);
                    frames += together;
                    taken += together;
                }
            }
            EXPECT_EQ(frames_of(source.xfer), 4 * n);
            EXPECT_EQ(frames_of(sink.xfer), 4 * n);
        }
}

// After every call that hands buffers over or gives them, DRI_next returns the oldest one that is held, or
// acquires.
TEST(Buffers, NextIsWhatIsHeldOrOneMore) {
    const std::vector<int> all = all_ranks();
    for (const int n : {1, 2, 3}) {
        const Strip source = *declare_strip("next", DRI_SOURCE, all, n),
                    sink = *declare_strip("next", DRI_SINK, all, 2);
        commit(make_world());
        void *buffers[3];
        expect_success(DRI_xfer_get_buffers(source.xfer, nullptr, buffers), "DRI_xfer_get_buffers");
        int64_t frame = 0;
        const auto expect_next = [&](const char *when) {
            for (int i = 0; i < 2; ++i)
                EXPECT_EQ(next(source.xfer), buffers[frame % n]) << when << ", " << n << " buffers";
            EXPECT_EQ(buffer_of<void>(source.xfer), buffers[frame % n]) << "it is held";
            source.fill(buffers[frame % n], frame);
        };
        const auto check = [&] {
            EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
            EXPECT_EQ(frames_of(source.xfer), ++frame);
        };
        for (int round = 0; round < 3; ++round) {
            expect_next("after an extract, or the commit");
            expect_success(DRI_do("next", DRI_XFER_NULL), "DRI_do");
            check();
            expect_next("after a frame by name");
            expect_success(DRI_start("next", DRI_XFER_NULL), "DRI_start");
            EXPECT_EQ(next(source.xfer), buffers[(frame + 1) % n]) << "completes what is started";
            expect_success(DRI_wait(nullptr, sink.xfer), "DRI_wait");
            check();
            expect_next("after a start");
            insert(source.xfer);
            release(sink.xfer);
            extract(sink.xfer);
            check();
        }
        expect_next("after an insert");
        for (int i = 1; i < n; ++i)
            EXPECT_EQ(acquire(source.xfer), buffers[(frame + i) % n]);
        expect_next("while several are held");
        EXPECT_EQ(DRI_next(source.xfer, nullptr), DRI_SUCCESS);
    }
}

// Numbers of buffers differ between source and sink and between processes, and a sink holds several at once.
TEST(Buffers, EndpointsMayHaveDifferentNumbersOfBuffers) {
    const int rank = world().rank, size = world().size;
    const std::vector<int> all = all_ranks();
    const int n = 2 + rank % 2, m = 1 + (rank + 1) % 3;
    const Strip source = *declare_strip("uneven", DRI_SOURCE, all, n),
                sink = *declare_strip("uneven", DRI_SINK, all, m);
    commit(make_world());
    void *out = buffer_of<void>(source.xfer);
    std::deque<std::pair<void *, int64_t>> held;
    for (int64_t frame = 0; frame < 25; ++frame) {
        source.fill(out, frame);
        insert(source.xfer);
        if (std::ssize(held) == m) {
            release(sink.xfer);
            held.pop_front();
        }
        held.emplace_back(extract(sink.xfer), frame);
        for (const auto &[buffer, number] : held)
            EXPECT_EQ(sink.wrong(buffer, number), 0) << number << " of process " << rank << " of " << size;
        out = acquire(source.xfer);
    }
}

// A sink of m buffers is filled m - 1 frames ahead, and its source of one buffer continues after each of them.
TEST(Buffers, ASinkIsFilledAhead) {
    const int rank = world().rank, last = world().size - 1;
    for (const int m : {2, 4}) {
        const auto source = declare_strip("ahead", DRI_SOURCE, {0}, 1),
                   sink = declare_strip("ahead", DRI_SINK, {last}, m);
        if (source)
            set_timeout(source->xfer, 60000);
        commit(make_world());
        MPI_Request handed_over = MPI_REQUEST_NULL;
        for (int f = 0; source && f < m - 1; ++f) {
            source->fill(buffer_of<void>(source->xfer), f);
            expect_success(DRI_do(nullptr, source->xfer), "DRI_do of the source");
        }
        if (rank == 0 && last == 0) {
            EXPECT_EQ(DRI_do(nullptr, source->xfer), DRI_ERR_DEADLOCK)
                << "the last buffer is for the sink's own call";
        }
        MPI_Ibarrier(MPI_COMM_WORLD, &handed_over);
        for (int done = 0; !done;) {
            expect_success(DRI_progress(), "DRI_progress");
            MPI_Test(&handed_over, &done, MPI_STATUS_IGNORE);
        }
        for (int f = 0; sink && f < m - 1; ++f) {
            EXPECT_EQ(sink->wrong(extract(sink->xfer), f), 0) << f;
        }
    }
}

TEST(Buffers, StartAndWaitMoveAFrame) {
    const std::vector<int> all = all_ranks();
    const char *const name = "halves";
    const Strip source = *declare_strip(name, DRI_SOURCE, all, 2), sink = *declare_strip(name, DRI_SINK, all, 1);
    commit(make_world());
    int64_t frame = 0;
    const auto fill = [&] { source.fill(buffer_of<void>(source.xfer), frame); };
    const auto check = [&] {
        EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
        ++frame;
        EXPECT_EQ(frames_of(source.xfer), frame);
        EXPECT_EQ(frames_of(sink.xfer), frame);
    };
    const auto finish_by_tests = [&](DRI_Xfer xfer) {
        for (int done = 0; !done;)
            ASSERT_EQ(DRI_test(name, xfer, &done), DRI_SUCCESS) << DRI_error_message();
    };
    for (int round = 0; round < 3; ++round) {
        fill();
        expect_success(DRI_do(name, DRI_XFER_NULL), "DRI_do");
        check();
        fill();
        expect_success(DRI_start(name, DRI_XFER_NULL), "DRI_start");
        expect_success(DRI_wait(name, DRI_XFER_NULL), "DRI_wait");
        check();
        fill();
        expect_success(DRI_start(name, DRI_XFER_NULL), "DRI_start");
        finish_by_tests(DRI_XFER_NULL);
        check();
        fill();
        expect_success(DRI_start(name, sink.xfer), "DRI_start of the sink");
        expect_success(DRI_start(name, source.xfer), "DRI_start of the source");
        expect_success(DRI_wait(nullptr, sink.xfer), "DRI_wait of the sink");
        finish_by_tests(source.xfer);
        check();
        fill();
        expect_success(DRI_start(nullptr, source.xfer), "DRI_start of the source");
        expect_success(DRI_do(name, DRI_XFER_NULL), "DRI_do goes on with what is started");
        check();
        fill();
        release(sink.xfer);
        insert(source.xfer);
        extract(sink.xfer);
        acquire(source.xfer);
        check();
    }
}

// A loop of tests may end with a wait in any case. The wait counts once, and only directly after the test.
TEST(Buffers, AWaitAfterATestThatWasTrueSucceedsOnce) {
    const std::vector<int> all = all_ranks();
    const char *const name = "tested";
    const Strip source = *declare_strip(name, DRI_SOURCE, all, 2), sink = *declare_strip(name, DRI_SINK, all, 1);
    commit(make_world());
    const auto tests = [&](DRI_Xfer xfer) {
        for (int done = 0; !done;)
            ASSERT_EQ(DRI_test(name, xfer, &done), DRI_SUCCESS) << DRI_error_message();
    };
    const auto expect_nothing_started = [&](DRI_Xfer xfer, const char *when) {
        EXPECT_EQ(DRI_wait(name, xfer), DRI_ERR_STATE) << when;
        int done = 7;
        EXPECT_EQ(DRI_test(name, xfer, &done), DRI_ERR_STATE) << when;
    };
    int64_t frame = 0;
    const auto start = [&] {
        source.fill(buffer_of<void>(source.xfer), frame);
        expect_success(DRI_start(name, DRI_XFER_NULL), "DRI_start");
    };
    source.fill(buffer_of<void>(source.xfer), frame);
    expect_success(DRI_start(name, source.xfer), "DRI_start");
    tests(source.xfer);
    EXPECT_EQ(DRI_wait(name, DRI_XFER_NULL), DRI_ERR_STATE) << "the sink is not tested";
    extract(sink.xfer);
    EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0);
    ++frame;
    const auto check = [&] {
        EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
        ++frame;
        EXPECT_EQ(frames_of(source.xfer), frame);
        EXPECT_EQ(frames_of(sink.xfer), frame);
    };
    for (int round = 0; round < 3; ++round) {
        start();
        tests(DRI_XFER_NULL);
        expect_success(DRI_wait(name, DRI_XFER_NULL), "DRI_wait by name");
        check();
        expect_nothing_started(DRI_XFER_NULL, "the second wait");
        expect_nothing_started(sink.xfer, "a wait of one of them after that of all");
        start();
        tests(sink.xfer);
        expect_success(DRI_wait(name, DRI_XFER_NULL), "DRI_wait of the source that is still started");
        check();
        expect_success(DRI_wait(nullptr, sink.xfer), "DRI_wait of the sink that was tested");
        expect_nothing_started(DRI_XFER_NULL, "both have been waited for");
        start();
        tests(DRI_XFER_NULL);
        check();
        release(sink.xfer);
        expect_nothing_started(sink.xfer, "released meanwhile");
        source.fill(buffer_of<void>(source.xfer), frame);
        insert(source.xfer);
        expect_nothing_started(source.xfer, "inserted meanwhile");
        extract(sink.xfer);
        acquire(source.xfer);
        check();
        expect_nothing_started(DRI_XFER_NULL, "completed without a test");
        start();
        expect_success(DRI_wait(name, DRI_XFER_NULL), "DRI_wait");
        check();
        expect_nothing_started(DRI_XFER_NULL, "waited for without a test");
    }
}

TEST(Buffers, AFrameThatHasNotArrivedIsNotDone) {
    const int rank = world().rank, last = world().size - 1;
    const auto source = declare_strip("not yet", DRI_SOURCE, {0}, 2),
               sink = declare_strip("not yet", DRI_SINK, {last}, 1);
    commit(make_world());
    int done = 1;
    if (rank == last) {
        expect_success(DRI_start("not yet", sink->xfer), "DRI_start");
        for (int i = 0; i < 100; ++i) {
            done = 1;
            expect_success(DRI_test("not yet", sink->xfer, &done), "DRI_test");
            EXPECT_EQ(done, 0);
        }
    }
    barrier();
    if (rank == 0) {
        source->fill(buffer_of<void>(source->xfer), 5);
        expect_success(DRI_do(nullptr, source->xfer), "DRI_do");
    }
    while (rank == last && !done)
        ASSERT_EQ(DRI_test("not yet", sink->xfer, &done), DRI_SUCCESS) << DRI_error_message();
    if (rank == last) {
        EXPECT_EQ(sink->wrong(buffer_of<void>(sink->xfer), 5), 0);
    }
}

// Inserted frames that could not be sent at once are sent when the endpoint is destroyed.
TEST(Buffers, InsertedFramesArriveAfterTheSourceIsDestroyed) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    const Group all = make_world();
    for (const StripShape shape : {StripShape{3, 5}, StripShape{700, 400}}) {
        auto source = declare_strip("inserted", DRI_SOURCE, {0}, 3, shape),
             sink = declare_strip("inserted", DRI_SINK, {last}, 2, shape);
        commit(all);
        if (rank == 0) {
            acquire(source->xfer);
            acquire(source->xfer);
            void *buffers[3];
            expect_success(DRI_xfer_get_buffers(source->xfer, nullptr, buffers), "DRI_xfer_get_buffers");
            for (int f = 0; f < 3; ++f)
                source->fill(buffers[f], f);
            for (int f = 0; f < 3; ++f)
                insert(source->xfer);
            EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        if (rank == last) {
            for (int f = 0; f < 3; ++f) {
                expect_success(DRI_do(nullptr, sink->xfer), "DRI_do of the sink");
                EXPECT_EQ(sink->wrong(buffer_of<void>(sink->xfer), f), 0) << f;
            }
            EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_ERR_STATE);
        }
    }
}

} // namespace
} // namespace dri::test
