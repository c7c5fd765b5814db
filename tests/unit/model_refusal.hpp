// Expects that a call is refused: with which code, and with which words in the message.
#pragma once

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace dri::test {

template <class F> void expect_refusal(DRI_Code code, std::initializer_list<const char *> words, F call) {
    try {
        call();
        ADD_FAILURE() << "the call was not refused";
    } catch (const Error &e) {
        EXPECT_EQ(e.code(), code) << e.what();
        for (const char *word : words)
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
                << "'" << word << "' is not in: " << e.what();
    }
}

} // namespace dri::test
