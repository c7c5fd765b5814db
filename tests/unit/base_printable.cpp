// Names and settings of the user in messages.
#include "base/error.hpp"
#include "base/printable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using dri::printable;
using std::string_literals::operator""s;

TEST(Printable, TextStaysAsItIs) {
    for (const std::string text :
         {"", "transfer 'turn' \\x41 ~", "Dopplerfrequenz \u00e4\u00df", "\u6f22\u5b57", "\U0001F4E1"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreEscaped) {
    EXPECT_EQ(printable("a\nb\tc\x1B[31m\x7F"), "a\\x0Ab\\x09c\\x1B[31m\\x7F");
    EXPECT_EQ(printable("a\0b"s), "a\\x00b");
    EXPECT_EQ(printable("\xC2\x9B"
                        "31m"),
              "\\xC2\\x9B31m")
        << "a control character of two bytes";
}

TEST(Printable, BytesThatAreNoTextAreEscaped) {
    EXPECT_EQ(printable("\xFF\xFE ok"), "\\xFF\\xFE ok");
    EXPECT_EQ(printable("\x80"), "\\x80") << "a further byte without a first one";
    EXPECT_EQ(printable("\xC3"), "\\xC3") << "a first byte at the end";
    EXPECT_EQ(printable("\xE6\xBC!"), "\\xE6\\xBC!");
    EXPECT_EQ(printable("\xC0\xAF"), "\\xC0\\xAF") << "more bytes than needed";
    EXPECT_EQ(printable("\xE0\x80\xAF"), "\\xE0\\x80\\xAF");
    EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80") << "half of a pair of UTF-16";
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80") << "beyond the last character";
}

TEST(Printable, ApplyingItTwiceChangesNothing) {
    const std::string once = printable("a\x01\xFF");
    EXPECT_EQ(printable(once), once);
}

TEST(Printable, MessagesOfFailuresAre) {
    try {
        dri::fail(DRI_ERR_ARG, "transfer '{}'", "a\x1B[2J");
    } catch (const dri::Error &error) {
        EXPECT_STREQ(error.what(), "transfer 'a\\x1B[2J'");
    }
}

} // namespace
