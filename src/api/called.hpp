// Finds the endpoints that a call means, by name or by handle.
#pragma once

#include "api/guard.hpp"
#include "api/state.hpp"

namespace dri::api {

struct CalledEndpoints {
    std::shared_ptr<exec::LocalTransfer> transfer;
    exec::EndpointSet endpoints;
};
// With a null handle: all endpoints of that name on this process. With a handle: that endpoint alone; the name may
// be NULL, or must be that of its transfer.
CalledEndpoints get_called(const char *name, DRI_Xfer xfer);
// Clears the lookup cache. To be called when an endpoint, or all of them, have been destroyed.
void forget_called();
// For a forked child, in which the thread that holds the lock may not exist: makes the lock new.
void renew_called_lock() noexcept;

} // namespace dri::api
