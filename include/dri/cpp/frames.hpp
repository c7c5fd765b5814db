// Frames that have arrived: one, and all until the stream ends.
#pragma once

#include <dri/cpp/frame.hpp>
#include <dri/cpp/part.hpp>

#include <iterator>

namespace dri {
inline namespace v1 {

template <class T, std::size_t N> class Sink;

// A frame that has arrived: the buffer, and what came with it.
template <class T, std::size_t N> class Received : public Part<T, N> {
public:
    // No frame.
    Received() = default;
    // Valid as long as this object.
    const Frame &frame() const & { return frame_; }
    Frame frame() && { return frame_; }

private:
    friend Sink<T, N>;
    // The library writes the frame here; set() follows.
    DRI_Frame *out() { return &frame_.raw_; }
    void set(void *buffer, const detail::Placement<T, N> &placement) {
        Part<T, N>::set(static_cast<T *>(buffer), placement);
        frame_.take_over();
    }
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
        const Received<T, N> &operator*() const { return of_->now_; }
        const Received<T, N> *operator->() const { return &of_->now_; }
        iterator &operator++() {
            of_->step();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return !of_->any_; }

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
        any_ = false;
        any_ = sink_ && sink_->advance(now_);
    }

    Sink<T, N> *sink_;
    Received<T, N> now_;
    bool any_ = false; // whether there is a frame in now_
};

} // namespace v1
} // namespace dri
