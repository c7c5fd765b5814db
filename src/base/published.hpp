// Numbers that one thread writes and other threads may read at any time. They are plain members and not
// std::atomic, so that the object that holds them can be moved.
#pragma once

#include <atomic>

namespace dri::inline base {

// A thread that reads the new value also sees all earlier writes of the publishing thread.
template <class T> void publish(T &number, T value) {
    std::atomic_ref<T>(number).store(value, std::memory_order_release);
}

// The object itself must not be defined const. The const_cast is needed because std::atomic_ref accepts references
// to const only since C++26.
template <class T> T read_published(const T &number) {
    return std::atomic_ref<T>(const_cast<T &>(number)).load(std::memory_order_acquire);
}

} // namespace dri::inline base
