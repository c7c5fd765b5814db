// Several threads in one process: one executes frames while another one queries them or commits other transfers.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/shortage.hpp"
#include "support/threads_here.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dri::test {
namespace {

// A transfer inside this process that executes frames on a thread of its own until it is stopped. Its frames need
// no message, so it never waits. The pause after each frame leaves the core to threads that wait.
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

// A corner turn inside this process, whose copies are shared by threads of the library.
class SharedCornerTurn {
public:
    SharedCornerTurn(const std::string &name, int threads) : name_(name) {
        source_ = make_xfer(name, DRI_SOURCE, dist_);
        sink_ = make_xfer(name, DRI_SINK, dist_, DRI_COL_MAJOR);
        expect_success(DRI_xfer_set_attr(sink_, DRI_ATTR_THREADS, threads), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(sink_, DRI_ATTR_SHARE_BYTES, 1000), "DRI_xfer_set_attr");
        commit(alone_);
    }
    DRI_Xfer source() const { return source_; }
    DRI_Xfer sink() const { return sink_; }
    // The number of wrong elements in `frames` frames.
    int64_t wrong_in(int frames) {
        int64_t wrong = 0;
        for (int f = 0; f < frames; ++f) {
            auto *out = buffer_of<float>(source_);
            for (int i = 0; i < rows * columns; ++i)
                out[i] = static_cast<float>(i + f);
            wrong += DRI_do(name_.c_str(), DRI_XFER_NULL) != DRI_SUCCESS;
            const auto *in = buffer_of<float>(sink_);
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < columns; ++j)
                    wrong += in[j * rows + i] != static_cast<float>(i * columns + j + f);
        }
        return wrong;
    }

private:
    static constexpr int rows = 70, columns = 90;
    std::string name_;
    Group alone_ = make_group({world().rank});
    Dist dist_ = make_dist(make_gdo({rows, columns}), make_blocks(2, 0), alone_);
    Xfer source_, sink_;
};

DRI_Xfer_info info_of(DRI_Xfer xfer) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(xfer, &info), "DRI_xfer_get_info");
    return info;
}

TEST(Threads, FramesAreCountedWhileAnotherThreadQueries) {
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
        std::array<DRI_Frame_times, 20> times;
        int n = 0;
        ASSERT_EQ(DRI_xfer_get_times(runner.sink(), 20, times.data(), &n), DRI_SUCCESS) << DRI_error_message();
        for (int i = 1; i < n; ++i)
            ASSERT_EQ(times[static_cast<size_t>(i)].frame, times[static_cast<size_t>(i) - 1].frame + 1);
        if (now.frames > 0) {
            ASSERT_GE(n, 1);
            ASSERT_GE(times[static_cast<size_t>(n) - 1].frame + 1, now.frames)
                << "counted frames have their times";
        }
        before = now;
        std::this_thread::yield();
    }
    runner.end();
    EXPECT_EQ(info_of(runner.sink()).frames, runner.frames());
}

TEST(Threads, ShareTheCopiesOfAFrame) {
    SharedCornerTurn turn("shared", 3);
    EXPECT_EQ(turn.wrong_in(20), 0) << DRI_error_message();
    EXPECT_EQ(info_of(turn.source()).threads, 1);
    EXPECT_EQ(info_of(turn.sink()).threads, 3);
    EXPECT_EQ(info_of(turn.sink()).bytes_self, 20 * 70 * 90 * 4) << "all bytes, once";
    EXPECT_EQ(explain(turn.source()).find("3 threads"), std::string::npos) << explain(turn.source());
    const std::string explanation = explain(turn.sink());
    for (const char *word : {", 3 threads", "thread 0: ", "thread 1: ", "thread 2: "})
        EXPECT_NE(explanation.find(word), std::string::npos) << explanation;
}

TEST(Threads, OfTheLibraryRunWhileATransferUsesThem) {
    const auto before = threads_settled();
    {
        const SharedCornerTurn alone("alone", 1);
        EXPECT_EQ(threads_here(), before) << "no endpoint has requested threads";
        auto first = std::make_unique<SharedCornerTurn>("first", 2);
        EXPECT_EQ(threads_here(), before + 1);
        SharedCornerTurn second("second", 4);
        EXPECT_EQ(threads_here(), before + 3) << "transfers share them";
        EXPECT_EQ(first->wrong_in(3), 0);
        first.reset();
        EXPECT_EQ(second.wrong_in(3), 0);
    }
    EXPECT_TRUE(threads_come_to(before));
}

TEST(Threads, OfTheLibraryServeTransfersOfSeveralThreads) {
    std::vector<std::unique_ptr<SharedCornerTurn>> corner_turns;
    for (int i = 0; i < 3; ++i)
        corner_turns.push_back(std::make_unique<SharedCornerTurn>("turn " + std::to_string(i), 2 + i % 2));
    std::atomic<int64_t> wrong = 0;
    std::vector<std::thread> users;
    for (const auto &turn : corner_turns)
        users.emplace_back([&wrong, &turn] { wrong += turn->wrong_in(40); });
    for (std::thread &user : users)
        user.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Threads, MissingOnOneProcessFailTheCommitOnAll) {
    const int rank = world().rank, last = world().size - 1;
    const Group all = make_world();
    TransferRun run("refused", "float [14,9] block,* rm -> *,block rm direct");
    run.declare();
    run.set_threads(3);
    {
        std::optional<NoMoreThreads> shortage;
        if (rank == last)
            shortage.emplace();
        EXPECT_EQ(DRI_commit(all), DRI_ERR_LIMIT);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("'refused', 3 threads"), std::string::npos) << message;
        if (rank != last) {
            EXPECT_NE(message.find("process " + std::to_string(last)), std::string::npos) << message;
        }
    }
    commit(all);
    run.bind();
    run.frame();
    EXPECT_EQ(info_of(run.sink()).threads, 3);
}

TEST(Threads, CommitsDoNotDisturbFramesOfOthers) {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    if (granted < MPI_THREAD_MULTIPLE)
        GTEST_SKIP() << "this MPI allows calls of one thread only";
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
} // namespace dri::test
