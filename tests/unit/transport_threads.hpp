// Runs a test on every rank of a loopback world, each on a thread of its own.
#pragma once

#include "base/error.hpp"
#include "transport/loopback_transport.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace dri_test {

inline dri::Deadline soon() { return dri::Clock::now() + std::chrono::seconds(60); }
inline dri::Deadline at_once() { return dri::Clock::now() + std::chrono::milliseconds(50); }

inline std::span<const std::byte> text(const std::string &s) { return std::as_bytes(std::span(s)); }
inline dri::Bytes as_bytes(const std::string &s) {
    const auto view = text(s);
    return dri::Bytes(view.begin(), view.end());
}
inline std::string as_string(const dri::Bytes &b) {
    return std::string(reinterpret_cast<const char *>(b.data()), b.size());
}

// The error that an action throws; a test failure and DRI_SUCCESS where it throws none.
inline dri::Error error_of(const std::function<void()> &action) {
    try {
        action();
    } catch (const dri::Error &error) {
        return error;
    }
    ADD_FAILURE() << "no error where one was due";
    return dri::Error(DRI_SUCCESS, "");
}
inline DRI_Code code_of(const std::function<void()> &action) { return error_of(action).code(); }

inline void on_ranks(int size, const std::function<void(dri::Transport &)> &body) {
    auto world = dri::make_loopback(size);
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

} // namespace dri_test
