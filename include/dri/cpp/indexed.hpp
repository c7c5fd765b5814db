// Ranges whose entries are computed, and texts whose length the library knows.
#pragma once

#include <dri/cpp/counted.hpp>
#include <dri/cpp/error.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace dri {
inline namespace v1 {
namespace detail {

// A random-access range of n entries. Entry i is get(i).
template <class Get> class Indexed {
public:
    using value_type = decltype(std::declval<const Get &>()(std::int64_t{}));

    using iterator = CountedIterator<Indexed>;

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
