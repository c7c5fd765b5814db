// Waits on an exchange. The library itself only polls.
#pragma once

#include "transport/transport.hpp"

#include <gtest/gtest.h>

#include <sched.h>

#include <functional>

namespace dri::test {

// Polls until done() is true. Fails the test after a minute.
inline void poll_until(dri::transport::Exchange &exchange, const std::function<bool()> &done) {
    const auto until = dri::transport::Clock::now() + std::chrono::minutes(1);
    while (!done()) {
        if (dri::transport::Clock::now() > until) {
            ADD_FAILURE() << "waited for a minute";
            return;
        }
        exchange.poll_departures(transport::Look::full);
        sched_yield();
    }
}

// Any message that has not been returned yet, or -1 if none is left.
inline int64_t wait_receive(dri::transport::Exchange &exchange) {
    int64_t i = -1;
    poll_until(exchange, [&] { return !exchange.receives_open() || (i = exchange.try_receive()) >= 0; });
    return i;
}

inline void wait_sends(dri::transport::Exchange &exchange) {
    poll_until(exchange, [&] { return exchange.sends_done(); });
}

// The sender of receive i, which leaves before that frame.
inline dri::transport::Departure wait_departure(dri::transport::Exchange &exchange, int64_t frame, size_t i) {
    std::optional<dri::transport::Departure> left;
    poll_until(exchange, [&] { return (left = exchange.departures().before(frame, i)).has_value(); });
    return left.value_or(dri::transport::Departure{});
}

} // namespace dri::test
