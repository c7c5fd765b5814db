// Errors of a reservation that say what was to be reserved.
#pragma once

#include "base/error.hpp"

#include <exception>

namespace dri::commit {

// Calls `reserve`. If it fails, the error message starts with what was to be reserved, a format with its
// arguments.
template <class F, class... Args>
auto reserve_for(F reserve, fmt::format_string<const Args &...> what, const Args &...args) -> decltype(reserve()) {
    try {
        return reserve();
    } catch (const std::exception &) {
        const Error error = current_error();
        fail(error.code(), "{}: {}", fmt::format(what, args...), error.what());
    }
}

} // namespace dri::commit
