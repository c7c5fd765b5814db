// Ranges whose entries are computed, and texts whose length the library knows.
#pragma once

#include <dri/cpp/error.hpp>

#include <compare>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace dri {
inline namespace v1 {
namespace detail {

// A random-access range of n entries. Entry i is get(i).
template <class Get> class Indexed {
public:
    using value_type = decltype(std::declval<const Get &>()(std::int64_t{}));

    class iterator {
    public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::input_iterator_tag; // entries are no references
        using value_type = typename Indexed::value_type;
        using difference_type = std::int64_t;
        using reference = value_type;
        using pointer = void;

        iterator() = default;
        iterator(const Indexed &of, std::int64_t i) : of_(&of), i_(i) {}

        value_type operator*() const { return (*of_)[i_]; }
        value_type operator[](std::int64_t n) const { return (*of_)[i_ + n]; }
        iterator &operator+=(std::int64_t n) {
            i_ += n;
            return *this;
        }
        iterator &operator-=(std::int64_t n) { return *this += -n; }
        iterator &operator++() { return *this += 1; }
        iterator &operator--() { return *this += -1; }
        iterator operator++(int) {
            const iterator before = *this;
            ++*this;
            return before;
        }
        iterator operator--(int) {
            const iterator before = *this;
            --*this;
            return before;
        }
        friend iterator operator+(iterator it, std::int64_t n) { return it += n; }
        friend iterator operator+(std::int64_t n, iterator it) { return it += n; }
        friend iterator operator-(iterator it, std::int64_t n) { return it -= n; }
        friend std::int64_t operator-(const iterator &a, const iterator &b) { return a.i_ - b.i_; }
        friend bool operator==(const iterator &a, const iterator &b) { return a.i_ == b.i_; }
        friend std::strong_ordering operator<=>(const iterator &a, const iterator &b) { return a.i_ <=> b.i_; }

    private:
        const Indexed *of_ = nullptr;
        std::int64_t i_ = 0;
    };

    Indexed(std::int64_t n, Get get) : n_(n), get_(std::move(get)) {}

    std::int64_t size() const { return n_; }
    bool empty() const { return n_ == 0; }
    value_type operator[](std::int64_t i) const { return get_(i); }
    iterator begin() const { return {*this, 0}; }
    iterator end() const { return {*this, n_}; }

private:
    std::int64_t n_;
    Get get_;
};

// The whole of a text that call(buffer, bytes) writes and cuts to the buffer.
template <class Call> std::string whole_text(const Call &call) {
    std::string text(512, '\0');
    for (;;) {
        check(call(text.data(), text.size()));
        const std::size_t end = text.find('\0');
        if (end + 1 < text.size()) {
            text.resize(end);
            return text;
        }
        text.assign(2 * text.size(), '\0');
    }
}

} // namespace detail
} // namespace v1
} // namespace dri
