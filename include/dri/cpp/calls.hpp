// Frames of all endpoints of a name.
#pragma once

#include <dri/cpp/status.hpp>

namespace dri {
inline namespace v1 {

// Executes one frame of every endpoint of that name that this process holds. False: the stream has ended. See
// DRI_do.
inline bool run(const detail::Name &name) { return detail::check_stream(DRI_do(name.get(), DRI_XFER_NULL)); }

// The halves of run().
inline void start(const detail::Name &name) { detail::check(DRI_start(name.get(), DRI_XFER_NULL)); }

inline Status test(const detail::Name &name) {
    int done = 0;
    const int code = DRI_test(name.get(), DRI_XFER_NULL, &done);
    return detail::status_of(code, done);
}

inline bool wait(const detail::Name &name) { return detail::check_stream(DRI_wait(name.get(), DRI_XFER_NULL)); }

// Moves all transfers of this process as far as no wait is needed. Local.
inline void progress() { detail::check(DRI_progress()); }

} // namespace v1
} // namespace dri
