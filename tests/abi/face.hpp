// What the tests of the C++ interface share. They see the library as a program does: through its public headers
// alone.
#pragma once

#include <dri/dri.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace face {

inline int rank() {
    int rank = -1;
    EXPECT_EQ(DRI_world_rank(&rank), DRI_SUCCESS);
    return rank;
}

inline int processes() {
    int size = 0;
    EXPECT_EQ(DRI_world_size(&size), DRI_SUCCESS);
    return size;
}

// The code that a call throws; DRI_SUCCESS if it throws nothing.
inline int code_of(const std::function<void()> &call) {
    try {
        call();
    } catch (const dri::Error &error) {
        EXPECT_STRNE(error.what(), "");
        return error.code();
    }
    return DRI_SUCCESS;
}

// What a call allocates, see support/allocation_counter.hpp.
long allocations_of(const std::function<void()> &call);

// A number for each element of a global array.
template <std::size_t N> int number(const dri::Index<N> &at) {
    int value = 1;
    for (const int64_t i : at)
        value = value * 31 + static_cast<int>(i);
    return value;
}

// Whether a call fails with a message that has these words.
inline void expect_failure(int code, const std::string &words, const std::function<void()> &call) {
    try {
        call();
        ADD_FAILURE() << "nothing was thrown; expected: " << words;
    } catch (const dri::Error &error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

} // namespace face
