// Sources: endpoints where data leave.
#pragma once

#include <dri/cpp/end.hpp>
#include <dri/cpp/frame.hpp>

#include <optional>

namespace dri {
inline namespace v1 {

template <class T, std::size_t N> class Source;

// Declares an endpoint whose frames are strips of an array, along dimension dim. strip: a distribution of the
// first one. A further argument brings buffers of one strip. Local. See DRI_xfer_create_strips.
template <class T, std::size_t N>
Source<T, N> source_strips(const detail::Name &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                           const Options &options = {});
template <class T, std::size_t N, class Buffers>
Source<T, N> source_strips(const detail::Name &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                           const Options &options, Buffers &&buffers);

// The endpoint of a transfer where data leave. It is moved, never copied; its destructor destroys the endpoint.
template <class T, std::size_t N> class Source : public End<T, N> {
public:
    // An empty one.
    Source() = default;

    // Declares the endpoint. Local. See DRI_xfer_create.
    Source(const detail::Name &name, const Dist<T, N> &dist, const Options &options = {})
        : End<T, N>(DRI_SOURCE, name, dist, options) {}

    // The same in the program's own memory: a span or a View of T for each buffer. Throws DRI_ERR_ARG if one is
    // too small. They must stay valid as long as the endpoint. An empty span in a list leaves that buffer to the
    // library: `{first, std::span<T>()}`.
    template <class Buffers>
    Source(const detail::Name &name, const Dist<T, N> &dist, const Options &options, Buffers &&buffers)
        : End<T, N>(DRI_SOURCE, name, dist, options, detail::user_buffers<T>(buffers, bool(dist))) {}
    Source(const detail::Name &name, const Dist<T, N> &dist, const Options &options, detail::Spans<T> buffers)
        : End<T, N>(DRI_SOURCE, name, dist, options, detail::user_buffers<T>(buffers, bool(dist))) {}
    Source(const detail::Name &name, const Dist<T, N> &dist, const Options &options, detail::Views<T, N> buffers)
        : End<T, N>(DRI_SOURCE, name, dist, options, detail::user_buffers<T>(buffers, bool(dist))) {}
    template <detail::NoBuffer<T, N> Other>
    Source(const detail::Name &name, const Dist<T, N> &dist, const Options &options, std::initializer_list<Other>)
        : End<T, N>(DRI_SOURCE, name, dist, options) {
        static_assert(detail::never<Other>,
                      "dri: the buffers of an endpoint are spans or Views of its own element type");
    }

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for a sink, another type or another number of
    // dimensions; the handle stays the caller's then.
    static Source adopt(DRI_Xfer handle) { return Source(handle); }

    // The buffer that is held, otherwise the next one as soon as it is free. See DRI_next.
    Part<T, N> next() {
        void *address = nullptr;
        detail::check(DRI_next(this->handle(), &address));
        return this->part_in_hand(address);
    }

    // One more buffer, as soon as it is free. See DRI_acquire.
    Part<T, N> acquire() {
        void *address = nullptr;
        detail::check(DRI_acquire(this->handle(), &address));
        return this->part_at(address);
    }
    // The same if it is free now, otherwise none. Local. See DRI_try_acquire.
    std::optional<Part<T, N>> try_acquire() {
        void *address = nullptr;
        int done = 0;
        detail::check(DRI_try_acquire(this->handle(), &address, &done));
        return done ? std::optional(this->part_at(address)) : std::nullopt;
    }

    // Hands over the oldest buffer that is held. Local. See DRI_insert.
    void insert() { detail::check(DRI_insert(this->handle(), nullptr)); }
    // The same with what travels with the frame of a stream: a Frame, or a text alone.
    void insert(const Frame &frame) { insert(Frame(frame)); }
    void insert(Frame &&frame) { detail::check(DRI_insert(this->handle(), &frame.to_insert())); }

    // Closes a stream after the frames that are inserted. Local. See DRI_xfer_close.
    void close() { detail::check(DRI_xfer_close(this->handle())); }

    // Calls of sinks, which the compiler refuses here.
    template <class X = T> void extract() const {
        static_assert(detail::never<X>, "dri: extract() is a call of a Sink, and this is a Source");
    }
    template <class... X> void try_extract(X &&...) const {
        static_assert(detail::never<X...>, "dri: try_extract() is a call of a Sink, and this is a Source");
    }
    template <class X = T> void release() const {
        static_assert(detail::never<X>, "dri: release() is a call of a Sink, and this is a Source");
    }
    template <class X = T> void last() const {
        static_assert(detail::never<X>, "dri: last() is a call of a Sink, and this is a Source");
    }
    template <class X = T> void frames() const {
        static_assert(detail::never<X>, "dri: frames() is a call of a Sink, and this is a Source");
    }

private:
    template <class U, std::size_t M>
    friend Source<U, M> source_strips(const detail::Name &, const Gdo<U, M> &, int, const Dist<U, M> &,
                                      const Options &);
    template <class U, std::size_t M, class Buffers>
    friend Source<U, M> source_strips(const detail::Name &, const Gdo<U, M> &, int, const Dist<U, M> &,
                                      const Options &, Buffers &&);

    Source(const detail::Name &name, const detail::StripsOf<T, N> &strips, const Dist<T, N> &strip,
           const Options &options, const std::vector<detail::UserBuffer<T>> &memory = {})
        : End<T, N>(DRI_SOURCE, name, strip, options, memory, &strips) {}

    explicit Source(DRI_Xfer handle) : End<T, N>(DRI_SOURCE, handle) {}
};

template <class T, std::size_t N>
Source<T, N> source_strips(const detail::Name &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                           const Options &options) {
    return Source<T, N>(name, detail::StripsOf<T, N>{whole, dim}, strip, options);
}

template <class T, std::size_t N, class Buffers>
Source<T, N> source_strips(const detail::Name &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                           const Options &options, Buffers &&buffers) {
    return Source<T, N>(name, detail::StripsOf<T, N>{whole, dim}, strip, options,
                        detail::user_buffers<T>(buffers, bool(strip)));
}

} // namespace v1
} // namespace dri
