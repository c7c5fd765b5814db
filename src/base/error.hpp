// Failures inside the library are exceptions that carry a public code; api turns them into codes, once.
#pragma once

#include <dri/codes.h>
#include <spdlog/fmt/fmt.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace dri {

class Error : public std::runtime_error {
public:
    Error(DRI_Code code, const std::string &message) : std::runtime_error(message), code_(code) {}
    DRI_Code code() const noexcept { return code_; }

private:
    DRI_Code code_;
};

[[noreturn, gnu::cold]] void fail_with(DRI_Code code, fmt::string_view text, fmt::format_args args);

// Calls fail_with rather than formats in place: failures are rare, and there are hundreds of their messages to
// compile.
template <class... Args>
[[noreturn, gnu::cold, gnu::noinline]] void fail(DRI_Code code, fmt::format_string<Args...> text, Args &&...args) {
    fail_with(code, text, fmt::make_format_args(args...));
}

// The code and the message of the exception that is being handled: the one place that turns one into the other.
Error current_error();

} // namespace dri
