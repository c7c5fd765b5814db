// Memory of the library that programs own: pieces for the buffers of many transfers, and buffers that outlive
// their endpoint.
#pragma once

#include <dri/cpp/element.hpp>
#include <dri/cpp/places.hpp>
#include <dri/memory.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {

template <class T, std::size_t N> class End;

// Memory for n elements, filled with zeros. Buffers in it move as the library's own do. Its destructor frees it,
// also after the end of the library. An endpoint with a buffer there must have ended before: otherwise the memory
// stays. It is moved, never copied. See DRI_alloc.
template <class T> class Memory : detail::Elementary<T> {
public:
    Memory() = default;
    // alignment: in bytes, a power of two; 0 is the library's choice, at least 64.
    explicit Memory(std::int64_t n, std::size_t alignment = 0) : size_(n) {
        if (n < 0 || n > static_cast<std::int64_t>(static_cast<std::size_t>(-1) / 2 / sizeof(T)))
            detail::fail(DRI_ERR_ARG, "Memory: " + std::to_string(n) + " elements are too few or too many");
        void *memory = nullptr;
        detail::check(DRI_alloc(static_cast<std::size_t>(n) * sizeof(T), alignment, &memory));
        data_ = static_cast<T *>(memory);
    }
    Memory(const Memory &) = delete; // dri: a Memory is moved, never copied
    Memory(Memory &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Memory &operator=(const Memory &) = delete; // dri: a Memory is moved, never copied
    Memory &operator=(Memory &&other) noexcept {
        if (this != &other) {
            DRI_free(data_);
            data_ = std::exchange(other.data_, nullptr);
            size_ = std::exchange(other.size_, 0);
        }
        return *this;
    }
    ~Memory() { DRI_free(data_); }

    // Frees it now. It throws where the destructor stays silent: while an endpoint has a buffer there.
    void free() {
        detail::check(DRI_free(data_));
        data_ = nullptr;
        size_ = 0;
    }

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(size_); } // elements
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t i) const { return data_[i]; }
    std::span<T> span() const noexcept { return {data_, size()}; }

private:
    T *data_ = nullptr;
    std::int64_t size_ = 0;
};

// Memory for n elements of T.
template <class T> Memory<T> allocate(std::int64_t n, std::size_t alignment = 0) {
    return Memory<T>(n, alignment);
}

// The library's buffers of an endpoint, kept beyond the endpoint and the library: End::keep() makes it. Copies
// share the buffers. The last one frees them, unless the endpoint still has them.
template <class T, std::size_t N> class Kept {
public:
    // None.
    Kept() = default;
    explicit operator bool() const noexcept { return kept_ != nullptr; }

    // The buffers, in the order of their use. Those of the program's own memory are not kept.
    const std::vector<Part<T, N>> &buffers() const noexcept { return parts_; }

private:
    friend End<T, N>;
    Kept(DRI_Xfer xfer, std::shared_ptr<const detail::Places<T, N>> places, std::vector<Part<T, N>> parts)
        : places_(std::move(places)), parts_(std::move(parts)) {
        DRI_Kept *kept = nullptr;
        detail::check(DRI_xfer_keep_buffers(xfer, &kept));
        kept_ = std::shared_ptr<DRI_Kept>(kept, [](DRI_Kept *buffers) { DRI_kept_free(buffers); });
        places_->prepare();
    }

    std::shared_ptr<const detail::Places<T, N>> places_;
    std::shared_ptr<DRI_Kept> kept_;
    std::vector<Part<T, N>> parts_;
};

} // namespace v1
} // namespace dri
