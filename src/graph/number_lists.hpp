// Lists of numbers, one behind the other in one memory.
#pragma once

#include "base/checked.hpp"

#include <span>
#include <vector>

namespace dri::graph {

// Number is wide enough for the length of all lists together; otherwise close() fails.
template <class Number> struct NumberLists {
    std::vector<Number> first{0}, all; // list i lies at [first[i], first[i + 1]) of all

    size_t size() const { return first.size() - 1; }
    std::span<const Number> operator[](size_t i) const {
        return {all.data() + first[i], static_cast<size_t>(first[i + 1] - first[i])};
    }
    void reserve(size_t lists, size_t numbers) {
        first.reserve(lists + 1);
        all.reserve(numbers);
    }
    // Adds to the list that close() ends.
    void push_back(Number number) { all.push_back(number); }
    void close() { first.push_back(narrow<Number>(static_cast<int64_t>(all.size()))); }
    void add(std::span<const Number> list) {
        all.insert(all.end(), list.begin(), list.end());
        close();
    }
    void shrink_to_fit() {
        first.shrink_to_fit();
        all.shrink_to_fit();
    }
};

} // namespace dri::graph
