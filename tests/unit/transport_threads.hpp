// Runs a test on every rank of a loopback world, each rank on a thread of its own.
#pragma once

#include "support/loopback_transport.hpp"
#include "support/set_up_words.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace dri::test {

inline void on_ranks(int size, const std::function<void(dri::transport::Transport &)> &body) {
    auto world = make_loopback(size);
    std::vector<std::thread> threads;
    for (auto &transport : world)
        threads.emplace_back([&body, t = transport.get()] {
            try {
                body(*t);
            } catch (const std::exception &error) {
                ADD_FAILURE() << "rank " << t->rank() << ": " << error.what();
            }
        });
    for (auto &thread : threads)
        thread.join();
}

} // namespace dri::test
