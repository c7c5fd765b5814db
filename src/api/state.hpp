// The state of the interface between calls: the handle tables and, while the library is running, the session.
#pragma once

#include "api/handles.hpp"
#include "commit/session.hpp"
#include "model/distribution.hpp"
#include "model/layout.hpp"
#include "transport/transport.hpp"

#include <dri/dri.h>

namespace dri::api {

extern HandleTable<const model::ElementType> type_handles;
extern HandleTable<const model::Gdo> gdo_handles;
extern HandleTable<const model::Partition> part_handles;
extern HandleTable<const model::Group> group_handles;
extern HandleTable<const model::Distribution> dist_handles;
extern HandleTable<const model::Layout> layout_handles;
extern HandleTable<commit::Endpoint> endpoint_handles;

// Fails with DRI_ERR_STATE if the library is not running, and in a forked child.
std::shared_ptr<commit::Session> session();
bool session_runs();

// For a forked child, in which the thread that holds a lock may not exist: makes the locks of the session and of
// the handle tables new.
void renew_state_locks() noexcept;

// open_session and close_session are for calls that hold an InUse. Fails with DRI_ERR_STATE if the library is
// running already.
void open_session(const std::function<std::unique_ptr<transport::Transport>()> &make_transport);
// Collective: destroys all objects, then closes the transport. If that fails with DRI_ERR_TIMEOUT, the session
// stays and may be closed again.
void close_session();

// The objects of handles, including built-in types and layouts.
model::ElementType get_type(DRI_Type type);
model::Layout get_layout(DRI_Layout layout);
// Fails with DRI_ERR_STATE if the library is not running.
std::shared_ptr<commit::Endpoint> get_endpoint(DRI_Xfer xfer);

} // namespace dri::api
