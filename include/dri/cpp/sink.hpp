// Sinks: endpoints where data arrive.
#pragma once

#include <dri/cpp/end.hpp>
#include <dri/cpp/frames.hpp>

#include <optional>

namespace dri {
inline namespace v1 {

// Declares an endpoint whose frames are strips of an array, along dimension dim. strip: a distribution of the
// first one. Local. See DRI_xfer_create_strips.
template <class T, std::size_t N>
Sink<T, N> sink_strips(const detail::Name &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                       const Options &options = {});

// The endpoint of a transfer where data arrive. It is moved, never copied; its destructor destroys the endpoint.
template <class T, std::size_t N> class Sink : public End<T, N> {
public:
    // An empty one.
    Sink() = default;

    // Declares the endpoint. Local. See DRI_xfer_create.
    Sink(const detail::Name &name, const Dist<T, N> &dist, const Options &options = {})
        : End<T, N>(DRI_SINK, name, dist, options) {}

    // The same in the program's own memory, as for a Source.
    template <class Buffers>
    Sink(const detail::Name &name, const Dist<T, N> &dist, const Options &options, Buffers &&buffers)
        : End<T, N>(DRI_SINK, name, dist, options, detail::user_buffers<T>(buffers, bool(dist))) {}
    Sink(const detail::Name &name, const Dist<T, N> &dist, const Options &options, detail::Spans<T> buffers)
        : End<T, N>(DRI_SINK, name, dist, options, detail::user_buffers<T>(buffers, bool(dist))) {}
    Sink(const detail::Name &name, const Dist<T, N> &dist, const Options &options, detail::Views<T, N> buffers)
        : End<T, N>(DRI_SINK, name, dist, options, detail::user_buffers<T>(buffers, bool(dist))) {}
    template <detail::NoBuffer<T, N> Other>
    Sink(const detail::Name &name, const Dist<T, N> &dist, const Options &options, std::initializer_list<Other>)
        : End<T, N>(DRI_SINK, name, dist, options) {
        static_assert(detail::never<Other>,
                      "dri: the buffers of an endpoint are spans or Views of its own element type");
    }

    // Takes over a handle of the C interface, as for a Source.
    static Sink adopt(DRI_Xfer handle) { return Sink(handle); }

    // The next frame as soon as it has arrived; empty after the last one of a stream. See DRI_extract.
    std::optional<Received<T, N>> extract() {
        std::optional<Received<T, N>> received(std::in_place);
        void *address = nullptr;
        if (detail::check_stream(DRI_extract(this->handle(), &address, received->out())))
            received->set(address, this->placement_in_hand());
        else
            received.reset();
        return received;
    }
    // The same if it is here now: Status::done, and `received` is the frame. Local. See DRI_try_extract.
    Status try_extract(Received<T, N> &received) {
        void *address = nullptr;
        int done = 0;
        const int code = DRI_try_extract(this->handle(), &address, received.out(), &done);
        const Status status = detail::status_of(code, done);
        if (status == Status::done)
            received.set(address, this->placement_in_hand());
        return status;
    }

    // Gives back the oldest frame that is held. Local. See DRI_release.
    void release() { detail::check(DRI_release(this->handle())); }

    // The frame that was extracted last, also by run(), as long as it is held. Local. See DRI_xfer_get_frame.
    Received<T, N> last() const {
        Received<T, N> received;
        read_last(received);
        return received;
    }

    // All frames to come. Each step gives back the oldest frame that is held, if any, and waits for the next one,
    // as run() does. A loop that is left early holds its last frame. After a Timeout a new loop goes on with the
    // frame that was waited for. Without an endpoint there are none.
    Frames<T, N> frames() { return Frames<T, N>(*this ? this : nullptr); }

    // Calls of sources, which the compiler refuses here.
    template <class X = T> void next() const {
        static_assert(detail::never<X>, "dri: next() is a call of a Source, and this is a Sink");
    }
    template <class X = T> void acquire() const {
        static_assert(detail::never<X>, "dri: acquire() is a call of a Source, and this is a Sink");
    }
    template <class X = T> void try_acquire() const {
        static_assert(detail::never<X>, "dri: try_acquire() is a call of a Source, and this is a Sink");
    }
    template <class... X> void insert(const X &...) const {
        static_assert(detail::never<X...>, "dri: insert() is a call of a Source, and this is a Sink");
    }
    template <class X = T> void close() const {
        static_assert(detail::never<X>, "dri: close() is a call of a Source, and this is a Sink");
    }

private:
    friend Frames<T, N>;
    template <class U, std::size_t M>
    friend Sink<U, M> sink_strips(const detail::Name &, const Gdo<U, M> &, int, const Dist<U, M> &,
                                  const Options &);

    Sink(const detail::Name &name, const detail::StripsOf<T, N> &strips, const Dist<T, N> &strip,
         const Options &options)
        : End<T, N>(DRI_SINK, name, strip, options, {}, &strips) {}

    // DRI_do knows what the endpoint holds, what is started, and what a timeout has left.
    bool advance(Received<T, N> &received) {
        if (!detail::check_stream(DRI_do(nullptr, this->handle())))
            return false;
        read_last(received);
        return true;
    }
    void read_last(Received<T, N> &received) const {
        void *address = nullptr;
        detail::check(DRI_xfer_get_frame(this->handle(), &address, received.out()));
        received.set(address, this->placement_in_hand());
    }

    explicit Sink(DRI_Xfer handle) : End<T, N>(DRI_SINK, handle) {}
};

template <class T, std::size_t N>
Sink<T, N> sink_strips(const detail::Name &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                       const Options &options) {
    return Sink<T, N>(name, detail::StripsOf<T, N>{whole, dim}, strip, options);
}

} // namespace v1
} // namespace dri
