#include "base/lent_time.hpp"

#include <gtest/gtest.h>

using dri::lent_time;
using dri::LentTime;

namespace {

// Long ago, so that a reading of the clock is something else.
const LentTime::Clock::time_point early = LentTime::Clock::now() - std::chrono::hours(1);

} // namespace

TEST(LentTime, ACallBeginsWhenTheOneBeforeHasEnded) {
    LentTime::Clock::time_point end;
    {
        const LentTime::Scope scope(early);
        EXPECT_EQ(lent_time.begin(), early);
        EXPECT_GT(lent_time.begin(), early) << "lent once";
        end = lent_time.end();
        EXPECT_GT(end, early);
    }
    EXPECT_EQ(lent_time.ended(), end);
    EXPECT_GE(lent_time.ended(), end) << "returned once";
}

TEST(LentTime, WhatIsNotUsedIsTakenBack) {
    { const LentTime::Scope scope(early); }
    EXPECT_GT(lent_time.begin(), early);
    EXPECT_GT(lent_time.ended(), early) << "no call has ended";
}

TEST(LentTime, AnEarlierCallIsForgottenByTheNextScope) {
    lent_time.end();
    { const LentTime::Scope scope(early); }
    const auto before = LentTime::Clock::now();
    EXPECT_GE(lent_time.ended(), before);
}
