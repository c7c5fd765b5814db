// Messages that differ in offsets only share a text, and their copies.
#include "exec/message_text.hpp"

#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

std::string text_of_messages(const std::vector<plan::Message> &messages, bool in_rounds,
                             const std::vector<int64_t> &at = {}) {
    LaneMaker maker({});
    const exec::LinkContext context = maker.context();
    const exec::MessageCopies copies(
        messages, {}, [&](const plan::Message &m) { return context.bind(m.bytes, nullptr, nullptr, false); });
    EXPECT_EQ(copies.size(), messages.size());
    return exec::message_text("to", messages, copies, in_rounds, at);
}

} // namespace

TEST(MessageText, NamesMessagesThatAreAlikeOnce) {
    const std::string text = text_of_messages({sent(1, 2, 0), sent(1, 2, 2), sent(2, 2, 4)}, false);
    EXPECT_EQ(text.find("  message to 1: 2 bytes, the first of 2 that differ in offsets only\n"), 0u) << text;
    EXPECT_NE(text.find("\n  message to 2: 2 bytes\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("message to 1", 10), std::string::npos) << text;
}

TEST(MessageText, SaysWhatIsNotPacked) {
    const std::string text = text_of_messages({sent(1, 2, 0), sent(2, 4, 2)}, false, {0, transport::in_staging});
    EXPECT_EQ(text.find("  message to 1: 2 bytes\n    where it lies in the buffer, not packed\n"), 0u) << text;
    EXPECT_EQ(text.find("not packed", text.find("message to 2")), std::string::npos) << text;
}

TEST(MessageText, NamesRoundsInPlace) {
    std::vector<plan::Message> messages{sent(1, 2, 0), sent(1, 2, 2), sent(1, 4, 4)};
    messages[1].round = 1;
    messages[2].round = 2;
    const std::string text = text_of_messages(messages, true);
    EXPECT_NE(text.find("message to 1: 2 bytes in rounds 0 to 1"), std::string::npos) << text;
    EXPECT_NE(text.find("message to 1: 4 bytes in round 2\n"), std::string::npos) << text;
}

TEST(MessageCopies, RunAtTheOffsetsOfTheirMessages) {
    LaneMaker maker({});
    const exec::LinkContext context = maker.context();
    const std::vector<plan::Message> messages{received(1, 2, 0), received(1, 2, 5)};
    const exec::MessageCopies copies(
        messages, {}, [&](const plan::Message &m) { return context.bind(m.bytes, nullptr, nullptr, false); });
    std::string sink = "........", arrived = "ab";
    copies.run(1, bytes_of(arrived), bytes_of(sink));
    EXPECT_EQ(sink, ".....ab.");
    copies.run(0, bytes_of(arrived), bytes_of(sink));
    EXPECT_EQ(sink, "ab...ab.");
}

} // namespace dri::test
