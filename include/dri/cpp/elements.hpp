// Elements of a part: what a process owns of one buffer, each element with its global index.
#pragma once

#include <dri/cpp/walk.hpp>

#include <iterator>
#include <utility>

namespace dri {
inline namespace v1 {

// An element and where it is in the global array.
template <class T, std::size_t N> struct Element {
    Index<N> at;
    T &x;
};

// What a process owns of one buffer: an input range of Element, in the order of memory. Part::forall is the faster
// loop.
template <class T, std::size_t N> class Elements {
public:
    // The loop over a row holds its state in registers. What happens between rows is in Walk, which lies in the
    // range.
    class iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = Element<T, N>;
        using difference_type = std::ptrdiff_t;

        iterator() = default;
        [[gnu::always_inline]] explicit iterator(detail::Walk<T, N> &walk)
            : walk_(&walk), fast_dim_(walk.fast_dim()), row_dim_(walk.row_dim()), row_step_(walk.row_step()) {
            for (std::size_t d = 0; d < N; ++d)
                along_[d] = fast_dim_ == static_cast<int>(d) ? 1 : 0;
            enter(walk.first());
            if constexpr (may_be_plain)
                is_plain_ = walk.is_one_row();
        }

        Element<T, N> operator*() const { return {at_, *x_}; }
        iterator &operator++() {
            step(std::make_index_sequence<N>());
            if constexpr (may_be_plain)
                if (is_plain_) {
                    ++x_;
                    return *this;
                }
            if (++x_ == stop_) [[unlikely]]
                next_row();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const {
            if constexpr (may_be_plain)
                if (is_plain_)
                    return x_ == stop_;
            return first_ == nullptr;
        }

    private:
        // A single row needs no calls. clang makes a loop of its own for it, which it vectorises, as no other loop
        // here. g++ vectorises the general loop, but not beside such a test.
#ifdef __clang__
        static constexpr bool may_be_plain = N == 1;
#else
        static constexpr bool may_be_plain = false;
#endif
        // Counts the index of the fastest dimension up. Without one, each row sets the index.
        template <std::size_t... D> void step(std::index_sequence<D...>) { ((at_[D] += along_[D]), ...); }
        [[gnu::always_inline]] void next_row() {
            if (more_rows_ > 0) {
                --more_rows_;
                x_ = first_ += row_step_;
                stop_ = x_ + length_;
                set(fast_dim_, begin_, std::make_index_sequence<N>());
                set(row_dim_, ++row_, std::make_index_sequence<N>());
            } else {
                enter(walk_->next());
            }
        }
        template <std::size_t... D>
        void set([[maybe_unused]] int dim, [[maybe_unused]] std::int64_t index, std::index_sequence<D...>) {
            ((at_[D] = dim == static_cast<int>(D) ? index : at_[D]), ...);
        }
        [[gnu::always_inline]] void enter(const detail::Row<T, N> &row) {
            x_ = first_ = row.first;
            begin_ = row.begin;
            length_ = row.length;
            stop_ = x_ + length_;
            more_rows_ = row.more_rows;
            at_ = row.at;
            row_ = row.row_index;
        }

        detail::Walk<T, N> *walk_ = nullptr;
        T *x_ = nullptr, *stop_ = nullptr, *first_ = nullptr;
        std::int64_t begin_ = 0, length_ = 0, row_ = 0, more_rows_ = 0;
        Index<N> at_{}, along_{}; // along_: 1 for the fastest dimension
        int fast_dim_ = -1, row_dim_ = -1;
        std::int64_t row_step_ = 0;
        bool is_plain_ = false; // what is owned is one row
    };

    Elements() = default;
    explicit Elements(const detail::Walk<T, N> &walk) : walk_(walk) {}

    iterator begin() const { return iterator(walk_); }
    std::default_sentinel_t end() const { return {}; }

private:
    mutable detail::Walk<T, N> walk_; // one loop at a time is on its way
};

} // namespace v1
} // namespace dri
