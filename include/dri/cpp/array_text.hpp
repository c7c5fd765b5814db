// Arrays as text.
#pragma once

#include <dri/array.h>
#include <dri/cpp/assign.hpp>
#include <dri/cpp/domain.hpp>

#include <ostream>

namespace dri {
inline namespace v1 {

template <class T, std::size_t N> class Array;

namespace detail {

template <class T>
concept Printable = requires(std::ostream &out, const T &x) {
    out << x;
};

inline void require_stream(const std::ostream &out) {
    if (!out)
        fail(DRI_ERR_ARG, "write(): the stream has failed");
}

// Receives what the library writes. A stream that fails ends the call on all processes.
inline int put_text(void *stream, const char *text, std::size_t n) {
    return guarded([&] {
        auto &out = *static_cast<std::ostream *>(stream);
        out.write(text, static_cast<std::streamsize>(n));
        require_stream(out);
    });
}

// What separates the element at a place from the next one, as in DRI_array_write.
template <std::size_t N> void put_separator(std::ostream &out, const Index<N> &sizes, std::int64_t place) {
    std::size_t ended = 0;
    for (++place; ended < N && place % sizes[N - 1 - ended] == 0; ++ended)
        place /= sizes[N - 1 - ended];
    if (ended == 0)
        out << ' ';
    else if (N > 1)
        out << std::string(ended == N ? 1 : ended, '\n');
}

// Records, for which the library has no text: the first process of the map receives them all.
template <class T, std::size_t N, class Item> void write_records(std::ostream &out, const Item &item) {
    const Ranges<N> &ranges = item.ranges();
    const Group group = item.domain().map().group();
    if (group.position() < 0 || ranges.size() == 0)
        return;
    std::array<MapDim, N> whole;
    Array<T, N> all(Domain<N>(Map<N>(whole, Group{group.ranks().front()}), ranges));
    assign(all, item);
    group.agree(group.position() > 0 ? DRI_SUCCESS : guarded([&] {
        std::int64_t place = 0;
        for (const Index<N> &index : ranges.indices()) {
            out << all[index];
            put_separator(out, ranges.sizes(), place++);
        }
        require_stream(out);
    }));
}

// handle: an array of the item's elements.
template <class T, std::size_t N, class Item>
void write_item(std::ostream &out, const Item &item, DRI_Array handle) {
    if constexpr (Printable<T> && !is_number<T>)
        write_records<T, N>(out, item);
    else
        check(DRI_array_write(handle, put_text, &out));
}

} // namespace detail
} // namespace v1
} // namespace dri
