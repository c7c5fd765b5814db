// Numbers that one thread writes and others read at any time: plain members, so that what holds them can be moved.
#pragma once

#include <atomic>

namespace dri {

template <class T> void publish(T &number, T value) {
    std::atomic_ref<T>(number).store(value, std::memory_order_release);
}

// Never of an object that was made const; before C++26 only a reference to one that may change is read atomically.
template <class T> T read_published(const T &number) {
    return std::atomic_ref<T>(const_cast<T &>(number)).load(std::memory_order_acquire);
}

} // namespace dri
