// A number that one thread writes and other threads may read at any time. The object that holds it can be moved,
// as long as no other thread uses it.
#pragma once

#include <atomic>

namespace dri::inline base {

// The owner is the thread that writes, or the thread that holds the lock or guard under which it is written. The
// owner's view is a plain number: it converts to T and costs what a T costs. All other threads call read().
template <class T> class Published {
public:
    Published() = default;
    Published(T value) : value_(value) {}
    Published(const Published &other) : value_(other.own()) {}
    Published &operator=(const Published &other) {
        return value_.store(other.own(), std::memory_order_relaxed), *this;
    }
    Published &operator=(T) = delete; // publish() shows that other threads read it

    // The owner's view.
    T own() const { return value_.load(std::memory_order_relaxed); }
    operator T() const { return own(); }

    // A thread that reads the new value also sees all earlier writes of the publishing thread.
    void publish(T value) { value_.store(value, std::memory_order_release); }
    T read() const { return value_.load(std::memory_order_acquire); }

private:
    static_assert(std::atomic<T>::is_always_lock_free);
    std::atomic<T> value_{};
};

} // namespace dri::inline base
