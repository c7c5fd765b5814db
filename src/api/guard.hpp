// The boundary to C. Every public function that can fail runs inside guard(), which turns exceptions into codes,
// keeps the thread's last message, and calls the user's error handler.
#pragma once

#include "base/error.hpp"

#include <functional>
#include <utility>

namespace dri::api {

// Records the exception that is being handled as the failure of `call`, and returns its code. To be called inside
// a catch block only.
int record_failure(const char *call) noexcept;

// Records a failure with this message, calls the user's error handler, and returns the code. Without memory for
// the message it is "".
int report_failure(int code, const char *message) noexcept;

// Runs the steps of a public function. No exception leaves it.
template <class F> int guard(const char *call, F &&steps) noexcept {
    try {
        std::forward<F>(steps)();
        return DRI_SUCCESS;
    } catch (...) {
        return record_failure(call);
    }
}

// The rank that messages of failures name; no_rank while the library is not running.
constexpr int no_rank = -1;
void set_rank(int rank) noexcept;

// The message of this thread's last failed call; "" before the first one.
const char *last_error_message() noexcept;
// Does nothing in a forked child, where no handler is called.
void set_error_handler(DRI_Error_handler fn, void *context);

// Fails with DRI_ERR_ARG for NULL.
void require_pointer(const void *pointer, const char *name);

// The user's variable for a new handle, set to the null handle, so that it is null if the call fails. Fails with
// DRI_ERR_ARG for NULL.
template <class Handle> Handle &null_handle(Handle *handle, const char *name) {
    require_pointer(handle, name);
    *handle = Handle{};
    return *handle;
}

} // namespace dri::api
