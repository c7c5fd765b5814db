// A child that the program forks while the library is in use. It has the library's memory, and neither its threads
// nor MPI: what the memory holds is left alone there, also when the child ends.
#pragma once

#include <new>

namespace dri {

// The library is in use while one of these lives: each call that starts or ends it has one from its first step on,
// and so has whatever lasts from the one to the other and needs threads or MPI.
class InUse {
public:
    // Fails with DRI_ERR_STATE in such a child, and with DRI_ERR_MEMORY where the system cannot tell of forks.
    InUse();
    ~InUse();
    InUse(const InUse &) = delete;
    InUse &operator=(const InUse &) = delete;
};

// Whether this process is such a child, by whichever call of the system. Takes no lock, which a thread of the
// parent may have held, and costs two loads. require_parent() fails with DRI_ERR_STATE.
bool is_forked() noexcept;
void require_parent();

// A lock as new, whoever has it.
template <class Lock> void renew(Lock &lock) noexcept { new (&lock) Lock; }

// An object that lasts as long as the process. Such a child does not destroy it, whatever state it is in there:
// who destroys a session waits for its threads.
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

} // namespace dri
