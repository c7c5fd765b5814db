// Handles of the C interface as values with owners.
#pragma once

#include <dri/cpp/error.hpp>
#include <dri/env.h>
#include <dri/gdo.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace dri {
inline namespace v1 {

// An index, a shape, or an offset: one number for each dimension.
template <std::size_t N> using Index = std::array<std::int64_t, N>;

namespace detail {

template <class...> inline constexpr bool never = false;

// Each type of N dimensions derives from this, so that a wrong N fails in one place.
template <std::size_t N> struct Dims { static_assert(N <= DRI_MAX_DIMS, "dri: an array has 0 to 8 dimensions"); };

inline bool library_runs() noexcept {
    int flag = 0;
    return DRI_initialized(&flag) == DRI_SUCCESS && flag == 1;
}

// Destroys an object. After the end of the library there is nothing to destroy, and nothing happens.
template <class Handle, int (*destroy)(Handle *)> void destroy_quietly(Handle handle) noexcept {
    if (handle.id != 0 && library_runs())
        destroy(&handle);
}

// A handle whose copies share one object. The last copy destroys it. To move is to copy, so an object that was
// moved from stays what it was.
template <class Handle, int (*destroy)(Handle *)> class Shared {
public:
    constexpr Shared() = default;
    Shared(const Shared &) = default;
    Shared &operator=(const Shared &) = default;
    // Owns the handle from now on.
    explicit Shared(Handle handle) : kept_(std::make_shared<const Kept>(handle)) {}

    Handle get() const noexcept { return kept_ ? kept_->handle : Handle{}; }
    explicit operator bool() const noexcept { return kept_ != nullptr; }

private:
    struct Kept {
        explicit Kept(Handle owned) : handle(owned) {}
        Kept(const Kept &) = delete;
        Kept &operator=(const Kept &) = delete;
        ~Kept() { destroy_quietly<Handle, destroy>(handle); }
        Handle handle;
    };
    std::shared_ptr<const Kept> kept_;
};

// A handle with one owner.
template <class Handle, int (*destroy)(Handle *)> class Owned {
public:
    constexpr Owned() = default;
    explicit Owned(Handle handle) noexcept : handle_(handle) {}
    Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
    Owned &operator=(Owned &&other) noexcept {
        if (this != &other)
            destroy_quietly<Handle, destroy>(std::exchange(handle_, std::exchange(other.handle_, Handle{})));
        return *this;
    }
    ~Owned() { destroy_quietly<Handle, destroy>(handle_); }

    Handle get() const noexcept { return handle_; }
    Handle *out() noexcept { return &handle_; }
    Handle give_up() noexcept { return std::exchange(handle_, Handle{}); } // it is another one's from now on

private:
    Handle handle_{};
};

// The address of an array's first entry. An array of no entries has one, too.
template <class X, std::size_t N> X *pointer(std::array<X, N> &array) {
    if constexpr (N == 0) {
        static X none{};
        return &none;
    } else {
        return array.data();
    }
}

template <class X, std::size_t N> const X *pointer(const std::array<X, N> &array) {
    if constexpr (N == 0) {
        static const X none{};
        return &none;
    } else {
        return array.data();
    }
}

} // namespace detail

} // namespace v1
} // namespace dri
