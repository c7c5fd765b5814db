// Endpoints that are abandoned while others still want their frames: nobody is waited for, and others are told.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <string>

namespace dri::test {
namespace {

constexpr int64_t count = 3000;

// The first process is the source, the last one the sink.
struct Pair {
    Xfer source, sink;

    explicit Pair(const char *name) {
        const auto end = [&](int rank, DRI_Role role) {
            if (world().rank != rank)
                return Xfer();
            const Dist dist = make_dist(make_gdo({count}, DRI_INT32), make_blocks(1, 0), make_group({rank}));
            return make_xfer(name, role, dist, DRI_ROW_MAJOR, 2);
        };
        source = end(0, DRI_SOURCE);
        sink = end(world().size - 1, DRI_SINK);
    }
};

bool goes_direct(DRI_Xfer sink) {
    DRI_Peer peer{};
    int n = 0;
    expect_success(DRI_xfer_get_peers(sink, 1, &peer, &n), "DRI_xfer_get_peers");
    return peer.way == DRI_WAY_DIRECT;
}

// The user keeps the buffers, so DRI_xfer_destroy would wait until the frame is taken.
TEST(Abandoned, ASourceWaitsForNobody) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    Pair pair("abandoned");
    commit(make_world());
    DRI_Kept *kept = nullptr;
    if (pair.source) {
        expect_success(DRI_xfer_keep_buffers(pair.source, &kept), "DRI_xfer_keep_buffers");
        expect_success(DRI_do("abandoned", pair.source), "DRI_do");
        EXPECT_EQ(DRI_xfer_abandon(pair.source.out()), DRI_SUCCESS) << DRI_error_message();
        EXPECT_FALSE(pair.source);
    }
    barrier(); // the sink takes nothing before the source is gone
    if (pair.sink) {
        const bool is_lost = goes_direct(pair.sink);
        EXPECT_EQ(DRI_do("abandoned", pair.sink), is_lost ? DRI_ERR_STATE : DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(DRI_do("abandoned", pair.sink), DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("process 0"), std::string::npos) << DRI_error_message();
        EXPECT_EQ(DRI_xfer_abandon(pair.sink.out()), DRI_SUCCESS) << DRI_error_message();
    }
    DRI_kept_free(kept);
}

// What is taken in time arrives, and the name may be used again.
TEST(Abandoned, FramesThatAreTakenArrive) {
    const auto [rank, size] = world();
    if (size < 2)
        GTEST_SKIP() << "needs two processes";
    for (int32_t round = 0; round < 2; ++round) {
        Pair pair("again");
        commit(make_world());
        if (pair.source) {
            buffer_of<int32_t>(pair.source)[count - 1] = round;
            expect_success(DRI_do("again", pair.source), "DRI_do");
        }
        if (pair.sink) {
            expect_success(DRI_do("again", pair.sink), "DRI_do");
            EXPECT_EQ(buffer_of<int32_t>(pair.sink)[count - 1], round);
            EXPECT_EQ(DRI_xfer_abandon(pair.sink.out()), DRI_SUCCESS) << DRI_error_message();
        }
        barrier();
        if (pair.source) {
            EXPECT_EQ(DRI_xfer_abandon(pair.source.out()), DRI_SUCCESS) << DRI_error_message();
        }
    }
}

// Its own sink has not taken the frame, so DRI_xfer_destroy would refuse.
TEST(Abandoned, ASourceBeforeTheSinkOfItsProcess) {
    const Dist dist = make_dist(make_gdo({count}, DRI_INT32), make_blocks(1, 0), make_group({world().rank}));
    Xfer source = make_xfer("own", DRI_SOURCE, dist), sink = make_xfer("own", DRI_SINK, dist);
    commit(make_group({world().rank}));
    expect_success(DRI_insert(source, nullptr), "DRI_insert");
    EXPECT_EQ(DRI_xfer_destroy(source.out()), DRI_ERR_STATE);
    EXPECT_EQ(DRI_xfer_abandon(source.out()), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_do(nullptr, sink), DRI_ERR_STATE);
    EXPECT_EQ(DRI_xfer_abandon(sink.out()), DRI_SUCCESS) << DRI_error_message();
}

} // namespace
} // namespace dri::test
