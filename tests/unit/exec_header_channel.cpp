// Frame headers between two processes: the slots of frames, and that of the close.
#include "exec/header_channel.hpp"

#include "unit/exec_lane_script.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

using exec::FrameHeader;
using exec::HeaderChannel;
using exec::HeaderPeers;
using exec::Of;

class HeaderSlots : public testing::Test {
protected:
    HeaderSlots() { LaneExchange::all.clear(); }

    std::unique_ptr<transport::Transport> loopback_ = std::move(make_loopback(1).front());
    KeptTransport<LaneExchange> transport_{*loopback_};
};

TEST_F(HeaderSlots, TheCloseWaitsForNoSlot) {
    HeaderChannel channel(exec::header_layout({.to = {4}, .first = 0, .depth = 1}), transport_, 7);
    EXPECT_EQ(channel.slots(), 1);
    channel.begin_source(0, false);
    EXPECT_TRUE(channel.has_to_send());
    EXPECT_TRUE(channel.send({.number = 0}));
    EXPECT_FALSE(channel.has_to_send());
    EXPECT_FALSE(channel.send({.number = 0})) << "a header is sent once";
    channel.begin_source(1, false);
    EXPECT_FALSE(channel.send({.number = 1})) << "the header of frame 0 is in the slot";
    EXPECT_EQ(channel.blocking_receiver(), 4);
    channel.begin_source(1, true);
    EXPECT_TRUE(channel.send({.number = 1, .closes = 1}));
    EXPECT_FALSE(channel.blocking_receiver());
}

TEST_F(HeaderSlots, ASinkTakesTheHeaderThatItExpects) {
    HeaderChannel channel(exec::header_layout({.to = {}, .first = 3, .in_sink = true}), transport_, 7);
    EXPECT_EQ(channel.first(), 3);
    channel.begin_source(0, false);
    EXPECT_FALSE(channel.has_to_send()) << "it is not the source's first process";
    channel.begin_sink();
    EXPECT_TRUE(channel.has_to_receive());
    FrameHeader got;
    EXPECT_FALSE(channel.receive(got));
    const FrameHeader sent{.number = 5, .time_ns = 77, .bytes = 1, .closes = 0, .data = {std::byte{9}}};
    LaneExchange &exchange = *LaneExchange::all.at(0);
    exchange.arrive(0, std::string(reinterpret_cast<const char *>(&sent), sizeof sent));
    EXPECT_TRUE(channel.receive(got));
    EXPECT_FALSE(channel.has_to_receive());
    EXPECT_EQ(std::memcmp(&got, &sent, sizeof sent), 0);
    exchange.depart(3, true, 6);
    EXPECT_FALSE(channel.sender_left(5)) << "its header was sent";
    EXPECT_TRUE(channel.sender_left(6));
}

TEST_F(HeaderSlots, OnlyARoleNeedsMemory) {
    for (const HeaderPeers &peers : {HeaderPeers{}, HeaderPeers{.to = {1, 2}, .first = 0, .depth = 3},
                                     HeaderPeers{.to = {1}, .first = 0, .depth = 2, .in_sink = true}}) {
        const exec::HeaderLayout layout = exec::header_layout(peers);
        const HeaderChannel channel(layout, transport_, 7);
        EXPECT_EQ(channel.sends(), !peers.to.empty());
        EXPECT_EQ(channel.receives(), peers.in_sink);
        EXPECT_EQ(layout.bytes(Of::source) > 0, channel.sends());
        EXPECT_EQ(layout.bytes(Of::sink) > 0, channel.receives());
    }
    HeaderChannel none;
    EXPECT_FALSE(none.poll_departures(transport::Look::full));
    EXPECT_FALSE(none.sends() || none.receives());
}

} // namespace

} // namespace dri::test
