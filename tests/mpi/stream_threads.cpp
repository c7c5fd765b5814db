// Other threads move frames, and endpoints are destroyed, while one thread waits for a frame.
#include "support/library.hpp"
#include "support/shared_flag.hpp"
#include "support/strip.hpp"

#include <atomic>
#include <thread>

namespace dri::test {
namespace {

bool takes_calls_of_any_thread() {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    return granted >= MPI_THREAD_MULTIPLE;
}

// Calls DRI_progress repeatedly until it is destroyed.
class Mover {
public:
    Mover()
        : thread_([this] {
              while (!stop_) {
                  failed_ += DRI_progress() != DRI_SUCCESS;
                  ++calls_;
                  std::this_thread::yield();
              }
          }) {}
    ~Mover() {
        stop_ = true;
        thread_.join();
        EXPECT_EQ(failed_, 0);
    }
    Mover(const Mover &) = delete;
    Mover &operator=(const Mover &) = delete;
    // Returns when a complete DRI_progress has run since the call.
    void wait_for_a_look() const {
        for (const int64_t before = calls_; calls_ < before + 2;)
            std::this_thread::yield();
    }

private:
    std::atomic<bool> stop_ = false;
    std::atomic<int64_t> failed_ = 0, calls_ = 0;
    std::thread thread_;
};

TEST(MovedByAnotherThread, FramesAreWhole) {
    if (!takes_calls_of_any_thread())
        GTEST_SKIP() << "this MPI allows calls of one thread only";
    const std::vector<int> all = all_ranks();
    for (const StripShape shape : {StripShape{14, 9}, StripShape{300, 200}})
        for (const int n : {1, 3}) {
            const Strip source = *declare_strip("moved", DRI_SOURCE, all, n, shape),
                        sink = *declare_strip("moved", DRI_SINK, all, n, shape);
            commit(make_world());
            const Mover mover;
            for (int64_t frame = 0; frame < 30; ++frame) {
                source.fill(buffer_of<void>(source.xfer), frame);
                ASSERT_EQ(DRI_do("moved", DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
                EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
                if (frame % 4 == 0)
                    mover.wait_for_a_look();
            }
            barrier();
        }
}

TEST(MovedByAnotherThread, EndpointsAreCreatedAndDestroyed) {
    if (!takes_calls_of_any_thread())
        GTEST_SKIP() << "this MPI allows calls of one thread only";
    const std::vector<int> all = all_ranks();
    const Mover mover;
    for (int round = 0; round < 8; ++round) {
        const Strip source = *declare_strip("short-lived", DRI_SOURCE, all, 2),
                    sink = *declare_strip("short-lived", DRI_SINK, all, 2);
        commit(make_world());
        for (int64_t frame = 0; frame < 3; ++frame) {
            source.fill(buffer_of<void>(source.xfer), frame);
            ASSERT_EQ(DRI_do("short-lived", DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
            EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
        }
    }
}

// One thread executes frames by name while another one destroys the endpoints. It yields between its frames:
// without its core within a frame it would keep the endpoint from being destroyed for a whole time slice.
TEST(MovedByAnotherThread, AnEndpointIsDestroyedBetweenTheFramesOfAnother) {
    for (int round = 0; round < 20; ++round) {
        const int rank = world().rank;
        auto source = declare_strip("parting", DRI_SOURCE, {rank}, 1),
             sink = declare_strip("parting", DRI_SINK, {rank}, 1);
        commit(make_group({rank}));
        std::atomic<int64_t> frames = 0;
        std::atomic<int> code = DRI_SUCCESS;
        std::thread user([&] {
            while (code == DRI_SUCCESS) {
                code = DRI_do("parting", DRI_XFER_NULL);
                ++frames;
                std::this_thread::yield();
            }
        });
        while (frames < 5)
            std::this_thread::yield();
        // refused while a frame is under way
        while (source->xfer.reset() != DRI_SUCCESS)
            std::this_thread::yield();
        user.join();
        EXPECT_EQ(code, DRI_ERR_STATE) << "the sink receives no more frames";
    }
}

// A sink leaves whose frames have arrived ahead, are half received, or have not arrived. The source continues with
// the other sink.
TEST(LeavingSinks, ASinkLeavesInTheMiddleOfItsFrames) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    enum class Leaves { with_frames_ahead, between_the_halves, started_and_never_come };
    for (const StripShape shape : {StripShape{14, 9}, StripShape{300, 200}})
        for (const Leaves leaves :
             {Leaves::with_frames_ahead, Leaves::between_the_halves, Leaves::started_and_never_come}) {
            auto source = declare_strip("goes on", DRI_SOURCE, {0}, 2, shape);
            const auto stays = declare_strip("goes on", DRI_SINK, all_ranks(), 2, shape);
            auto leaving = declare_strip("goes on", DRI_SINK, {last}, 3, shape);
            commit(make_world());
            const auto frame_of_all = [&](int64_t frame) {
                if (source) {
                    source->fill(buffer_of<void>(source->xfer), frame);
                    insert(source->xfer);
                }
                EXPECT_EQ(stays->wrong(extract(stays->xfer), frame), 0) << frame;
                release(stays->xfer);
                if (source)
                    acquire(source->xfer);
            };
            const bool starts = leaving && leaves != Leaves::with_frames_ahead;
            if (leaves == Leaves::started_and_never_come && leaving) {
                expect_success(DRI_start(nullptr, leaving->xfer), "DRI_start");
                EXPECT_EQ(leaving->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
            frame_of_all(0);
            frame_of_all(1);
            if (leaves != Leaves::started_and_never_come && leaving) {
                if (starts)
                    expect_success(DRI_start(nullptr, leaving->xfer), "DRI_start");
                EXPECT_EQ(leaving->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
            for (int64_t frame = 2; frame < 8; ++frame)
                frame_of_all(frame);
            barrier();
        }
}

// Destroying a sink needs no other process, even if a large message is half received. Its sender makes no calls
// until then.
TEST(LeavingSinks, ASinkDoesNotWaitForItsSender) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    auto source = declare_strip("away", DRI_SOURCE, {0}, 1, {700, 400});
    auto sink = declare_strip("away", DRI_SINK, {last}, 2, {700, 400});
    for (const auto *endpoint : {&source, &sink})
        if (*endpoint)
            expect_success(DRI_xfer_set_attr((*endpoint)->xfer, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE),
                           "DRI_xfer_set_attr");
    commit(make_world());
    SharedFlag inserted, gone;
    if (rank == 0) {
        source->fill(buffer_of<void>(source->xfer), 0);
        insert(source->xfer);
        inserted.raise();
        gone.wait();
    }
    if (rank == last) {
        inserted.wait();
        expect_success(DRI_start(nullptr, sink->xfer), "DRI_start");
        int done = 0;
        for (int i = 0; i < 10 && !done; ++i)
            expect_success(DRI_test(nullptr, sink->xfer, &done), "DRI_test");
        EXPECT_EQ(sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        gone.raise();
    }
}

} // namespace
} // namespace dri::test
