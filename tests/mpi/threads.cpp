// Threads of one process: one executes frames while another asks how far they are, or commits other transfers.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace dri_test {
namespace {

// A transfer inside this process that runs frames on a thread of its own until it is told to stop. Its frames need
// no message, so it never waits; a pause after each leaves the core to who does.
class Runner {
public:
    explicit Runner(std::chrono::microseconds pause = {}) {
        source_ = make_xfer("running", DRI_SOURCE, dist_);
        sink_ = make_xfer("running", DRI_SINK, dist_);
        commit(alone_);
        thread_ = std::thread([this, pause] {
            while (!stop_ && DRI_do("running", DRI_XFER_NULL) == DRI_SUCCESS) {
                ++frames_;
                if (pause.count() > 0)
                    std::this_thread::sleep_for(pause);
            }
        });
    }
    ~Runner() { end(); }
    Runner(const Runner &) = delete;
    Runner &operator=(const Runner &) = delete;

    DRI_Xfer sink() const { return sink_; }
    int64_t frames() const { return frames_; }
    void end() {
        stop_ = true;
        if (thread_.joinable())
            thread_.join();
    }

private:
    Group alone_ = make_group({world().rank});
    Dist dist_ = make_dist(make_gdo({64}), make_blocks(1, 0), alone_);
    Xfer source_, sink_;
    std::atomic<bool> stop_ = false;
    std::atomic<int64_t> frames_ = 0;
    std::thread thread_;
};

DRI_Xfer_info info_of(DRI_Xfer xfer) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(xfer, &info), "DRI_xfer_get_info");
    return info;
}

TEST(Threads, FramesAreCountedUnderTheEyesOfAnother) {
    Runner runner;
    DRI_Xfer_info before = info_of(runner.sink());
    while (before.frames < 1000) {
        const int64_t done = runner.frames();
        const DRI_Xfer_info now = info_of(runner.sink());
        ASSERT_GE(now.frames, before.frames);
        ASSERT_GE(now.frames, done) << "a frame that has returned is counted";
        ASSERT_GE(now.total_seconds, before.total_seconds);
        ASSERT_EQ(now.bytes_self, now.frames * 64 * 4);
        if (now.frames > 0) {
            void *buffer = nullptr;
            ASSERT_EQ(DRI_xfer_get_buffer(runner.sink(), &buffer), DRI_SUCCESS) << DRI_error_message();
            ASSERT_NE(buffer, nullptr);
        }
        before = now;
        std::this_thread::yield();
    }
    runner.end();
    EXPECT_EQ(info_of(runner.sink()).frames, runner.frames());
}

TEST(Threads, CommitsDoNotDisturbFramesOfOthers) {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    if (granted < MPI_THREAD_MULTIPLE)
        GTEST_SKIP() << "this MPI takes calls of one thread only";
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({12, 5}), make_blocks(2, 0), all);
    const Dist columns = make_dist(make_gdo({12, 5}), make_blocks(2, 1), all);
    Runner runner(std::chrono::microseconds(50));
    for (int i = 0; i < 50; ++i) {
        const std::string name = "committed " + std::to_string(i);
        const Xfer source = make_xfer(name, DRI_SOURCE, rows), sink = make_xfer(name, DRI_SINK, columns);
        commit(all);
        ASSERT_EQ(DRI_do(name.c_str(), DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
    }
    const int64_t so_far = runner.frames();
    while (runner.frames() == so_far)
        std::this_thread::yield();
    runner.end();
    EXPECT_EQ(info_of(runner.sink()).frames, runner.frames()) << "none has failed";
}

} // namespace
} // namespace dri_test
