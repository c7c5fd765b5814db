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

bool Backoff::rest(bool rested) {
    if (looks_ > spins + yields && rest_ == Rest::sleep) {
        looks_ = spins + yields;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        return true;
    }
    if (looks_ > spins + yields)
        looks_ -= yields;
    auto before = Clock::now();
    if (rested)
        before = std::exchange(last_, before);
    else
        sched_yield();
    const bool was_long = before != Clock::time_point() && Clock::now() - before > long_yield;
    return was_long || (looks_ - spins) % yields_between == 0;
}

} // namespace dri::transport
