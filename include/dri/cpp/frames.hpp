// Sources and sinks, and the frames that they move.
#pragma once

#include <dri/cpp/end.hpp>
#include <dri/cpp/frame.hpp>

#include <iterator>

namespace dri {
inline namespace v1 {

template <class T, std::size_t N> class Source;
template <class T, std::size_t N> class Sink;

// Declares an endpoint whose frames are strips of an array, along dimension dim. strip: a distribution of the
// first one. Local. See DRI_xfer_create_strips.
template <class T, std::size_t N>
Source<T, N> source_strips(const std::string &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                           const Options &options = {});
template <class T, std::size_t N>
Sink<T, N> sink_strips(const std::string &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                       const Options &options = {});

// The endpoint of a transfer where data leave. It is moved, never copied; its destructor destroys the endpoint.
template <class T, std::size_t N> class Source : public End<T, N> {
public:
    // An empty one.
    Source() = default;

    // Declares the endpoint. Local. See DRI_xfer_create.
    Source(const std::string &name, const Dist<T, N> &dist, const Options &options = {})
        : End<T, N>(DRI_SOURCE, name, dist, options) {}

    // The same in the program's own memory: a span or a View of T for each buffer. Throws DRI_ERR_ARG if one is
    // too small. They must stay valid as long as the endpoint.
    template <class Buffers>
    Source(const std::string &name, const Dist<T, N> &dist, const Options &options, Buffers &&buffers)
        : End<T, N>(DRI_SOURCE, name, dist, options, detail::memory_of<T>(buffers, bool(dist))) {}
    Source(const std::string &name, const Dist<T, N> &dist, const Options &options,
           std::initializer_list<std::span<T>> buffers)
        : End<T, N>(DRI_SOURCE, name, dist, options, detail::memory_of<T>(buffers, bool(dist))) {}

    // Takes over a handle of the C interface, before its first frame. Throws DRI_ERR_ARG for a sink, another type
    // or another number of dimensions; the handle stays the caller's then.
    static Source adopt(DRI_Xfer handle) { return Source(handle); }

    // The buffer that is held, otherwise the next one as soon as it is free.
    Part<T, N> next() {
        void *address = nullptr;
        if (held_ > 0 && DRI_xfer_get_buffer(this->handle(), &address) == DRI_SUCCESS)
            return this->part_at(address, 0);
        held_ = 0; // a frame that was started by name took it
        return acquire();
    }

    // One more buffer, as soon as it is free. See DRI_acquire.
    Part<T, N> acquire() {
        void *address = nullptr;
        detail::check(DRI_acquire(this->handle(), &address));
        this->started_ = false;
        return this->part_at(address, held_++);
    }

    // Hands over the oldest buffer that is held. Local. See DRI_insert.
    void insert() {
        detail::check(DRI_insert(this->handle(), nullptr));
        --held_;
    }
    // The same with what travels with the frame of a stream: a Frame, or a text alone.
    void insert(const Frame &frame) {
        const DRI_Frame header(frame);
        detail::check(DRI_insert(this->handle(), &header));
        --held_;
    }

    // Closes a stream after the frames that are inserted. Local. See DRI_xfer_close.
    void close() { detail::check(DRI_xfer_close(this->handle())); }

    // Calls of sinks, which the compiler refuses here.
    template <class X = T> void extract() const {
        static_assert(detail::never<X>, "dri: extract() is a call of a Sink, and this is a Source");
    }
    template <class X = T> void release() const {
        static_assert(detail::never<X>, "dri: release() is a call of a Sink, and this is a Source");
    }
    template <class X = T> void frames() const {
        static_assert(detail::never<X>, "dri: frames() is a call of a Sink, and this is a Source");
    }

private:
    template <class U, std::size_t M>
    friend Source<U, M> source_strips(const std::string &, const Gdo<U, M> &, int, const Dist<U, M> &,
                                      const Options &);

    Source(const std::string &name, const detail::Strips<T, N> &strips, const Dist<T, N> &strip,
           const Options &options)
        : End<T, N>(DRI_SOURCE, name, strip, options, {}, &strips) {}

    explicit Source(DRI_Xfer handle) : End<T, N>(DRI_SOURCE, handle) {}

    std::int64_t held_ = 1; // buffers; after the commit the first one is held
};

// A frame that has arrived: the buffer, and what came with it.
template <class T, std::size_t N> class Received : public Part<T, N> {
public:
    // Valid as long as this object.
    const Frame &frame() const & { return frame_; }
    Frame frame() && { return frame_; }

private:
    friend Sink<T, N>;
    Frame frame_;
};

// The frames of a sink until its stream ends: an input range of Received.
template <class T, std::size_t N> class Frames {
public:
    class iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = Received<T, N>;
        using difference_type = std::ptrdiff_t;

        explicit iterator(Frames &of) : of_(&of) {}
        const Received<T, N> &operator*() const { return *of_->now_; }
        const Received<T, N> *operator->() const { return &*of_->now_; }
        iterator &operator++() {
            of_->step();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return !of_->now_; }

    private:
        Frames *of_;
    };

    explicit Frames(Sink<T, N> *sink) : sink_(sink) {}

    // Waits for the first frame.
    iterator begin() {
        step();
        return iterator(*this);
    }
    std::default_sentinel_t end() const { return {}; }

private:
    void step() {
        now_.reset();
        if (sink_)
            sink_->advance(now_);
    }

    Sink<T, N> *sink_;
    std::optional<Received<T, N>> now_;
};

// The endpoint of a transfer where data arrive. It is moved, never copied; its destructor destroys the endpoint.
template <class T, std::size_t N> class Sink : public End<T, N> {
public:
    // An empty one.
    Sink() = default;

    // Declares the endpoint. Local. See DRI_xfer_create.
    Sink(const std::string &name, const Dist<T, N> &dist, const Options &options = {})
        : End<T, N>(DRI_SINK, name, dist, options) {}

    // The same in the program's own memory, as for a Source.
    template <class Buffers>
    Sink(const std::string &name, const Dist<T, N> &dist, const Options &options, Buffers &&buffers)
        : End<T, N>(DRI_SINK, name, dist, options, detail::memory_of<T>(buffers, bool(dist))) {}
    Sink(const std::string &name, const Dist<T, N> &dist, const Options &options,
         std::initializer_list<std::span<T>> buffers)
        : End<T, N>(DRI_SINK, name, dist, options, detail::memory_of<T>(buffers, bool(dist))) {}

    // Takes over a handle of the C interface, as for a Source.
    static Sink adopt(DRI_Xfer handle) { return Sink(handle); }

    // The next frame as soon as it has arrived; empty after the last one of a stream. See DRI_extract.
    std::optional<Received<T, N>> extract() {
        std::optional<Received<T, N>> received;
        take(received);
        return received;
    }

    // Gives back the oldest frame that is held. Local. See DRI_release.
    void release() {
        detail::check(DRI_release(this->handle()));
        held_ -= held_ > 0;
    }

    // All frames to come. Each step gives back the oldest frame that is held, if any, and waits for the next one.
    // A loop that is left early holds its last frame. After a Timeout a new loop goes on with the frame that was
    // waited for. Without an endpoint there are none.
    Frames<T, N> frames() { return Frames<T, N>(*this ? this : nullptr); }

    // Calls of sources, which the compiler refuses here.
    template <class X = T> void next() const {
        static_assert(detail::never<X>, "dri: next() is a call of a Source, and this is a Sink");
    }
    template <class X = T> void acquire() const {
        static_assert(detail::never<X>, "dri: acquire() is a call of a Source, and this is a Sink");
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
    friend Sink<U, M> sink_strips(const std::string &, const Gdo<U, M> &, int, const Dist<U, M> &,
                                  const Options &);

    Sink(const std::string &name, const detail::Strips<T, N> &strips, const Dist<T, N> &strip,
         const Options &options)
        : End<T, N>(DRI_SINK, name, strip, options, {}, &strips) {}

    void take(std::optional<Received<T, N>> &received) {
        void *address = nullptr;
        DRI_Frame frame;
        received.reset();
        if (!this->is_done(detail::check_stream(DRI_extract(this->handle(), &address, &frame))))
            return;
        ++held_;
        Received<T, N> &place = received.emplace();
        place.frame_ = Frame(frame);
        static_cast<Part<T, N> &>(place) = this->part_at(address, 0);
    }

    void advance(std::optional<Received<T, N>> &received) {
        // A frame that was extracted here is given back. Of others this endpoint does not know, but the first half
        // of DRI_do gives one back if one is held. It refuses a frame that was started by name or whose wait timed
        // out, and the end of a stream; DRI_extract goes on with these.
        if (!this->started_ && held_ > 0 && DRI_release(this->handle()) == DRI_SUCCESS) {
            --held_;
        } else if (!this->started_) {
            held_ = 0;
            const int code = DRI_start(nullptr, this->handle());
            if (code != DRI_ERR_STATE && !detail::check_stream(code))
                return;
            this->started_ = true;
        }
        take(received);
    }

    explicit Sink(DRI_Xfer handle) : End<T, N>(DRI_SINK, handle) {}

    std::int64_t held_ = 0; // frames that were extracted here, as far as no call by name gave them back
};

template <class T, std::size_t N>
Source<T, N> source_strips(const std::string &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                           const Options &options) {
    return Source<T, N>(name, detail::Strips<T, N>{whole, dim}, strip, options);
}

template <class T, std::size_t N>
Sink<T, N> sink_strips(const std::string &name, const Gdo<T, N> &whole, int dim, const Dist<T, N> &strip,
                       const Options &options) {
    return Sink<T, N>(name, detail::Strips<T, N>{whole, dim}, strip, options);
}

} // namespace v1
} // namespace dri
