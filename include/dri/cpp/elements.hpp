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
            : walk_(&walk), row_step_(walk.row_step()) {
            for (std::size_t d = 0; d < N; ++d) {
                along_[d] = walk.fast_dim() == static_cast<int>(d) ? 1 : 0;
                across_[d] = walk.row_dim() == static_cast<int>(d) ? 1 : 0;
            }
            enter(walk.first());
            if constexpr (may_be_plain)
                is_plain_ = walk.is_one_row();
        }

        Element<T, N> operator*() const { return {at_, first_[position_]}; }
        iterator &operator++() {
            add(along_, std::make_index_sequence<N>());
            ++position_;
            if constexpr (may_be_plain)
                if (is_plain_)
                    return *this;
            if (position_ == length_) [[unlikely]]
                next_row();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const {
            if constexpr (may_be_plain)
                if (is_plain_)
                    return position_ == length_;
            return first_ == nullptr;
        }

    private:
        // A single row needs no calls. clang makes a loop of its own for it, which it vectorises, as no other loop
        // here. g++ vectorises the general loop.
#ifdef __clang__
        static constexpr bool may_be_plain = N == 1;
#else
        static constexpr bool may_be_plain = false;
#endif
        // If the code chose a dimension instead of adding to all, clang would keep the index in memory.
        template <std::size_t... D> void add(const Index<N> &more, std::index_sequence<D...>) {
            ((at_[D] += more[D]), ...);
        }
        [[gnu::always_inline]] void next_row() {
            if (more_rows_ > 0) {
                --more_rows_;
                first_ += row_step_;
                position_ = 0;
                add(to_next_row_, std::make_index_sequence<N>());
            } else {
                enter(walk_->next());
            }
        }
        [[gnu::always_inline]] void enter(const detail::Row<T, N> &row) {
            first_ = row.first;
            position_ = 0;
            length_ = row.length;
            more_rows_ = row.more_rows;
            at_ = row.at;
            for (std::size_t d = 0; d < N; ++d)
                to_next_row_[d] = across_[d] - along_[d] * length_;
        }

        detail::Walk<T, N> *walk_ = nullptr;
        T *first_ = nullptr;                        // of the row; null at the end
        std::int64_t position_ = 0, length_ = 0;    // in the row
        std::int64_t more_rows_ = 0, row_step_ = 0; // how many follow, and from one to the next
        Index<N> at_{};                             // of the element
        // What the index grows by: from an element to the next one, from a row to the next one, and from the end
        // of a row to the start of the next one.
        Index<N> along_{}, across_{}, to_next_row_{};
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
