// The two transfers that most programs need, each in one call: a corner turn and a halo exchange.
#pragma once

#include <dri/cpp/sink.hpp>
#include <dri/cpp/source.hpp>
#include <dri/turn.h>

#include <string>
#include <utility>

namespace dri {
inline namespace v1 {

namespace detail {

inline void require_halo(DRI_Xfer xfer) {
    DRI_Xfer_description description;
    check(DRI_xfer_get_description(xfer, &description, nullptr, nullptr));
    if (!description.is_halo)
        fail(DRI_ERR_ARG, std::string("adopt(): DRI_halo_create has not made this: the ") +
                              (description.role == DRI_SOURCE ? "source" : "sink") + " of transfer '" +
                              description.name + "'");
}

} // namespace detail

// A corner turn, ready to be executed: `auto [rows, columns] = dri::turn("turn", matrix, dri::world(), 0, 1);`.
//
// The source is cut along from_dim and row-major, the sink is cut along to_dim and has the layout. Collective over
// the group, commit included; synchronising. Other processes may call it, too, and get empty endpoints. See
// DRI_turn_create.
template <class T, std::size_t N>
std::pair<Source<T, N>, Sink<T, N>> turn(const detail::Name &name, const Gdo<T, N> &gdo, const Group &group,
                                         int from_dim, int to_dim, const Layout &sink_layout = row_major,
                                         int buffers = 1) {
    if (group.position() < 0)
        return {};
    DRI_Xfer source, sink;
    detail::check(DRI_turn_create(name.get(), gdo.handle(), group.handle(), from_dim, to_dim, sink_layout.handle(),
                                  buffers, &source, &sink));
    detail::XferHandle of_source(source), of_sink(sink);
    std::pair<Source<T, N>, Sink<T, N>> ends;
    ends.first = Source<T, N>::adopt(source);
    of_source.give_up();
    ends.second = Sink<T, N>::adopt(sink);
    of_sink.give_up();
    return ends;
}

// An endpoint that refreshes the overlap of a distribution in place: halo() makes it. buffer() is the part to fill
// and to refresh, in row-major order. Frames move by run(), start(), test() and wait().
template <class T, std::size_t N> class Halo : public End<T, N> {
public:
    // An empty one.
    Halo() = default;
    // Takes over a handle of DRI_halo_create, as for a Source. Throws DRI_ERR_ARG for a source that moves nothing
    // without a sink of its own; the handle stays the caller's then.
    static Halo adopt(DRI_Xfer handle) {
        detail::require_halo(handle);
        return Halo(handle);
    }

private:
    explicit Halo(DRI_Xfer handle) : End<T, N>(DRI_SOURCE, handle) {}
};

// A halo exchange, ready to be executed: each frame refreshes the overlap of the distribution. Collective over its
// group, commit included; synchronising. Of an empty distribution it is empty. See DRI_halo_create.
template <class T, std::size_t N>
Halo<T, N> halo(const detail::Name &name, const Dist<T, N> &dist, int buffers = 1) {
    if (!dist)
        return {};
    DRI_Xfer made;
    detail::check(DRI_halo_create(name.get(), dist.handle(), buffers, &made));
    detail::XferHandle kept(made);
    Halo<T, N> halo = Halo<T, N>::adopt(made);
    kept.give_up();
    return halo;
}

} // namespace v1
} // namespace dri
