// The border to C: turns exceptions into codes, keeps the thread's last message, calls the user's handler. Once.
#pragma once

#include "base/error.hpp"

#include <functional>
#include <utility>

namespace dri {

// Records the exception that is being handled as the failure of a call, and returns its code.
int record_failure(const char *call) noexcept;

template <class F> int guard(const char *call, F &&steps) noexcept {
    try {
        std::forward<F>(steps)();
        return DRI_SUCCESS;
    } catch (...) {
        return record_failure(call);
    }
}

// In a child that was forked, where the thread that has the lock may not be.
void renew_handler_lock() noexcept;

// Fails with DRI_ERR_ARG for NULL.
void require_pointer(const void *pointer, const char *name);

// The place for a new handle, made null. Fails with DRI_ERR_ARG for NULL.
template <class Handle> Handle &null_handle(Handle *handle, const char *name) {
    require_pointer(handle, name);
    *handle = Handle{};
    return *handle;
}

} // namespace dri
