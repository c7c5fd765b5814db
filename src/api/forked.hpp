// A child that the program forks while the library runs. It has the library's memory, and neither its threads nor
// MPI: what the memory holds is left alone there, also when the child ends.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace dri {

// From now on children are such ones while the library runs. Fails with DRI_ERR_MEMORY. May be called again.
void watch_forks();

// Neither takes a lock, which a thread may have held when it was forked. require_parent() fails with
// DRI_ERR_STATE.
bool is_forked() noexcept;
void require_parent();

// A lock as new, whoever has it.
template <class Lock> void renew(Lock &lock) noexcept { new (&lock) Lock; }

// Moves an object to where nothing destroys it, whatever state it is in.
template <class T> void abandon(T &object) noexcept {
    alignas(T) static std::byte place[sizeof(T)];
    new (place) T(std::move(object));
}

} // namespace dri
