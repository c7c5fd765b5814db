// A wait that yields its core notices how long it was away, so that deadlines are met where cores are shared.
#include "transport/backoff.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace dri::transport {

namespace {

using Clock = std::chrono::steady_clock;

// Keeps all threads that are made meanwhile on the core of this one.
class OneCore {
public:
    OneCore() {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
    OneCore(const OneCore &) = delete;
    OneCore &operator=(const OneCore &) = delete;

private:
    cpu_set_t before_{};
};

} // namespace

// A pause may also be long because it was interrupted outside of its yield, so not all count.
TEST(Backoff, a_yield_that_lets_others_run_for_long_leaves_time_for_other_work) {
    const OneCore one_core;
    std::atomic<bool> busy = true;
    std::thread neighbour([&] {
        while (busy.load(std::memory_order_relaxed))
            continue;
    });
    int all = 0, noticed = 0;
    Backoff wait(true);
    for (int pauses = 0; pauses < 200'000 && all < 20; ++pauses) {
        const auto before = Clock::now();
        const bool has_time = wait.pause();
        if (Clock::now() - before < std::chrono::milliseconds(1))
            continue;
        ++all;
        noticed += has_time;
    }
    busy = false;
    neighbour.join();
    ASSERT_GT(all, 0);
    EXPECT_GE(4 * noticed, 3 * all) << "of " << all << " long pauses";
}

// Looks that let others run take as long as a yield, and are noticed in the same way.
TEST(Backoff, a_look_that_has_let_others_run_for_long_leaves_time_for_other_work) {
    Backoff wait(true);
    const auto rested = [&] { return !wait.spin() && wait.rest_until(Clock::now()); };
    EXPECT_FALSE(rested());
    EXPECT_FALSE(rested()) << "nothing to compare with";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(rested());
    int others = 0;
    for (int looks = 0; looks < 160; ++looks)
        others += rested();
    EXPECT_GE(others, 10) << "every 16th look leaves time";
}

TEST(Backoff, a_wait_without_neighbours_looks_many_times_before_it_does_other_work) {
    Backoff wait(false);
    int looks = 1;
    while (!wait.pause())
        ++looks;
    EXPECT_GT(looks, 1000);
}

TEST(Backoff, a_wait_of_the_set_up_soon_sleeps) {
    Backoff wait = Backoff::of_set_up();
    for (int looks = 0; looks < 1000; ++looks)
        wait.pause();
    const auto before = Clock::now();
    for (int looks = 0; looks < 10; ++looks)
        EXPECT_TRUE(wait.pause()) << "a sleep leaves time";
    EXPECT_GE(Clock::now() - before, std::chrono::microseconds(10 * 50));
}

} // namespace dri::transport
