// What the interface holds between calls: the handle tables and, while the library runs, the session.
#pragma once

#include "api/handles.hpp"
#include "commit/session.hpp"
#include "model/distribution.hpp"
#include "model/layout.hpp"

#include <dri/dri.h>

namespace dri {

extern HandleTable<const ElementType> type_handles;
extern HandleTable<const Gdo> gdo_handles;
extern HandleTable<const Partition> part_handles;
extern HandleTable<const Group> group_handles;
extern HandleTable<const Distribution> dist_handles;
extern HandleTable<const Layout> layout_handles;
extern HandleTable<Endpoint> xfer_handles;

// Fails with DRI_ERR_STATE where the library does not run, and in a child that was forked.
std::shared_ptr<Session> session();
bool session_runs();

// In a child that was forked, where the thread that has a lock may not be: makes those of the session and of the
// objects new.
void renew_state_locks() noexcept;

// Both for calls that have the library in use. Fails with DRI_ERR_STATE where the library runs already.
void open_session(const std::function<std::unique_ptr<Transport>()> &make_transport);
// Collective: destroys all objects, then ends the transport. The session goes on where that fails with
// DRI_ERR_TIMEOUT.
void close_session();

// The objects behind handles; the library's own types and layouts included.
ElementType get_type(DRI_Type type);
Layout get_layout(DRI_Layout layout);
// Fails with DRI_ERR_STATE where the library does not run.
std::shared_ptr<Endpoint> get_endpoint(DRI_Xfer xfer);

} // namespace dri
