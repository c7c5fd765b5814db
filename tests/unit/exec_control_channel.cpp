// Words between two processes: slots, receivers that leave, and what awaits what.
#include "exec/control_channel.hpp"

#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

using exec::ControlReceiver;
using exec::ControlSender;

class ControlChannel : public testing::Test {
protected:
    ControlChannel() { LaneExchange::all.clear(); }

    ControlSender sender(const std::vector<int> &to, int64_t slots) {
        return {exec::control_sends(to, sizeof(int64_t), slots), transport_, 7};
    }
    static int64_t word_of(LaneExchange &exchange, size_t receiver) {
        int64_t word = 0;
        std::memcpy(&word, exchange.send_data(receiver), sizeof word);
        return word;
    }

    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    KeptTransport<LaneExchange> transport_{*loopback_};
};

TEST_F(ControlChannel, AWordUsesTheSlotOfItsNumber) {
    ControlSender words = sender({4, 9}, 2);
    EXPECT_EQ(words.slots(), 2);
    ASSERT_EQ(LaneExchange::all.size(), 2u);
    for (const int64_t word : {100, 101})
        EXPECT_TRUE(words.send(word - 100, &word));
    LaneExchange &even = *LaneExchange::all[0], &odd = *LaneExchange::all[1];
    EXPECT_EQ(even.posted, (std::vector<size_t>{0, 1})) << "to both receivers";
    EXPECT_EQ(word_of(even, 1), 100);
    EXPECT_EQ(word_of(odd, 0), 101);
    const int64_t next = 102;
    EXPECT_FALSE(words.send(2, &next)) << "the first word is in its slot";
    EXPECT_EQ(word_of(even, 0), 100);
    EXPECT_TRUE(words.awaits(2).has_value());
    even.land();
    EXPECT_FALSE(words.awaits(2));
    EXPECT_TRUE(words.send(2, &next));
    EXPECT_EQ(word_of(even, 0), 102);
}

TEST_F(ControlChannel, NothingIsSentToAReceiverThatHasLeft) {
    ControlSender words = sender({4, 9}, 1);
    LaneExchange &exchange = *LaneExchange::all.at(0);
    exchange.depart(4, false, 0);
    EXPECT_TRUE(words.takes_any());
    const int64_t word = 1;
    EXPECT_TRUE(words.send(0, &word));
    EXPECT_EQ(exchange.posted, (std::vector<size_t>{1}));
    exchange.depart(9, false, 1);
    EXPECT_FALSE(words.takes_any());
}

TEST_F(ControlChannel, WithoutReceiversThereIsNoMemory) {
    const ControlSender none = sender({}, 5);
    EXPECT_FALSE(none.any());
    EXPECT_EQ(exec::control_sends({}, 8, 5).bytes(), 0);
    EXPECT_TRUE(LaneExchange::all.empty());
    EXPECT_GT(exec::control_sends({1}, 8, 2).bytes(), exec::control_sends({1}, 8, 1).bytes());
}

TEST_F(ControlChannel, AReceiverTakesOneWordAtATime) {
    ControlReceiver words(exec::control_receives(3, sizeof(int64_t)), transport_, 7);
    LaneExchange &exchange = *LaneExchange::all.at(0);
    int64_t word = -1;
    words.expect();
    EXPECT_TRUE(words.expects());
    EXPECT_FALSE(words.take(&word)) << "it has not arrived";
    const int64_t sent = 55;
    exchange.arrive(0, std::string(reinterpret_cast<const char *>(&sent), sizeof sent));
    EXPECT_TRUE(words.take(&word));
    EXPECT_EQ(word, 55);
    EXPECT_FALSE(words.expects());
    EXPECT_EQ(exchange.released, (std::vector<size_t>{0})) << "its memory is free for the next word";
}

TEST_F(ControlChannel, ASenderThatLeftIsMissedOnlyFromTheWordOnThatItDidNotSend) {
    ControlReceiver words(exec::control_receives(3, sizeof(int64_t)), transport_, 7);
    EXPECT_FALSE(words.left(0));
    LaneExchange::all.at(0)->depart(3, true, 2);
    EXPECT_FALSE(words.left(1)) << "sent before it left";
    ASSERT_TRUE(words.left(2));
    EXPECT_EQ(words.left(2)->frames, 2);
}

} // namespace

} // namespace dri::test
