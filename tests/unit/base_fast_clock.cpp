// The fast clock beside the system's, which is read before and behind it.
#include "base/fast_clock.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace dri::test {

namespace {

using System = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds allowed{50}; // many times what is found, because the machine may stop a thread at any time

// Reads both clocks for a time. Returns how often the fast one was wrong or went back.
int64_t count_wrong(milliseconds time, milliseconds rest) {
    int64_t wrong = 0;
    const auto end = System::now() + time;
    auto last = FastClock::now();
    for (auto before = System::now(); before < end; before = System::now()) {
        const auto read = FastClock::now();
        const auto after = System::now();
        wrong += read < before - allowed || read > after + allowed || read < last;
        last = read;
        if (rest.count() > 0)
            std::this_thread::sleep_for(rest);
    }
    return wrong;
}

} // namespace

// A line holds for 50 ms, so there are several, and first the time without one.
TEST(FastClock, has_the_systems_time_and_never_goes_back) { EXPECT_EQ(count_wrong(milliseconds(400), {}), 0); }

TEST(FastClock, holds_after_rests_longer_than_its_lines) {
    EXPECT_EQ(count_wrong(milliseconds(400), milliseconds(60)), 0);
}

TEST(FastClock, is_each_threads_own) {
    int64_t wrong = -1;
    std::thread other([&] { wrong = count_wrong(milliseconds(150), {}); });
    EXPECT_EQ(count_wrong(milliseconds(150), {}), 0);
    other.join();
    EXPECT_EQ(wrong, 0);
}

TEST(FastClock, goes_along_its_line) {
    const TickLine line{1000, 500, uint64_t{3} << 31, 10}; // one and a half nanoseconds for a tick
    EXPECT_EQ(line.at(1000), 500);
    EXPECT_EQ(line.at(1002), 503);
    const TickLine late{1000, INT64_MAX - 100, uint64_t{1} << 32, 10};
    EXPECT_EQ(late.at(1100), INT64_MAX);
}

} // namespace dri::test
