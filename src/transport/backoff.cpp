#include "transport/backoff.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace dri {

void Backoff::rest() {
    if (looks_ <= spins + yields) {
        sched_yield();
        return;
    }
    looks_ = spins + yields;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

} // namespace dri
