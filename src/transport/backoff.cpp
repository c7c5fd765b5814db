// The slow part of a wait: yields the core, or sleeps after a long time.
#include "transport/backoff.hpp"

#include <sched.h>

#include <chrono>
#include <thread>
#include <utility>

namespace dri::transport {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds long_yield{50}; // as long as a sleep

} // namespace

bool Backoff::sleep_if_long() {
    if (looks_ <= spins + yields)
        return false;
    if (rest_ == Rest::yield) {
        looks_ -= yields;
        return false;
    }
    looks_ = spins + yields;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    return true;
}

bool Backoff::has_time(Time before, Time now) const {
    return now - before > long_yield || (looks_ - spins) % yields_between == 0;
}

bool Backoff::rest() {
    if (sleep_if_long())
        return true;
    const auto before = Clock::now();
    sched_yield();
    return has_time(before, Clock::now());
}

bool Backoff::rest_between(Time before, Time now) {
    last_ = now;
    return sleep_if_long() || has_time(before, now);
}

// The first rest of this kind has nothing to compare with.
bool Backoff::rest_until(Time now) { return rest_between(last_ == Time() ? now : last_, now); }

} // namespace dri::transport
