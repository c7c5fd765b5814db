// The slow part of a wait: yields the core, or sleeps after a long time.
#include "transport/backoff.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace dri::transport {

bool Backoff::rest() {
    const bool for_long = looks_ > spins + yields;
    if (for_long)
        looks_ = spins + yields;
    if (for_long && rest_ == Rest::sleep)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    else
        sched_yield();
    return for_long || (looks_ - spins) % yields_between == 0;
}

} // namespace dri::transport
