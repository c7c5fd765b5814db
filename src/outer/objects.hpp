// The objects of outer modules behind their handles.
#pragma once

#include "base/at_end.hpp"
#include "base/handles.hpp"
#include "outer/calls.hpp"

#include <memory>
#include <utility>

namespace dri::outer {

// All objects of one kind. They are destroyed at the end of the library, and never by a process that ends without
// it.
template <class Handle, class T, HandleKind kind> class Objects {
public:
    // The table of these objects.
    static HandleTable<Handle, T, kind> &table() {
        static auto *const kept = [] {
            auto *const made = new HandleTable<Handle, T, kind>;
            at_end([] { table().clear(); });
            return made;
        }();
        return *kept;
    }

    static Handle insert(std::shared_ptr<T> object) { return table().insert(std::move(object)); }
    // Fails with DRI_ERR_STATE if the library is not running, and with DRI_ERR_HANDLE.
    static std::shared_ptr<T> get(Handle handle) {
        require_library();
        return table().get(handle);
    }
    // What `read` finds in the object, see HandleTable::read. Fails as get().
    template <class F> static auto read(Handle handle, F &&read) {
        require_library();
        return table().read(handle, std::forward<F>(read));
    }
    // Destroys the user's handle and makes it null.
    static void destroy(Handle *handle, const char *name) {
        require_library();
        require_pointer(handle, name);
        table().erase(*handle);
        *handle = {};
    }
};

// The user's variable for a new handle, set to null, so that it is null if the call fails. Fails with DRI_ERR_ARG
// for NULL, and with DRI_ERR_STATE if the library is not running.
template <class Handle> Handle &null_handle(Handle *handle, const char *name) {
    require_pointer(handle, name);
    *handle = Handle{};
    require_library();
    return *handle;
}

} // namespace dri::outer
