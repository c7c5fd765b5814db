// Checks that a process does the work of set_meanwhile while it waits in its transport. Rank 1 sends each item
// that rank 0 waits for only after that work has requested it. Without the work the test fails after a minute.
#pragma once

#include "transport/transport.hpp"

#include <gtest/gtest.h>

namespace dri::test {

inline void expect_work_while_waiting(dri::transport::Transport &transport) {
    constexpr int notice = 3, answer = 4;
    const auto until = dri::transport::Clock::now() + std::chrono::seconds(60);
    const int rank = transport.rank();
    if (transport.size() < 2 || rank > 1)
        return;
    int steps = 0;
    if (rank == 0) {
        transport.set_meanwhile([&] {
            if (steps > 0)
                return false;
            ++steps;
            transport.post(1, notice, {});
            return true;
        });
        transport.receive(1, answer, until);
        EXPECT_EQ(steps, 1) << "in receive";
        steps = 0;
        EXPECT_EQ(transport.receive_any(answer, until).peer, 1);
        EXPECT_EQ(steps, 1) << "in receive_any";
        steps = 0;
        EXPECT_TRUE(transport.meanwhile());
        EXPECT_FALSE(transport.meanwhile());
        transport.receive(1, answer, until);
        transport.set_meanwhile({});
    } else {
        for (int i = 0; i < 3; ++i) {
            transport.receive(0, notice, until);
            transport.post(0, answer, {});
        }
    }
}

} // namespace dri::test
