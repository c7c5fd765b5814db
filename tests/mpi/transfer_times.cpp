// The times of frames: how many are kept, their sums, and which process counts a wait.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace dri::test {
namespace {

DRI_Xfer_info info_of(DRI_Xfer xfer) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(xfer, &info), "DRI_xfer_get_info");
    return info;
}

std::vector<DRI_Frame_times> times_of(DRI_Xfer xfer, int max = DRI_MAX_TIMES) {
    std::vector<DRI_Frame_times> times(static_cast<size_t>(max));
    int n = -1;
    expect_success(DRI_xfer_get_times(xfer, max, times.data(), &n), "DRI_xfer_get_times");
    times.resize(static_cast<size_t>(n));
    return times;
}

// The p-th percentile, by counting.
double percentile(std::vector<double> values, size_t p) {
    std::sort(values.begin(), values.end());
    size_t at = 0;
    while (100 * (at + 1) < p * values.size())
        ++at;
    return values[at];
}

void expect_spread(const DRI_Spread &spread, const std::vector<DRI_Frame_times> &times,
                   double DRI_Frame_times::*number) {
    std::vector<double> values;
    for (const DRI_Frame_times &time : times)
        values.push_back(time.*number);
    EXPECT_DOUBLE_EQ(spread.p50, percentile(values, 50));
    EXPECT_DOUBLE_EQ(spread.p99, percentile(values, 99));
    EXPECT_DOUBLE_EQ(spread.max, percentile(values, 100));
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

TEST(Times, AreThoseOfTheLastFrames) {
    TransferRun run("timed", "float [24,18] block,* rm -> *,block 10 direct");
    run.declare();
    commit(make_world());
    run.bind();
    EXPECT_TRUE(times_of(run.sink()).empty());
    EXPECT_EQ(info_of(run.sink()).frame_seconds.max, 0);
    EXPECT_EQ(info_of(run.sink()).wait_seconds.p99, 0);
    const double begin = now();
    double inside = 0;
    for (int64_t frames = 1; frames <= DRI_MAX_TIMES + 50; ++frames) {
        const double call = now();
        expect_success(DRI_do("timed", DRI_XFER_NULL), "DRI_do");
        inside += now() - call;
        if (frames != 1 && frames != 3 && frames != DRI_MAX_TIMES && frames != DRI_MAX_TIMES + 50)
            continue;
        for (const DRI_Xfer endpoint : {run.source(), run.sink()}) {
            const auto times = times_of(endpoint);
            const DRI_Xfer_info info = info_of(endpoint);
            const int64_t kept = std::min<int64_t>(frames, DRI_MAX_TIMES);
            ASSERT_EQ(std::ssize(times), kept);
            double sum = 0, before = begin;
            for (int64_t i = 0; i < kept; ++i) {
                const DRI_Frame_times &t = times[static_cast<size_t>(i)];
                EXPECT_EQ(t.frame, frames - kept + i);
                EXPECT_GE(t.wait_seconds, 0);
                EXPECT_GE(t.copy_seconds, 0);
                EXPECT_NEAR(t.wait_seconds + t.copy_seconds, t.seconds, 1e-8);
                EXPECT_GE(t.done - t.seconds, before - 1e-6) << "frames follow each other";
                before = t.done;
                sum += t.seconds;
                EXPECT_EQ(t.bytes * info.frames, info.bytes_self + info.bytes_message + info.bytes_direct);
                EXPECT_TRUE(t.reserved[0] == 0 && t.reserved[1] == 0);
            }
            EXPECT_LE(before, now());
            EXPECT_LE(sum, inside);
            EXPECT_DOUBLE_EQ(times.back().seconds, info.last_seconds);
            if (kept == frames) {
                EXPECT_NEAR(sum, info.total_seconds, 1e-6);
            }
            expect_spread(info.frame_seconds, times, &DRI_Frame_times::seconds);
            expect_spread(info.wait_seconds, times, &DRI_Frame_times::wait_seconds);
            expect_spread(info.copy_seconds, times, &DRI_Frame_times::copy_seconds);
            EXPECT_EQ(times_of(endpoint, 1).at(0).frame, frames - 1) << "a shorter list holds the last frames";
        }
    }
    int n = -1;
    expect_success(DRI_xfer_get_times(run.sink(), 0, nullptr, &n), "DRI_xfer_get_times");
    EXPECT_EQ(n, 0);
    barrier();
}

// Lets one process be late for a frame. Returns how long after the other one's call it came, on both; negative if
// it came first.
double run_late(TransferRun &run, bool is_late, bool waits) {
    constexpr double late_seconds = 0.05;
    barrier();
    if (is_late)
        std::this_thread::sleep_for(std::chrono::duration<double>(late_seconds));
    double called[2]{is_late ? now() : 0, waits ? now() : 0};
    run.frame();
    MPI_Allreduce(MPI_IN_PLACE, called, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return called[0] - called[1];
}

// A process that is late makes those that receive from it wait, and waits only briefly itself. If the machine is
// busy, the one that is to wait may come late, too: then the frame shows nothing.
TEST(Times, AWaitIsCountedForTheProcessThatWaits) {
    const int size = world().size;
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    for (const bool direct : {true, false}) {
        TransferRun run("late", fmt::format("float [32,32] block,* rm over 0 -> *,block rm over {}{}", size - 1,
                                            direct ? " direct" : ""));
        run.declare();
        commit(make_world());
        run.bind();
        run.frame();
        double late = 0;
        for (int tries = 0; tries < 20 && late < 0.02; ++tries)
            late = run_late(run, run.has_source(), run.has_sink());
        EXPECT_GE(late, 0.02) << "in 20 frames";
        if (run.has_sink()) {
            const std::vector<DRI_Frame_times> times = times_of(run.sink());
            const DRI_Frame_times frame = times.back();
            EXPECT_GT(frame.wait_seconds, late / 2);
            EXPECT_LT(frame.copy_seconds, frame.wait_seconds);
            double longest = 0;
            for (const DRI_Frame_times &each : times)
                longest = std::max(longest, each.wait_seconds);
            EXPECT_DOUBLE_EQ(info_of(run.sink()).wait_seconds.max, longest);
        }
        // Now the sink is late. A source of one buffer waits for a direct sink; with messages it need not.
        late = 0;
        for (int tries = 0; tries < 20 && late < 0.02; ++tries)
            late = run_late(run, run.has_sink(), run.has_source());
        EXPECT_GE(late, 0.02) << "in 20 frames";
        if (run.has_source() && info_of(run.source()).bytes_direct > 0) {
            EXPECT_GT(times_of(run.source()).back().wait_seconds, late / 2);
        }
        barrier();
    }
}

} // namespace
} // namespace dri::test
