// Arrays of the tests of statements, and what they are compared with: whole arrays that each process has.
#pragma once

#include "face.hpp"

#include <cstdlib>
#include <functional>
#include <string>

namespace array_face {

using dri::Array;
using dri::forall;
using dri::Index;
using dri::range;
using dri::Ranges;
using dri::zip;

inline bool compares_calls() {
    const char *const check = std::getenv("DRI_CHECK");
    return check && std::string(check) == "1";
}

// Sets each element by its index.
template <class T, std::size_t N, class F> void set(Array<T, N> &a, const F &value) {
    forall(zip(a.domain(), a), [&](const Index<N> &at, T &x) { x = static_cast<T>(value(at)); });
}

// Compares each element that this process owns by its index.
template <class T, std::size_t N, class F> void expect(const Array<T, N> &a, const F &value) {
    std::int64_t seen = 0;
    forall(zip(a.domain(), a), [&](const Index<N> &at, const T &x) {
        ++seen;
        EXPECT_EQ(x, static_cast<T>(value(at))) << "at " << testing::PrintToString(at);
    });
    EXPECT_EQ(seen, a.domain().owned());
}

} // namespace array_face
