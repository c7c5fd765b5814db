// Finds the endpoint that a call is for, by name or by handle. A thread remembers what it found, because a program
// makes the same few calls frame after frame.
#pragma once

#include "commit/endpoint.hpp"

#include <dri/xfer.h>

#include <memory>

namespace dri::api {

// The endpoint of a handle. Fails with DRI_ERR_STATE if the library is not running, and with DRI_ERR_HANDLE.
std::shared_ptr<commit::Endpoint> get_endpoint(DRI_Xfer xfer);

// The same for a call that requires a role. Fails with DRI_ERR_ARG for the other role.
std::shared_ptr<commit::Endpoint> get_endpoint(DRI_Xfer xfer, commit::Role role, const char *call);

// The endpoints that a call moves: with a handle that endpoint alone, with a name all of that name on this
// process. In place one endpoint cannot move without the other, so a handle of either means both.
struct Called {
    std::shared_ptr<commit::Endpoint> endpoint; // with a name: one of them
    commit::Moves moves;

    void execute() const { endpoint->execute(moves); }
    void start() const { endpoint->start(moves); }
    bool test() const { return endpoint->test(moves); }
    void wait() const { endpoint->wait(moves); }
};
// With a handle the name may be NULL, or must be that of its transfer.
Called get_called(const char *name, DRI_Xfer xfer);

} // namespace dri::api
