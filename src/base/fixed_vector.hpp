// A vector of at most N values that are stored inside the object, without allocation.
#pragma once

#include "base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace dri::inline base {

template <class T, size_t N> class FixedVector {
public:
    FixedVector() = default;
    explicit FixedVector(size_t n, T value = T{}) {
        for (size_t i = 0; i < n; ++i)
            push_back(value);
    }
    FixedVector(std::initializer_list<T> values) {
        for (const T &v : values)
            push_back(v);
    }
    template <std::input_iterator It> FixedVector(It first, It last) {
        for (; first != last; ++first)
            push_back(*first);
    }

    void push_back(const T &value) {
        if (size_ == N)
            fail(DRI_ERR_INTERNAL, "fixed vector of {} is full", N);
        values_[size_++] = value;
    }
    void pop_back() { --size_; }
    void clear() { size_ = 0; }
    T *insert(T *at, const T &value) {
        push_back(value);
        for (T *p = end() - 1; p != at; --p)
            *p = *(p - 1);
        return *at = value, at;
    }
    T *erase(T *at) {
        for (T *p = at; p + 1 != end(); ++p)
            *p = *(p + 1);
        --size_;
        return at;
    }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T &operator[](size_t i) { return values_[i]; }
    const T &operator[](size_t i) const { return values_[i]; }
    T &back() { return values_[size_ - 1]; }
    const T &back() const { return values_[size_ - 1]; }
    T *begin() { return values_.data(); }
    T *end() { return values_.data() + size_; }
    const T *begin() const { return values_.data(); }
    const T *end() const { return values_.data() + size_; }
    const T *data() const { return values_.data(); }

    friend bool operator==(const FixedVector &a, const FixedVector &b) {
        if (a.size_ != b.size_)
            return false;
        for (size_t i = 0; i < a.size_; ++i)
            if (!(a.values_[i] == b.values_[i]))
                return false;
        return true;
    }

private:
    std::array<T, N> values_{};
    size_t size_ = 0;
};

constexpr size_t max_dims = 8;
// One number per dimension, such as sizes, indices or strides.
using Dims = FixedVector<int64_t, max_dims>;

} // namespace dri::inline base
