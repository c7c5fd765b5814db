// Failures inside the library are exceptions that carry a public code. Module api turns them into return codes at
// one place.
#pragma once

#include <dri/codes.h>
#include <spdlog/fmt/fmt.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace dri::inline base {

class Error : public std::runtime_error {
public:
    Error(DRI_Code code, const std::string &message) : std::runtime_error(message), code_(code) {}
    DRI_Code code() const noexcept { return code_; }

private:
    DRI_Code code_;
};

[[noreturn, gnu::cold]] void fail_with(DRI_Code code, fmt::string_view text, fmt::format_args args);

// Throws an Error with a formatted message, in which what does not print is escaped: see printable(). The
// formatting itself is in fail_with, out of line: failures are rare, and hundreds of calls would otherwise compile
// it in place.
template <class... Args>
[[noreturn, gnu::cold, gnu::noinline]] void fail(DRI_Code code, fmt::format_string<Args...> text, Args &&...args) {
    fail_with(code, text, fmt::make_format_args(args...));
}

// Whether a number is one of DRI_Code that reports a failure.
constexpr bool is_failure(int code) {
    return code >= DRI_ERR_ARG && code <= DRI_ERR_DUPLICATE && code != DRI_END_OF_STREAM;
}

// The code and the message of the exception that is being handled. All translation of exceptions to codes happens
// here. To be called inside a catch block only.
Error current_error();

} // namespace dri::inline base
