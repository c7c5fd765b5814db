// The words of timeouts, how a refusal is thrown, and names in all of them. Words of other refusals are tested
// with their rules.
#include "flow/refusal.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace dri::flow::test {

TEST(FlowTexts, say_what_was_late) {
    const auto text = [](const Refusal &refusal) {
        EXPECT_EQ(code_of(refusal.reason), DRI_ERR_TIMEOUT);
        return text_of(refusal, {"turn", 3});
    };
    EXPECT_EQ(text({.reason = Reason::data_late, .peer = 5, .frame = 7}),
              "transfer 'turn': frame 7 did not reach the sink of process 3 in time: process 5 has not handed it "
              "over");
    EXPECT_EQ(text({.reason = Reason::message_late, .peer = 5, .frame = 7}),
              "transfer 'turn': frame 7 did not reach the sink of process 3 in time: process 5 has not handed it "
              "over, or its messages have not arrived; they move in its calls");
    EXPECT_EQ(text({.reason = Reason::slots_late, .peer = 5, .frame = 7, .peer_frame = 6}),
              "transfer 'turn': frame 7 of the source of process 3 was not sent in time: process 5 has not taken "
              "all messages up to frame 6");
    EXPECT_EQ(text({.reason = Reason::verdict_late, .peer = 5, .frame = 7}),
              "transfer 'turn': frame 7 of the source of process 3 was not sent in time: the decision of "
              "process 5, the first of the source, whether to drop it has not arrived");
    EXPECT_EQ(text({.reason = Reason::buffer_late, .peer = 5, .peer_frame = 6}),
              "transfer 'turn': no buffer of the source of process 3 became free in time: process 5 has not taken "
              "frame 6");
    EXPECT_EQ(text({.reason = Reason::late}),
              "transfer 'turn': the timeout passed just before the frame was done, or a process has left "
              "just now: repeat the call");
    EXPECT_EQ(
        text({.reason = Reason::readers_late, .peer = 5, .count = 6}),
        "transfer 'turn': frames of the source are in buffers of the user, and process 5 has not taken all 6 "
        "of them in time");
}

TEST(FlowTexts, say_what_a_wait_misses) {
    const std::string name = "turn";
    std::array<char, 200> out{};
    const auto text = [&](const Refusal &late) {
        return std::string(out.data(), describe_wait(out, "DRI_do", late, {name, 3}));
    };
    EXPECT_EQ(text({.reason = Reason::data_late, .peer = 5, .frame = 7}),
              "DRI_do: transfer 'turn': the sink of process 3 waits for frame 7 of process 5");
    EXPECT_EQ(text({.reason = Reason::message_late, .peer = 5, .frame = 7}),
              "DRI_do: transfer 'turn': the sink of process 3 waits for frame 7 of process 5");
    EXPECT_EQ(text({.reason = Reason::slots_late, .peer = 5, .frame = 7, .peer_frame = 6}),
              "DRI_do: transfer 'turn': frame 7 of the source of process 3 waits until process 5 has taken all "
              "messages up to frame 6");
    EXPECT_EQ(text({.reason = Reason::verdict_late, .peer = 5, .frame = 7}),
              "DRI_do: transfer 'turn': frame 7 of the source of process 3 waits for the decision of process 5 "
              "whether to drop it");
    EXPECT_EQ(
        text({.reason = Reason::buffer_late, .peer = 5, .peer_frame = 6}),
        "DRI_do: transfer 'turn': the source of process 3 waits for a buffer until process 5 has taken frame "
        "6");
    EXPECT_EQ(text({.reason = Reason::readers_late, .peer = 5, .count = 6}),
              "DRI_do: transfer 'turn': the source of process 3 waits until process 5 has taken all 6 frames");
    EXPECT_EQ(describe_wait(std::span(out).first(11), "DRI_do", {.reason = Reason::data_late}, {name, 3}), 11u)
        << "the rest is cut off";
}

TEST(FlowTexts, say_who_has_ended) {
    const std::string name = "turn";
    for (const Reason late : {Reason::data_late, Reason::message_late}) {
        const Refusal refusal = ended({.reason = late, .peer = 5, .frame = 7});
        EXPECT_EQ(code_of(refusal.reason), DRI_ERR_PEER);
        EXPECT_EQ(
            text_of(refusal, {name, 3}),
            "transfer 'turn': frame 7 will never reach the sink of process 3: process 5 is gone, it has ended "
            "without DRI_finalize");
    }
    for (const Reason late : {Reason::slots_late, Reason::verdict_late, Reason::buffer_late}) {
        const Refusal refusal = ended({.reason = late, .peer = 5, .frame = 7});
        EXPECT_EQ(code_of(refusal.reason), DRI_ERR_PEER);
        EXPECT_EQ(text_of(refusal, {name, 3}),
                  "transfer 'turn': the source of process 3 would wait for ever: process 5 is gone, it has ended "
                  "without DRI_finalize");
    }
}

TEST(FlowTexts, are_thrown_with_their_code) {
    try {
        refuse({.reason = Reason::source_left}, {"turn", 3});
    } catch (const Error &error) {
        EXPECT_EQ(error.code(), DRI_ERR_STATE);
        EXPECT_STREQ(error.what(), "the source of transfer 'turn' is destroyed");
    }
}

TEST(FlowTexts, say_what_is_wrong_with_a_transfer) {
    const std::string name = "turn";
    const auto text = [&](const Refusal &refusal, const Details &details = {}) {
        return text_of(refusal, {name, 3}, details);
    };
    EXPECT_EQ(text({.reason = Reason::in_use}), "transfer 'turn' is in use by another thread");
    EXPECT_EQ(text({.reason = Reason::broken}, {"abandoned"}), "transfer 'turn' is broken: abandoned");
    EXPECT_EQ(text({.reason = Reason::no_frame_held}), "transfer 'turn': the caller holds no frame of the sink");
    EXPECT_EQ(
        text({.reason = Reason::offset_mismatch, .peer = 5, .other = 6, .frame = 7}, {"[1,0]", "[2,0]"}),
        "transfer 'turn': processes of the source disagree about the window of frame 7: process 5 has moved it by "
        "[1,0], process 6 by [2,0]");
    EXPECT_EQ(code_of(Reason::offset_mismatch), DRI_ERR_MISMATCH);
}

TEST(FlowTexts, of_lanes_name_no_transfer) {
    const auto expect = [](DRI_Code code, const char *words, const Refusal &refusal, const Details &details = {}) {
        try {
            refuse_in_lane(refusal, details);
        } catch (const Error &error) {
            EXPECT_EQ(error.code(), code);
            EXPECT_STREQ(error.what(), words);
        }
    };
    expect(DRI_ERR_STATE, "process 5 has abandoned frame 7 while it was copied",
           {.reason = Reason::frame_abandoned, .peer = 5, .frame = 7});
    expect(DRI_ERR_PEER, "process 5 is gone, and frame 7 lay in its own memory: no such process",
           {.reason = Reason::source_unreadable, .peer = 5, .frame = 7}, {"no such process"});
}

// Every reason: the last one is followed by none.
TEST(FlowTexts, escape_names_and_details) {
    const std::string odd = "a\x1B[2J\nb";
    for (auto reason = Reason{}; reason <= Reason::receiver_ended;
         reason = static_cast<Reason>(static_cast<int>(reason) + 1))
        try {
            refuse({.reason = reason}, {odd, 3}, {odd, odd});
        } catch (const Error &error) {
            const std::string_view text = error.what();
            EXPECT_EQ(text.find_first_of("\x1B\n"), std::string_view::npos) << text;
            EXPECT_NE(text.find("a\\x1B[2J\\x0Ab") == std::string_view::npos, reason != Reason::frame_abandoned)
                << text;
        }
}

} // namespace dri::flow::test
