// The ring with the times of the last frames, under concurrent reads and writes, and what it reports.
#include "exec/frame_times.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace dri::test {

namespace {

// All numbers of a frame depend on the frame's number.
exec::FrameTime time_of(int64_t frame) { return {frame, 3 * frame + 1, 5 * frame + 2, 7 * frame + 3}; }

bool is_time_of(const exec::FrameTime &time, int64_t frame) {
    const exec::FrameTime right = time_of(frame);
    return time.frame == frame && time.done_ns == right.done_ns && time.frame_ns == right.frame_ns &&
           time.wait_ns == right.wait_ns;
}

int64_t page_faults() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

} // namespace

// Counting writes to memory that is mapped already. Rings that are not would take a fault for each of their pages.
TEST(ExecFrameTimes, counting_takes_no_page_faults) {
    constexpr int64_t endpoints = 128, ring_bytes = exec::FrameTimes::capacity * int64_t{sizeof(exec::FrameTime)};
    std::vector<exec::FrameTimes> all(endpoints);
    const int64_t before = page_faults();
    for (int64_t frame = 0; frame < exec::FrameTimes::capacity; ++frame)
        for (exec::FrameTimes &times : all)
            times.count(time_of(frame));
    EXPECT_LT(page_faults() - before, endpoints * ring_bytes / sysconf(_SC_PAGESIZE) / 10);
}

TEST(ExecFrameTimes, the_last_frames_are_kept_in_order) {
    exec::FrameTimes times;
    EXPECT_TRUE(times.last(exec::FrameTimes::capacity).empty());
    for (int64_t frame = 0; frame < 3 * exec::FrameTimes::capacity + 5; ++frame) {
        times.count(time_of(frame));
        if (frame % 97 != 0 && frame < 3 * exec::FrameTimes::capacity)
            continue;
        for (const int64_t max : {int64_t{0}, int64_t{1}, int64_t{100}, exec::FrameTimes::capacity, INT64_MAX}) {
            const auto last = times.last(max);
            const int64_t expected = std::min({max, frame + 1, exec::FrameTimes::capacity});
            ASSERT_EQ(std::ssize(last), expected) << "of " << max << " after frame " << frame;
            for (int64_t i = 0; i < expected; ++i)
                ASSERT_TRUE(is_time_of(last[static_cast<size_t>(i)], frame - expected + 1 + i)) << i;
        }
    }
}

// A frame that is overwritten while it is read must not be reported half old and half new.
TEST(ExecFrameTimes, a_reader_sees_whole_frames_while_another_thread_counts) {
    exec::FrameTimes times;
    std::atomic<bool> stop = false;
    std::atomic<int64_t> counted = 0;
    std::thread writer([&] {
        for (int64_t frame = 0; !stop; ++frame) {
            times.count(time_of(frame));
            counted = frame + 1;
        }
    });
    int64_t torn = 0, gaps = 0, late = 0;
    for (int reads = 0; reads < 2000 || counted < 100 * exec::FrameTimes::capacity; ++reads) {
        const int64_t before = counted;
        const auto last = times.last(exec::FrameTimes::capacity);
        for (size_t i = 0; i < last.size(); ++i) {
            torn += !is_time_of(last[i], last[i].frame);
            gaps += i > 0 && last[i].frame != last[i - 1].frame + 1;
        }
        late += !last.empty() && last.back().frame + 1 < before;
    }
    stop = true;
    writer.join();
    EXPECT_EQ(torn, 0);
    EXPECT_EQ(gaps, 0);
    EXPECT_EQ(late, 0) << "a counted frame is reported";
}

// Compared with the definition, by counting.
TEST(ExecFrameTimes, percentiles_split_the_frames) {
    std::mt19937 dice(7);
    EXPECT_EQ(exec::percentiles_of({}).max, 0);
    for (size_t n = 1; n < 300; ++n) {
        std::vector<double> numbers(n);
        for (double &number : numbers)
            number = static_cast<double>(dice() % 50);
        const exec::Percentiles percentiles = exec::percentiles_of(numbers);
        const auto expect_percentile = [&](double value, size_t p) {
            const auto below = [&](auto is_below) {
                return static_cast<size_t>(std::count_if(numbers.begin(), numbers.end(), is_below));
            };
            EXPECT_GE(100 * below([&](double x) { return x <= value; }), p * n) << p << " of " << n;
            EXPECT_LT(100 * below([&](double x) { return x < value; }), p * n) << "no smaller value is enough";
        };
        expect_percentile(percentiles.p50, 50);
        expect_percentile(percentiles.p99, 99);
        expect_percentile(percentiles.max, 100);
    }
}

TEST(ExecFrameTimes, a_wait_is_the_time_between_work) {
    const auto pass = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
    const auto rest = [&](exec::WaitMeter &meter, int ms) {
        const exec::WaitMeter::Rest resting(meter);
        pass(ms);
    };
    exec::WaitMeter meter;
    meter.begin_frame();
    pass(5);
    EXPECT_EQ(meter.waited_ns(), 0) << "without a rest there is no wait";
    rest(meter, 10);
    EXPECT_GE(meter.waited_ns(), 10'000'000);
    // A step between two rests that finds no work belongs to the wait.
    const int64_t one = meter.waited_ns();
    pass(10);
    rest(meter, 1);
    EXPECT_GE(meter.waited_ns() - one, 11'000'000);
    // Work is not part of a wait.
    const int64_t two = meter.waited_ns();
    const auto begin = transport::Clock::now();
    meter.work();
    pass(20);
    const auto worked = transport::Clock::now() - begin;
    rest(meter, 1);
    const auto all = transport::Clock::now() - begin;
    EXPECT_LE(meter.waited_ns() - two, std::chrono::nanoseconds(all - worked).count());
    meter.begin_frame();
    EXPECT_EQ(meter.waited_ns(), 0);
    // The first three rests do not count. A wait starts after them, and again after work.
    const auto look = [&] {
        const exec::WaitMeter::Rest resting(meter, 3);
        pass(2);
    };
    for (int i = 0; i < 3; ++i)
        look();
    EXPECT_EQ(meter.waited_ns(), 0);
    look();
    EXPECT_GE(meter.waited_ns(), 2'000'000);
    const int64_t three = meter.waited_ns();
    meter.work();
    for (int i = 0; i < 3; ++i)
        look();
    EXPECT_EQ(meter.waited_ns(), three);
    // A rest after them is measured from its own start.
    const auto last = transport::Clock::now();
    rest(meter, 1);
    EXPECT_LE(meter.waited_ns() - three, std::chrono::nanoseconds(transport::Clock::now() - last).count());
}

// A look that has let others run is a rest that is over: the time since the last one counts.
TEST(ExecFrameTimes, looks_that_rest_count_from_the_first_that_is_not_free) {
    const auto begin = transport::Clock::now();
    const auto after = [&](int ms) { return begin + std::chrono::milliseconds(ms); };
    exec::WaitMeter meter;
    meter.begin_frame();
    meter.rest_until(after(1), 1);
    EXPECT_EQ(meter.waited_ns(), 0) << "this one is free";
    meter.rest_until(after(3), 1);
    EXPECT_EQ(meter.waited_ns(), 0) << "the first that counts starts the wait";
    meter.rest_until(after(7), 1);
    EXPECT_EQ(meter.waited_ns(), 4'000'000);
    meter.rest_until(after(8), 1);
    EXPECT_EQ(meter.waited_ns(), 5'000'000);
    meter.work();
    meter.rest_until(after(20), 0);
    EXPECT_EQ(meter.waited_ns(), 5'000'000) << "what lies before work belongs to another wait";
    meter.rest_until(after(22), 0);
    EXPECT_EQ(meter.waited_ns(), 7'000'000);
}

} // namespace dri::test
