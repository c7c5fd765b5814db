// The state of the interface between calls: the handle tables and, while the library is running, the session.
#pragma once

#include "api/guard.hpp"
#include "base/handles.hpp"
#include "commit/session.hpp"
#include "model/distribution.hpp"
#include "model/layout.hpp"
#include "transport/transport.hpp"
#include "transport/user_memory.hpp"

#include <dri/dri.h>

#include <functional>
#include <memory>

namespace dri::api {

// Fails with DRI_ERR_STATE if the library is not running, also while a thread starts or ends it, and in a forked
// child.
std::shared_ptr<commit::Session> session();
bool session_runs();
// Fails as session(), without a lock.
void require_session();
// The session, or null if the library is not running.
std::shared_ptr<commit::Session> running_session();

// What the program has taken with DRI_alloc. It outlasts sessions.
transport::UserMemory &user_memory();

// A table for each kind of object. They are cleared in this order: endpoints before the objects that they were
// made from.
using HandleTables = TableList<HandleTable<DRI_Xfer, commit::Endpoint, HandleKind::xfer>,
                               HandleTable<DRI_Dist, const model::Distribution, HandleKind::dist>,
                               HandleTable<DRI_Layout, const model::Layout, HandleKind::layout>,
                               HandleTable<DRI_Group, const model::Group, HandleKind::group>,
                               HandleTable<DRI_Part, const model::Partition, HandleKind::part>,
                               HandleTable<DRI_Gdo, const model::Gdo, HandleKind::gdo>,
                               HandleTable<DRI_Type, const model::ElementType, HandleKind::type>>;
HandleTables &handle_tables();

// The object of a handle. Fails with DRI_ERR_HANDLE.
template <class Handle> auto get(Handle handle) { return table_of<Handle>(handle_tables()).get(handle); }

// A new handle for an object.
template <class Handle, class T> Handle make_handle(std::shared_ptr<T> object) {
    return table_of<Handle>(handle_tables()).insert(std::move(object));
}
template <class Handle, class T> Handle make_handle(T object) {
    return make_handle<Handle>(std::make_shared<const T>(std::move(object)));
}

// Destroys the user's handle and makes it null. Its object stays valid for the objects that were made from it.
template <class Handle> void destroy_handle(Handle *handle, const char *name) {
    session();
    require_pointer(handle, name);
    table_of<Handle>(handle_tables()).erase(*handle);
    *handle = {};
}

// open_session and close_session are for calls that hold an InUse and are the only StartOrEnd. Fails with
// DRI_ERR_STATE if the library is running already.
void open_session(const std::function<std::unique_ptr<transport::Transport>()> &make_transport);
// Collective: destroys all objects, then closes the transport. If that fails, the session stays and may be closed
// again. It does not stay after DRI_ERR_TRANSPORT, and if MPI no longer runs: then it can never be closed.
void close_session(bool mpi_runs);

// The objects of handles that may be built in.
model::ElementType get_type(DRI_Type type);
model::Layout get_layout(DRI_Layout layout);
// The built-in handle of an object if there is one, otherwise a new handle.
DRI_Type type_handle(const model::ElementType &type);
DRI_Layout layout_handle(const model::Layout &layout);

} // namespace dri::api
