// Ranges whose entries are computed, and texts whose length the library knows.
#pragma once

#include <dri/cpp/error.hpp>
#include <dri/cpp/handle.hpp>
#include <dri/dist.h>
#include <dri/layout.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <string>
#include <vector>

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

// Consecutive elements along one dimension of a part: `size` of them from global index `global` at position
// `local`.
struct Run {
    std::int64_t global, local, size;
};

// The blocks of a part along one dimension as runs. Blocks that continue each other, in the array and in the part,
// are one run.
template <class Blocks> std::vector<Run> runs_of(const Blocks &blocks) {
    std::vector<Run> runs;
    for (const DRI_Block &block : blocks) {
        if (block.size == 0)
            continue;
        if (!runs.empty() && runs.back().global + runs.back().size == block.global &&
            runs.back().local + runs.back().size == block.local)
            runs.back().size += block.size;
        else
            runs.push_back({block.global, block.local, block.size});
    }
    return runs;
}

// The indices that a part owns along one dimension, by their number.
class Owners {
public:
    Owners() = default;
    template <class Blocks> explicit Owners(const Blocks &blocks) : runs_(runs_of(blocks)) {
        for (const Run &run : runs_) {
            starts_.push_back(size_);
            size_ += run.size;
        }
    }
    std::int64_t size() const { return size_; }
    std::int64_t operator[](std::int64_t i) const {
        const auto run = std::upper_bound(starts_.begin(), starts_.end(), i) - starts_.begin() - 1;
        return runs_[static_cast<std::size_t>(run)].global + i - starts_[static_cast<std::size_t>(run)];
    }

private:
    std::vector<Run> runs_;
    std::vector<std::int64_t> starts_; // number of the first index of each run
    std::int64_t size_ = 0;
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
