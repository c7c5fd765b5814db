// How a program reports failures of its own.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/wrong_call.hpp"

namespace dri::test {
namespace {

struct Handled {
    int calls = 0, code = 0;
    std::string message;
};

void note(int code, const char *message, void *context) {
    auto &handled = *static_cast<Handled *>(context);
    ++handled.calls;
    handled.code = code;
    handled.message = message;
}

// A function of a program that reports as the library does.
int open_valve(int number) {
    if (number < 0)
        return DRI_fail(DRI_ERR_ARG, ("open_valve: there is no valve " + std::to_string(number)).c_str());
    return DRI_SUCCESS;
}

// A terminal would obey some characters of a program's text.
TEST(Fail, EscapesWhatDoesNotPrint) {
    EXPECT_EQ(DRI_fail(DRI_ERR_ARG, "valve \x1b[31m\a \x7f \xff:\n\tä, \\x1B"), DRI_ERR_ARG);
    const std::string escaped = "valve \\x1B[31m\\x07 \\x7F \\xFF:\n\tä, \\x1B";
    EXPECT_EQ(DRI_error_message(), escaped);
    EXPECT_EQ(DRI_fail(DRI_ERR_ARG, DRI_error_message()), DRI_ERR_ARG);
    EXPECT_EQ(DRI_error_message(), escaped) << "escaped once";
    EXPECT_EQ(DRI_fail(DRI_SUCCESS, "\x1b[31m"), DRI_ERR_ARG);
    EXPECT_EQ(std::string(DRI_error_message()).find('\x1b'), std::string::npos) << DRI_error_message();
}

TEST(Fail, ReportsAsTheLibraryDoes) {
    Handled handled;
    expect_success(DRI_set_error_handler(note, &handled), "DRI_set_error_handler");
    EXPECT_EQ(open_valve(3), DRI_SUCCESS);
    EXPECT_EQ(handled.calls, 0);
    EXPECT_EQ(open_valve(-3), DRI_ERR_ARG);
    EXPECT_STREQ(DRI_error_message(), "open_valve: there is no valve -3");
    EXPECT_EQ(handled.calls, 1);
    EXPECT_EQ(handled.code, DRI_ERR_ARG);
    EXPECT_EQ(handled.message, "open_valve: there is no valve -3");
    EXPECT_EQ(DRI_fail(DRI_ERR_INTERNAL, DRI_error_message()), DRI_ERR_INTERNAL)
        << "the message is its own source";
    EXPECT_STREQ(DRI_error_message(), "open_valve: there is no valve -3");
    EXPECT_EQ(handled.code, DRI_ERR_INTERNAL);
    expect_success(DRI_set_error_handler(nullptr, nullptr), "DRI_set_error_handler");
    EXPECT_EQ(DRI_fail(DRI_ERR_CYCLE, ""), DRI_ERR_CYCLE);
    EXPECT_STREQ(DRI_error_string(DRI_ERR_CYCLE), "DRI_ERR_CYCLE");
    EXPECT_STREQ(DRI_error_string(DRI_ERR_DUPLICATE), "DRI_ERR_DUPLICATE");
    EXPECT_EQ(DRI_fail(DRI_ERR_TIMEOUT, ""), DRI_ERR_TIMEOUT);
    EXPECT_STREQ(DRI_error_message(), "");
    EXPECT_EQ(handled.calls, 2);
    const auto with = [](int code) { return [=] { return DRI_fail(code, "my words"); }; };
    expect_refused({
        {"success as a failure", with(DRI_SUCCESS), DRI_ERR_ARG, {"DRI_fail", "code is 0", "my words"}},
        {"the end of a stream as a failure", with(DRI_END_OF_STREAM), DRI_ERR_ARG, {"code is 18", "my words"}},
        {"a code after the last", with(DRI_ERR_DUPLICATE + 1), DRI_ERR_ARG, {"code is 21", "my words"}},
        {"no code", with(-1), DRI_ERR_ARG, {"code is -1", "my words"}},
        {"no message", [] { return DRI_fail(DRI_ERR_ARG, nullptr); }, DRI_ERR_ARG, {"DRI_fail", "message"}},
    });
}

} // namespace
} // namespace dri::test
