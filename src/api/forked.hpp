// Protects a child that the program forks while the library is in use. The child has a copy of the library's
// memory, but neither its threads nor MPI. Therefore objects in that memory are not used there, and not destroyed
// when the child exits.
#pragma once

#include <new>

namespace dri::api {

// The library is in use while an object of this class exists. Each call that starts or ends the library holds one
// from its first step on. Everything that lasts between these calls and needs threads or MPI holds one, too.
class InUse {
public:
    // Fails with DRI_ERR_STATE in such a child, and with DRI_ERR_MEMORY if no fork handler could be registered.
    InUse();
    ~InUse();
    InUse(const InUse &) = delete;
    InUse &operator=(const InUse &) = delete;
};

// Whether this process is such a child, whichever system call forked it. Takes no lock, because a thread of the
// parent may have held it. Costs two loads. require_parent() fails with DRI_ERR_STATE in such a child.
bool is_forked() noexcept;
void require_parent();

// Makes a lock new, even if a thread holds it. For forked children only.
template <class Lock> void renew(Lock &lock) noexcept { new (&lock) Lock; }

// An object that exists as long as the process. A forked child does not destroy it, whatever its state: destroying
// a session would wait for threads that the child does not have.
template <class T> class NoDestroy {
public:
    constexpr NoDestroy() : object_() {}
    ~NoDestroy() {
        if (!is_forked())
            object_.~T();
    }
    NoDestroy(const NoDestroy &) = delete;
    NoDestroy &operator=(const NoDestroy &) = delete;

    T &operator*() { return object_; }
    const T &operator*() const { return object_; }
    T *operator->() { return &object_; }
    const T *operator->() const { return &object_; }

private:
    union {
        T object_;
    };
};

} // namespace dri::api
