// The iterator of ranges whose entries are computed from their number.
#pragma once

#include <compare>
#include <cstdint>
#include <iterator>
#include <utility>

namespace dri {
inline namespace v1 {
namespace detail {

// Entry i is of[i]. It is valid as long as the range.
template <class Of> class CountedIterator {
public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag; // entries are no references
    using value_type = decltype(std::declval<const Of &>()[std::int64_t{}]);
    using difference_type = std::int64_t;
    using reference = value_type;
    using pointer = void;

    constexpr CountedIterator() = default;
    constexpr CountedIterator(const Of &of, std::int64_t i) : of_(&of), i_(i) {}

    constexpr value_type operator*() const { return (*of_)[i_]; }
    constexpr value_type operator[](std::int64_t n) const { return (*of_)[i_ + n]; }
    constexpr CountedIterator &operator+=(std::int64_t n) {
        i_ += n;
        return *this;
    }
    constexpr CountedIterator &operator-=(std::int64_t n) { return *this += -n; }
    constexpr CountedIterator &operator++() { return *this += 1; }
    constexpr CountedIterator &operator--() { return *this += -1; }
    constexpr CountedIterator operator++(int) {
        const CountedIterator before = *this;
        ++*this;
        return before;
    }
    constexpr CountedIterator operator--(int) {
        const CountedIterator before = *this;
        --*this;
        return before;
    }
    friend constexpr CountedIterator operator+(CountedIterator it, std::int64_t n) { return it += n; }
    friend constexpr CountedIterator operator+(std::int64_t n, CountedIterator it) { return it += n; }
    friend constexpr CountedIterator operator-(CountedIterator it, std::int64_t n) { return it -= n; }
    friend constexpr std::int64_t operator-(const CountedIterator &a, const CountedIterator &b) {
        return a.i_ - b.i_;
    }
    friend constexpr bool operator==(const CountedIterator &a, const CountedIterator &b) { return a.i_ == b.i_; }
    friend constexpr std::strong_ordering operator<=>(const CountedIterator &a, const CountedIterator &b) {
        return a.i_ <=> b.i_;
    }

private:
    const Of *of_ = nullptr;
    std::int64_t i_ = 0;
};

} // namespace detail
} // namespace v1
} // namespace dri
