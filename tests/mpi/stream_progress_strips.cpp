// DRI_ATTR_PROGRESS_THREAD with corner turns in strips.
#include "support/library.hpp"
#include "support/shared_flag.hpp"
#include "support/strip.hpp"
#include "support/strip_turn.hpp"
#include "support/thread_test.hpp"

namespace dri::test {
namespace {

class ProgressThreadStrips : public ThreadTest {
protected:
    // From the first process to the last one.
    StripTurn turn(int source_buffers) const {
        StripTurn turn{.sizes = {200, 120}, .source = row_strips(50, source_buffers), .sink = column_strips(40)};
        turn.source.procs = {0};
        turn.sink.procs = {last_};
        return turn;
    }

    // Messages of 4 KB, and the smallest workspace for the source. Collective over the world.
    static void send_in_rounds(const TurnEndpoint &source, const TurnEndpoint &sink) {
        DRI_Xfer xfer = DRI_XFER_NULL;
        for (const TurnEndpoint *endpoint : {&sink, &source})
            if (*endpoint)
                xfer = endpoint->xfer();
        const int n = xfer.id ? 1 : 0;
        if (n)
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE),
                           "DRI_xfer_set_attr");
        DRI_Memory reported{};
        expect_success(DRI_xfer_query(make_world(), n, &xfer, &reported), "DRI_xfer_query");
        if (n)
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_WORKSPACE_LIMIT, reported.least_bytes),
                           "DRI_xfer_set_attr");
    }

    static void set_thread(const TurnEndpoint &endpoint) {
        if (endpoint)
            expect_success(DRI_xfer_set_attr(endpoint.xfer(), DRI_ATTR_PROGRESS_THREAD, 1), "DRI_xfer_set_attr");
    }

    static void take_array(const TurnEndpoint &sink, int64_t array) {
        for (int64_t t = 0; sink && t < sink.strips(); ++t) {
            EXPECT_EQ(sink.wrong(extract(sink.xfer()), array * sink.strips() + t), 0) << t << " of " << array;
            release(sink.xfer());
        }
    }
};

// The source has one buffer. It continues only when the other process has put its strip into the store.
TEST_F(ProgressThreadStrips, FillsAStoreWhoseProcessCallsNothing) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    for (const bool in_rounds : {false, true}) {
        const TurnEndpoint source("store", DRI_SOURCE, turn(1)), sink("store", DRI_SINK, turn(1));
        if (in_rounds)
            send_in_rounds(source, sink);
        for (const TurnEndpoint *endpoint : {&source, &sink})
            if (*endpoint)
                set_timeout(endpoint->xfer(), long_enough_ms);
        set_thread(sink);
        commit(all_);
        for (int64_t array = 0; array < 2; ++array) {
            SharedFlag handed_over;
            for (int64_t k = 0; source && k < source.strips(); ++k) {
                source.fill(buffer_of<void>(source.xfer()), array * source.strips() + k);
                expect_success(DRI_do(nullptr, source.xfer()), "DRI_do");
            }
            if (source)
                handed_over.raise();
            handed_over.wait();
            take_array(sink, array);
        }
    }
}

// All strips of an array are inserted at once. Their process makes no calls until they have arrived.
TEST_F(ProgressThreadStrips, SendsStripsWhoseProcessCallsNothing) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    constexpr int strips = 4;
    const TurnEndpoint source("sent", DRI_SOURCE, turn(strips + 1)), sink("sent", DRI_SINK, turn(strips + 1));
    send_in_rounds(source, sink);
    if (sink)
        set_timeout(sink.xfer(), long_enough_ms);
    set_thread(source);
    commit(all_);
    SharedFlag arrived;
    if (source) {
        ASSERT_EQ(source.strips(), strips);
        for (int k = 1; k < strips; ++k)
            acquire(source.xfer());
        for (int64_t k = 0; k < strips; ++k) {
            source.fill(buffer_of<void>(source.xfer()), k);
            insert(source.xfer());
        }
    }
    take_array(sink, 0);
    if (sink)
        arrived.raise();
    arrived.wait();
}

TEST_F(ProgressThreadStrips, LeavesArraysWhole) {
    for (const int nbuffs : {1, 2}) {
        const StripTurn turn{.sizes = {60, 50}, .source = row_strips(7, nbuffs), .sink = column_strips(9, nbuffs)};
        const TurnEndpoint source("whole", DRI_SOURCE, turn), sink("whole", DRI_SINK, turn);
        set_thread(source);
        set_thread(sink);
        commit(all_);
        for (int64_t array = 0; array < 10; ++array) {
            for (int64_t k = 0; k < source.strips(); ++k) {
                source.fill(buffer_of<void>(source.xfer()), array * source.strips() + k);
                insert(source.xfer());
                acquire(source.xfer());
            }
            take_array(sink, array);
        }
    }
}

} // namespace
} // namespace dri::test
