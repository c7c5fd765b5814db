// Short helpers for tests of set-up messages: deadlines, texts as bytes, and the code of a failure.
#pragma once

#include "base/error.hpp"
#include "transport/step.hpp"

#include <functional>
#include <string>

namespace dri::test {

inline dri::transport::Deadline soon() { return dri::transport::Clock::now() + std::chrono::seconds(60); }
// Long enough for all threads of a test to begin, also on a busy machine: an error names who is missing.
inline dri::transport::Deadline at_once() { return dri::transport::Clock::now() + std::chrono::milliseconds(100); }

inline std::span<const std::byte> text(const std::string &s) { return std::as_bytes(std::span(s)); }
inline dri::Bytes as_bytes(const std::string &s) {
    const auto view = text(s);
    return dri::Bytes(view.begin(), view.end());
}
inline std::string as_string(const dri::Bytes &b) {
    return std::string(reinterpret_cast<const char *>(b.data()), b.size());
}

// A step of a call that only tests make. The members must outlive it.
inline dri::transport::Step step_over(std::span<const int> members, dri::transport::Deadline deadline,
                                      std::string_view call = "DRI_test", std::string_view purpose = "try") {
    return {call, purpose, members, deadline};
}

// The code of the error that an action throws; DRI_SUCCESS if it throws none.
inline dri::Error error_of(const std::function<void()> &action) {
    try {
        action();
    } catch (const dri::Error &error) {
        return error;
    }
    return dri::Error(DRI_SUCCESS, "");
}
inline DRI_Code code_of(const std::function<void()> &action) { return error_of(action).code(); }

} // namespace dri::test
