// The peers of an endpoint, and the way used for each.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <tuple>
#include <vector>

namespace dri::test {
namespace {

std::vector<DRI_Peer> peers_of(DRI_Xfer endpoint) {
    int there = -1, same = -1;
    expect_success(DRI_xfer_get_peers(endpoint, 0, nullptr, &there), "DRI_xfer_get_peers");
    const DRI_Peer untouched{-1, -1, -1, -1, {}};
    std::vector<DRI_Peer> peers(static_cast<size_t>(there) + 1, untouched);
    if (there > 1) {
        expect_success(DRI_xfer_get_peers(endpoint, there - 1, peers.data(), &same), "DRI_xfer_get_peers");
        EXPECT_EQ(same, there);
        EXPECT_EQ(peers[static_cast<size_t>(there) - 1].rank, -1) << "there is no capacity for the last one";
    }
    expect_success(DRI_xfer_get_peers(endpoint, there + 1, peers.data(), &same), "DRI_xfer_get_peers");
    EXPECT_EQ(same, there);
    EXPECT_EQ(peers.back().rank, -1) << "entries beyond them do not change";
    peers.pop_back();
    return peers;
}

// Expects that each process exchanges data with every process.
void expect_all(DRI_Xfer endpoint, int own, int others) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
    ASSERT_EQ(info.frames, 1);
    const auto [rank, size] = world();
    const auto peers = peers_of(endpoint);
    ASSERT_EQ(std::ssize(peers), size);
    int64_t self = 0, message = 0, direct = 0, messages = 0;
    for (int i = 0; i < size; ++i) {
        const DRI_Peer &peer = peers[static_cast<size_t>(i)];
        EXPECT_EQ(peer.rank, i);
        EXPECT_EQ(peer.way, i == rank ? own : others);
        EXPECT_GT(peer.bytes, 0);
        EXPECT_EQ(peer.messages > 0, peer.way == DRI_WAY_MESSAGE);
        EXPECT_EQ(peer.reserved[0] + peer.reserved[1], 0);
        (peer.way == DRI_WAY_SELF ? self : peer.way == DRI_WAY_MESSAGE ? message : direct) += peer.bytes;
        messages += peer.messages;
    }
    EXPECT_EQ(self, info.bytes_self);
    EXPECT_EQ(message, info.bytes_message);
    EXPECT_EQ(direct, info.bytes_direct);
    EXPECT_EQ(messages, info.messages);
}

TEST(Peers, NameTheWayOfEachPair) {
    for (const auto &[self, direct] : {std::pair(true, true), {true, false}, {false, true}, {false, false}}) {
        TransferRun run("peers", fmt::format("float [40,30] block,* rm -> *,block 10{}{}", self ? "" : " no-self",
                                             direct ? " direct" : ""));
        run.declare();
        commit(make_world());
        run.bind();
        run.frame();
        for (const DRI_Xfer endpoint : {run.source(), run.sink()})
            expect_all(endpoint, self ? DRI_WAY_SELF : DRI_WAY_MESSAGE, direct ? DRI_WAY_DIRECT : DRI_WAY_MESSAGE);
    }
}

// Only the first process holds rows, and all receive from it.
TEST(Peers, AreTheProcessesThatReceiveData) {
    const auto [rank, size] = world();
    const Group first = make_group({0}), all = make_world();
    const Dist from = rank == 0 ? make_dist(make_gdo({64}, DRI_INT32), make_blocks(1, 0), first) : Dist();
    const Dist to = make_dist(make_gdo({64}, DRI_INT32), make_blocks(1, 0), all);
    const Xfer source = rank == 0 ? make_xfer("spread", DRI_SOURCE, from) : Xfer();
    const Xfer sink = make_xfer("spread", DRI_SINK, to);
    commit(all);
    const auto sender = peers_of(sink);
    ASSERT_EQ(sender.size(), 1u);
    EXPECT_EQ(sender[0].rank, 0);
    if (rank != 0)
        return;
    const auto receivers = peers_of(source);
    ASSERT_EQ(std::ssize(receivers), size);
    int64_t bytes = 0;
    for (const DRI_Peer &receiver : receivers)
        bytes += receiver.bytes;
    EXPECT_EQ(bytes, 64 * 4);
}

} // namespace
} // namespace dri::test
