// What an endpoint tells of its strips.
#pragma once

#include <dri/cpp/gdo.hpp>
#include <dri/strips.h>

namespace dri {
inline namespace v1 {

// The strips of an endpoint. Without strips its arrays are their only strip.
template <class T, std::size_t N> struct Strips {
    std::int64_t count;   // of an array
    std::int64_t in_hand; // the one in buffer(), from 0; -1 if there is no such buffer
    int dim;              // along which they follow each other; -1 without strips
    Gdo<T, N> whole;      // the array whose strips these are
};

namespace detail {

// What DRI_xfer_get_strips tells of an endpoint.
template <class T, std::size_t N> Strips<T, N> strips_of(DRI_Xfer xfer) {
    std::int64_t count = 0, in_hand = -1;
    int dim = -1;
    Owned<DRI_Gdo, DRI_gdo_destroy> whole;
    check(DRI_xfer_get_strips(xfer, &count, &in_hand, &dim, whole.out()));
    Strips<T, N> strips{count, in_hand, dim, Gdo<T, N>::adopt(whole.get())};
    whole.give_up();
    return strips;
}

} // namespace detail

} // namespace v1
} // namespace dri
