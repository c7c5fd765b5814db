// Iterates over a list that makes its values when they are read.
#pragma once

#include <cstddef>
#include <iterator>

namespace dri::plan {

// The list has operator[](size_t), which returns a Value.
template <class List, class Value> class ValueIterator {
public:
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using reference = Value;
    using pointer = void;
    using iterator_category = std::input_iterator_tag; // before C++20: no references to elements
    using iterator_concept = std::forward_iterator_tag;

    ValueIterator() = default;
    ValueIterator(const List *list, size_t at) : list_(list), at_(at) {}
    Value operator*() const { return (*list_)[at_]; }
    ValueIterator &operator++() { return ++at_, *this; }
    ValueIterator operator++(int) {
        const ValueIterator before = *this;
        ++at_;
        return before;
    }
    friend bool operator==(const ValueIterator &a, const ValueIterator &b) { return a.at_ == b.at_; }

private:
    const List *list_ = nullptr;
    size_t at_ = 0;
};

} // namespace dri::plan
