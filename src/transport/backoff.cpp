// The slow part of a wait: yields the core, or sleeps after a long time.
#include "transport/backoff.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace dri::transport {

bool Backoff::rest() {
    if (looks_ > spins + yields && rest_ == Rest::sleep) {
        looks_ = spins + yields;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        return true;
    }
    if (looks_ > spins + yields)
        looks_ -= yields;
    sched_yield();
    return (looks_ - spins) % yields_between == 0;
}

} // namespace dri::transport
