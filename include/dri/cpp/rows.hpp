// The order of dimensions in memory, and the lines of an array in this order.
#pragma once

#include <dri/cpp/handle.hpp>

#include <cstddef>
#include <iterator>

namespace dri {
inline namespace v1 {

template <class T, std::size_t N> class View;

namespace detail {

// The dimensions from the one with the longest stride to the one with the shortest. Those of one element come
// first.
template <std::size_t N> std::array<int, N> memory_order(const Index<N> &extents, const Index<N> &strides) {
    const auto is_slower = [&](int a, int b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if ((extents[i] <= 1) != (extents[j] <= 1))
            return extents[i] <= 1;
        return extents[i] > 1 &&
               (strides[i] < 0 ? -strides[i] : strides[i]) > (strides[j] < 0 ? -strides[j] : strides[j]);
    };
    std::array<int, N> order{};
    for (std::size_t d = 0; d < N; ++d) {
        std::size_t at = d;
        for (; at > 0 && is_slower(static_cast<int>(d), order[at - 1]); --at)
            order[at] = order[at - 1];
        order[at] = static_cast<int>(d);
    }
    return order;
}

// The lines along the fastest dimension, in the order of memory.
template <class T, std::size_t N> class Rows {
public:
    class iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = View<T, 1>;
        using difference_type = std::ptrdiff_t;

        explicit iterator(const Rows &of) : of_(&of), length_(of.length_), step_(of.step_) {
            if constexpr (N > 1)
                to_next_ = of.strides_[N - 2];
            enter();
        }
        View<T, 1> operator*() const { return View<T, 1>(first_, Index<1>{length_}, Index<1>{step_}); }
        iterator &operator++() {
            first_ += to_next_;
            if (--more_ == 0) [[unlikely]] {
                ++plane_;
                enter();
            }
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return more_ == 0; }

    private:
        void enter() {
            more_ = plane_ < of_->planes_ ? of_->rows_of_plane_ : 0;
            first_ = of_->plane(plane_);
        }

        const Rows *of_;
        T *first_ = nullptr;
        std::int64_t length_, step_, to_next_ = 0;
        std::int64_t more_ = 0, plane_ = 0; // rows left in the plane, and which it is
    };

    // A call, so that nothing of it takes registers from the loops.
    [[gnu::noinline]] Rows(T *data, const Index<N> &extents, const Index<N> &strides) : data_(data) {
        const auto order = memory_order<N>(extents, strides);
        for (std::size_t k = 0; k < N; ++k) {
            extents_[k] = extents[static_cast<std::size_t>(order[k])];
            strides_[k] = strides[static_cast<std::size_t>(order[k])];
        }
        if constexpr (N > 0) {
            length_ = extents_[N - 1];
            step_ = length_ > 1 ? strides_[N - 1] : 1;
        }
        if constexpr (N > 1)
            rows_of_plane_ = extents_[N - 2];
        for (std::size_t k = 0; k + 2 < N; ++k)
            planes_ *= extents_[k];
        if (length_ == 0 || rows_of_plane_ == 0)
            planes_ = 0;
    }
    std::int64_t size() const { return planes_ * rows_of_plane_; }
    iterator begin() const { return iterator(*this); }
    std::default_sentinel_t end() const { return {}; }

private:
    // The first element of a plane. A call, so that the loops over its rows keep their registers.
    [[gnu::noinline]] T *plane(std::int64_t number) const {
        T *first = data_;
        if constexpr (N > 2)
            for (std::size_t k = N - 2; k-- > 0 && planes_ > 0; number /= extents_[k])
                first += number % extents_[k] * strides_[k];
        return first;
    }

    T *data_;
    Index<N> extents_{}, strides_{}; // in the order of memory
    std::int64_t length_ = 1, step_ = 1, rows_of_plane_ = 1, planes_ = 1;
};

} // namespace detail
} // namespace v1
} // namespace dri
