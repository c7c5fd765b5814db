// The ends of a transfer that a call is about.
#pragma once

#include "api/guard.hpp"
#include "api/state.hpp"

namespace dri {

struct CalledEndpoints {
    std::shared_ptr<LocalTransfer> transfer;
    EndpointSet endpoints;
};
// By a name and a null handle all ends of that name, by a handle that one.
CalledEndpoints get_called(const char *name, DRI_Xfer xfer);
// An end is destroyed, or all are: what was found before is looked for again.
void forget_called();
// In a child that was forked, where the thread that has the lock may not be.
void renew_called_lock() noexcept;

} // namespace dri
