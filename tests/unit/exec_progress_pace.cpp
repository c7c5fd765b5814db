// When DRI_progress calls MPI if there are more processes than cores.
#include "exec/progress_pace.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

using exec::ProgressPace;
using std::chrono::microseconds;

// Calls that each take 1 us, with so much work before each. Returns how many of them call MPI.
int due_calls(int calls, microseconds work) {
    ProgressPace pace;
    ProgressPace::Clock::time_point now{std::chrono::seconds(10)};
    int due = 0;
    for (int i = 0; i < calls; ++i) {
        now += work;
        due += pace.is_due(now);
        now += microseconds(1);
        pace.end(now);
    }
    return due;
}

} // namespace

TEST(ProgressPace, TheFirstCallIsDue) { EXPECT_EQ(due_calls(1, microseconds(40)), 1); }

// Its core is free for others each time.
TEST(ProgressPace, ACallerThatOnlyWaitsCallsMpiEachTime) {
    EXPECT_EQ(due_calls(1000, microseconds(0)), 1000);
    EXPECT_EQ(due_calls(1000, ProgressPace::waits), 1000);
}

// 1,000 calls in 41 ms, or in 7 ms.
TEST(ProgressPace, ACallerThatComputesCallsMpiOncePerMillisecond) {
    EXPECT_EQ(due_calls(1000, microseconds(40)), 40);
    EXPECT_EQ(due_calls(1000, microseconds(6)), 7);
}

TEST(ProgressPace, ALongPieceOfWorkIsFollowedByACall) { EXPECT_EQ(due_calls(20, ProgressPace::longest), 20); }

TEST(ProgressPace, ACallIsDueAfterExactlyTheLongestTime) {
    ProgressPace pace;
    ProgressPace::Clock::time_point now{std::chrono::seconds(10)};
    EXPECT_TRUE(pace.is_due(now));
    EXPECT_FALSE(pace.is_due(now + ProgressPace::longest - std::chrono::nanoseconds(1)));
    EXPECT_TRUE(pace.is_due(now + ProgressPace::longest));
}

// The first call after the work may be left out. The second comes at once, so it is not.
TEST(ProgressPace, AWaitAfterWorkCallsMpiFromItsSecondLookOn) {
    ProgressPace pace;
    ProgressPace::Clock::time_point now{std::chrono::seconds(10)};
    EXPECT_TRUE(pace.is_due(now));
    pace.end(now);
    now += microseconds(300);
    EXPECT_FALSE(pace.is_due(now));
    pace.end(now);
    EXPECT_TRUE(pace.is_due(now + microseconds(1)));
}

} // namespace dri::test
