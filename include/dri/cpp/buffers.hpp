// Buffers of the program's own: what an endpoint takes as its memory.
#pragma once

#include <dri/cpp/view.hpp>
#include <dri/xfer.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

// Memory of the user for one buffer.
template <class T> struct UserBuffer {
    T *data = nullptr;
    std::int64_t size = 0;   // elements from there on
    bool is_library = false; // it is none: the library provides this buffer

    // Throws if an endpoint needs more.
    void require(std::size_t bytes, const std::string &who) const {
        if (static_cast<std::size_t>(size) * sizeof(T) < bytes)
            fail(DRI_ERR_ARG, who + " has " + std::to_string(static_cast<std::size_t>(size) * sizeof(T)) +
                                  " bytes, but needs " + std::to_string(bytes));
    }
};

// Whether X is a View, or made of one, such as a Part.
template <class X> inline constexpr bool is_view = requires(const X &x) {
    []<class T, std::size_t N>(const View<T, N> &) {}(x);
};

template <class X> inline constexpr bool has_memory = requires(X &x) { std::data(x) + std::size(x); };

// One buffer: a span, a View, or anything with data() and size().
template <class T, class Buffer> UserBuffer<T> user_buffer(Buffer &buffer) {
    if constexpr (is_view<std::remove_cv_t<Buffer>>) {
        static_assert(std::is_same_v<typename Buffer::element_type, T>,
                      "dri: the buffers of an endpoint are spans or Views of its own element type");
        std::int64_t reach = 1;
        for (std::size_t d = 0; d < buffer.extents().size(); ++d) {
            if (buffer.strides()[d] < 0)
                fail(DRI_ERR_ARG, "a buffer is a View with a negative stride");
            reach += (buffer.extents()[d] - 1) * buffer.strides()[d];
        }
        return {.data = buffer.data(), .size = buffer.size() > 0 ? reach : 0};
    } else if constexpr (has_memory<Buffer>) {
        static_assert(std::is_same_v<std::remove_pointer_t<decltype(std::data(buffer))>, T>,
                      "dri: the buffers of an endpoint are spans or Views of its own element type");
        return {.data = std::data(buffer), .size = static_cast<std::int64_t>(std::size(buffer))};
    } else {
        static_assert(never<Buffer>, "dri: the buffers of an endpoint are spans or Views of its own element type");
        return {};
    }
}

// Whether Buffers is a range of buffers, and not one buffer.
template <class Buffers, class T> constexpr bool is_list() {
    if constexpr (is_view<std::remove_cv_t<Buffers>> || !has_memory<Buffers>) {
        return false;
    } else {
        using Content = std::remove_pointer_t<decltype(std::data(std::declval<Buffers &>()))>;
        return is_view<std::remove_cv_t<Content>> ||
               (!std::is_same_v<std::remove_cv_t<Content>, T> && has_memory<Content>);
    }
}

// What owns no memory, such as a span: if it is empty, the library provides the buffer.
template <class Buffer>
inline constexpr bool borrows =
    is_view<std::remove_cv_t<Buffer>> || std::ranges::enable_borrowed_range<std::remove_cv_t<Buffer>>;

// One buffer, or a range of them. needed: false on processes whose endpoint is empty.
template <class T, class Buffers> std::vector<UserBuffer<T>> user_buffers(Buffers &buffers, bool needed) {
    std::vector<UserBuffer<T>> list;
    if constexpr (is_list<Buffers, T>())
        for (auto &buffer : buffers) {
            list.push_back(user_buffer<T>(buffer));
            if (borrows<std::remove_reference_t<decltype(buffer)>> && list.back().size == 0)
                list.back() = {.is_library = true};
        }
    else
        list.push_back(user_buffer<T>(buffers));
    if (needed && list.empty())
        fail(DRI_ERR_ARG, "the list of buffers is empty; without a list the library provides them");
    return list;
}

inline std::size_t buffer_bytes(DRI_Xfer xfer) {
    std::size_t bytes = 0;
    check(DRI_xfer_buffer_bytes(xfer, &bytes));
    return bytes;
}

// Checks the sizes of an endpoint's buffers here, and lets the commit check them in place, where it may need more.
template <class T> void check_sizes(DRI_Xfer xfer, const char *name, const std::vector<UserBuffer<T>> &buffers) {
    const std::size_t bytes = buffer_bytes(xfer);
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t smallest = none;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].is_library)
            continue;
        buffers[i].require(bytes, std::string("transfer '") + name + "': buffer " + std::to_string(i));
        smallest = std::min(smallest, buffers[i].size);
    }
    if (smallest != none)
        check(DRI_xfer_set_attr(xfer, DRI_ATTR_BUFFER_BYTES, smallest * static_cast<std::int64_t>(sizeof(T))));
}

// A list of buffers in braces: `{a, b}`. Lists of what is neither are refused with a sentence.
template <class T> using Spans = std::initializer_list<std::type_identity_t<std::span<T>>>;
template <class T, std::size_t N> using Views = std::initializer_list<View<T, N>>;
template <class U, class T, std::size_t N>
concept NoBuffer = !std::convertible_to<U &, std::span<T>> && !std::convertible_to<U &, View<T, N>>;

} // namespace detail

} // namespace v1
} // namespace dri
