// The boundary to C of this module. It stands on the public interface, so failures are reported by DRI_fail.
#pragma once

#include "base/error.hpp"

#include <string>
#include <utility>

namespace dri::outer {

// Thrown for a call of the public interface that has failed, and has therefore told the error handler already.
struct AlreadyReported {
    int code;
};

// Goes on if the call of the public interface has succeeded.
inline void require(int code) {
    if (code != DRI_SUCCESS)
        throw AlreadyReported{code};
}

// Reports the exception that is being handled as the failure of `call`, and returns its code. To be called inside
// a catch block only.
int report(const char *call) noexcept;

// Runs the steps of a public function. No exception leaves it.
template <class F> int run(const char *call, F &&steps) noexcept {
    try {
        std::forward<F>(steps)();
        return DRI_SUCCESS;
    } catch (...) {
        return report(call);
    }
}

// Fails with DRI_ERR_STATE if the library is not running.
void require_library();
// Fails with DRI_ERR_ARG for NULL.
void require_pointer(const void *pointer, const char *name);
// Gives the user a text, which is cut if it is too long. Fails with DRI_ERR_ARG for NULL or n 0.
void give_text(const std::string &made, char *text, size_t n);

} // namespace dri::outer
