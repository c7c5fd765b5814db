#include "support/wrong_call.hpp"

#include "support/good_turn.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

void expect_refused(const WrongCall &row) {
    SCOPED_TRACE(row.what);
    const int code = row.call();
    const std::string message = DRI_error_message();
    EXPECT_EQ(code, row.code) << DRI_error_string(code) << ", not " << DRI_error_string(row.code) << ": "
                              << message;
    const auto [min, greatest] = range_of(code);
    EXPECT_EQ(min, greatest) << "the processes returned different codes";
    if (code == DRI_SUCCESS)
        return;
    EXPECT_FALSE(message.empty());
    for (const std::string &part : row.message)
        EXPECT_NE(message.find(part), std::string::npos) << "the message lacks '" << part << "': " << message;
}

} // namespace

void note_output_not_nulled() { ADD_FAILURE() << "the output handle is not null after the error"; }

void expect_refused(const WrongCalls &table) {
    for (const WrongCall &row : table)
        expect_refused(row);
}

void expect_refused_by_all(const WrongCalls &table) {
    for (const WrongCall &row : table) {
        expect_refused(row);
        SCOPED_TRACE(std::string("the good transfer after: ") + row.what);
        expect_good_turn();
    }
}

} // namespace dri::test
