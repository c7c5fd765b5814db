// Corner turns in strips: workspace, which call waits for which, and endpoints that leave.
#include "support/library.hpp"
#include "support/strip.hpp"
#include "support/strip_turn.hpp"

namespace dri::test {
namespace {

struct BothEndpoints {
    TurnEndpoint source, sink;
    explicit BothEndpoints(const StripTurn &turn, const std::string &name = "strips")
        : source(name, DRI_SOURCE, turn), sink(name, DRI_SINK, turn) {}
    void set(DRI_Attr attr, int64_t value) const {
        for (const TurnEndpoint *endpoint : {&source, &sink})
            if (*endpoint)
                expect_success(DRI_xfer_set_attr(endpoint->xfer(), attr, value), "DRI_xfer_set_attr");
    }
    void hand_over(int64_t frame) const {
        source.fill(buffer_of<void>(source.xfer()), frame);
        expect_success(DRI_do(nullptr, source.xfer()), "DRI_do of the source");
    }
    void receive(int64_t frame) const {
        EXPECT_EQ(sink.wrong(extract(sink.xfer()), frame), 0) << frame;
        release(sink.xfer());
    }
};

void expect_deadlock(int code, const std::vector<std::string> &words) {
    EXPECT_EQ(code, DRI_ERR_DEADLOCK) << DRI_error_message();
    for (const std::string &word : words)
        EXPECT_NE(std::string(DRI_error_message()).find(word), std::string::npos) << DRI_error_message();
}

DRI_Xfer_info info_of(DRI_Xfer xfer) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(xfer, &info), "DRI_xfer_get_info");
    return info;
}

// Each call that would wait for its own process fails and changes nothing, and the corner turn continues.
TEST(StripCalls, WaitingForItsOwnProcessIsADeadlock) {
    const BothEndpoints turn({.sizes = {24, 20}, .source = row_strips(8), .sink = column_strips(10)});
    const DRI_Xfer out = turn.source.xfer(), in = turn.sink.xfer();
    commit(make_world());
    expect_deadlock(DRI_extract(in, nullptr, nullptr), {"'strips'", "0 strips of the 3"});
    expect_deadlock(DRI_do("strips", DRI_XFER_NULL), {"'strips'"});
    for (int k = 0; k < 3; ++k)
        turn.hand_over(k);
    turn.source.fill(buffer_of<void>(out), 3);
    expect_deadlock(DRI_do(nullptr, out), {"frame 3", "own sink has taken frame 3"});
    EXPECT_EQ(turn.sink.wrong(extract(in), 0), 0);
    EXPECT_EQ(turn.sink.wrong(extract(in), 1), 0);
    expect_deadlock(DRI_extract(in, nullptr, nullptr), {"strips"});
    release(in);
    expect_deadlock(DRI_do(nullptr, out), {"frame 3"});
    release(in);
    turn.source.fill(buffer_of<void>(out), 3);
    for (int k = 3; k < 6; ++k)
        turn.hand_over(k);
    turn.receive(2);
    turn.receive(3);
    EXPECT_EQ(frames_of(out), 6);
    EXPECT_EQ(frames_of(in), 4);
}

// A call by name would move one strip and one array, so the message does not advise it.
TEST(StripCalls, WaitingForItsOwnSourceOfArraysIsADeadlock) {
    StripTurn shape{.sizes = {24, 20}, .source = row_strips(0), .sink = column_strips(10)};
    const BothEndpoints turn(shape);
    commit(make_world());
    expect_deadlock(DRI_extract(turn.sink.xfer(), nullptr, nullptr), {"0 frames; execute the source first"});
    turn.hand_over(0);
    turn.receive(0);
    turn.receive(1);
}

// A DRI_do by name moves both endpoints if their strips are the same.
TEST(StripCalls, EqualStripsMoveByName) {
    const BothEndpoints turn({.sizes = {12, 10}, .source = row_strips(12), .sink = column_strips(10)});
    commit(make_world());
    for (int f = 0; f < 3; ++f) {
        turn.source.fill(buffer_of<void>(turn.source.xfer()), f);
        expect_success(DRI_do("strips", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(turn.sink.wrong(buffer_of<void>(turn.sink.xfer()), f), 0);
    }
}

TEST(StripCalls, StripsAreStartedTestedAndWaitedFor) {
    const BothEndpoints turn({.sizes = {12, 10}, .source = row_strips(4, 2), .sink = column_strips(5)});
    const DRI_Xfer out = turn.source.xfer(), in = turn.sink.xfer();
    commit(make_world());
    for (int array = 0; array < 3; ++array) {
        for (int k = 0; k < 3; ++k) {
            turn.source.fill(buffer_of<void>(out), 3 * array + k);
            expect_success(DRI_start(nullptr, out), "DRI_start");
            if (k == 1) {
                for (int done = 0; !done;)
                    expect_success(DRI_test(nullptr, out, &done), "DRI_test");
            } else {
                expect_success(DRI_wait(nullptr, out), "DRI_wait");
            }
        }
        for (int t = 0; t < 2; ++t) {
            expect_success(DRI_start(nullptr, in), "DRI_start");
            if (t == 0)
                expect_success(DRI_wait(nullptr, in), "DRI_wait");
            else
                for (int done = 0; !done;)
                    expect_success(DRI_test("strips", in, &done), "DRI_test");
            EXPECT_EQ(turn.sink.wrong(buffer_of<void>(in), 2 * array + t), 0);
        }
        release(in);
    }
}

// The store counts as buffers, and staging does not grow with the number of strips.
TEST(StripCalls, TheQueryReportsTheMemory) {
    const int64_t columns_in_all = 24;
    std::pair<int64_t, int64_t> messages{};
    for (const int64_t n : {6, 60}) {
        const BothEndpoints turn({.sizes = {8 * n, columns_in_all},
                                  .type = "double",
                                  .source = row_strips(8, 2),
                                  .sink = column_strips(6, 2)});
        turn.set(DRI_ATTR_WAYS, DRI_WAY_MESSAGE);
        const DRI_Xfer endpoints[]{turn.source.xfer(), turn.sink.xfer()};
        DRI_Memory memory[2];
        expect_success(DRI_xfer_query(make_world(), 2, endpoints, memory), "DRI_xfer_query");
        EXPECT_EQ(memory[0].buffer_bytes, 2 * turn.source.bytes());
        const int64_t strip = turn.sink.bytes();
        EXPECT_EQ(memory[1].buffer_bytes, 2 * 4 * ((strip + 63) / 64 * 64)) << "two stores of four strips";
        commit(make_world());
        for (int e = 0; e < 2; ++e) {
            EXPECT_EQ(info_of(endpoints[e]).workspace_bytes, memory[e].workspace_bytes);
            EXPECT_EQ(info_of(endpoints[e]).buffer_bytes, e == 0 ? turn.source.bytes() : strip);
        }
        if (n > 6) {
            EXPECT_LE(memory[0].workspace_bytes, messages.first);
            EXPECT_LE(memory[1].workspace_bytes, messages.second);
        }
        messages = {memory[0].workspace_bytes, memory[1].workspace_bytes};
        EXPECT_GT(messages.first + messages.second, 0);
    }
}

// Any limit that the commit accepts is kept, and the smallest limit that the library reports is enough.
TEST(StripCalls, LimitsAreKept) {
    const StripTurn shape{
        .sizes = {40, 36}, .type = "double", .source = row_strips(8, 3), .sink = column_strips(6)};
    int64_t min = 0, max = 0;
    {
        const BothEndpoints turn(shape);
        turn.set(DRI_ATTR_WAYS, DRI_WAY_MESSAGE);
        const DRI_Xfer endpoint = turn.source.xfer();
        DRI_Memory memory;
        expect_success(DRI_xfer_query(make_world(), 1, &endpoint, &memory), "DRI_xfer_query");
        min = memory.least_bytes;
        max = memory.workspace_bytes;
        EXPECT_LT(min, max);
    }
    for (const int64_t limit : {min, (min + max) / 2, max}) {
        const BothEndpoints turn(shape);
        turn.set(DRI_ATTR_WAYS, DRI_WAY_MESSAGE);
        expect_success(DRI_xfer_set_attr(turn.source.xfer(), DRI_ATTR_WORKSPACE_LIMIT, limit), "limit");
        commit(make_world());
        EXPECT_LE(info_of(turn.source.xfer()).workspace_bytes, limit);
        for (int array = 0; array < 2; ++array) {
            for (int k = 0; k < 5; ++k)
                turn.hand_over(5 * array + k);
            for (int t = 0; t < 6; ++t)
                turn.receive(6 * array + t);
        }
    }
    const BothEndpoints turn(shape);
    turn.set(DRI_ATTR_WAYS, DRI_WAY_MESSAGE);
    if (min > 0)
        expect_success(DRI_xfer_set_attr(turn.source.xfer(), DRI_ATTR_WORKSPACE_LIMIT, min - 1), "limit");
    const auto [some, all] = range_of(min > 0);
    EXPECT_EQ(DRI_commit(make_world()), all ? DRI_ERR_LIMIT : DRI_SUCCESS) << some;
}

TEST(StripCalls, BytesOfStripsAddUp) {
    const StripTurn shape{.sizes = {13, 11}, .type = "double", .source = row_strips(4), .sink = column_strips(3)};
    const BothEndpoints turn(shape);
    commit(make_world());
    long long sent = 0, taken = 0;
    for (int array = 0; array < 2; ++array) {
        for (int k = 0; k < 4; ++k)
            turn.hand_over(4 * array + k);
        for (int t = 0; t < 4; ++t)
            turn.receive(4 * array + t);
    }
    for (const TurnEndpoint *endpoint : {&turn.source, &turn.sink}) {
        const DRI_Xfer_info info = info_of(endpoint->xfer());
        EXPECT_EQ(info.frames, 8);
        const int64_t bytes = info.bytes_self + info.bytes_message + info.bytes_direct;
        (endpoint == &turn.source ? sent : taken) = bytes;
        std::vector<DRI_Frame_times> times(8);
        int n = 0;
        expect_success(DRI_xfer_get_times(endpoint->xfer(), 8, times.data(), &n), "DRI_xfer_get_times");
        ASSERT_EQ(n, 8);
        int64_t all = 0;
        for (const DRI_Frame_times &time : times) {
            const int64_t k = time.frame % 4;
            const int64_t own = endpoint->owned(k);
            EXPECT_EQ(time.bytes > 0, endpoint == &turn.source ? own > 0 : k == 0 && bytes > 0) << time.frame;
            if (endpoint == &turn.source) {
                EXPECT_EQ(time.bytes, own * 8) << time.frame;
            }
            all += time.bytes;
        }
        EXPECT_EQ(all, bytes);
    }
    EXPECT_EQ(sum_of(sent), 2 * 13 * 11 * 8);
    EXPECT_EQ(sum_of(taken), 2 * 13 * 11 * 8);
}

TEST(StripCalls, EachStripHasItsDistribution) {
    const BothEndpoints turn({.sizes = {13, 11}, .source = row_strips(4), .sink = column_strips(3)});
    for (const TurnEndpoint *endpoint : {&turn.source, &turn.sink})
        for (int64_t k = 0; k < endpoint->strips(); ++k) {
            Dist dist;
            expect_success(DRI_xfer_get_strip(endpoint->xfer(), k, dist.out()), "DRI_xfer_get_strip");
            int64_t owned = 0;
            expect_success(DRI_dist_get_count(dist, world().rank, &owned, nullptr), "DRI_dist_get_count");
            EXPECT_EQ(owned, endpoint->owned(k));
        }
    commit(make_world());
}

// A source leaves in the middle of an array. Complete strips still arrive, the others never do.
TEST(StripCalls, ASourceLeavesInTheMiddleOfAnArray) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    for (const int64_t ways : {7, 2}) {
        StripTurn shape{.sizes = {12, 10}, .source = row_strips(4), .sink = column_strips(5, 2)};
        shape.source.procs = {0};
        shape.sink.procs = {last};
        BothEndpoints turn(shape);
        turn.set(DRI_ATTR_WAYS, ways);
        turn.set(DRI_ATTR_TIMEOUT_MS, 60000);
        commit(make_world());
        if (turn.source) {
            for (int k = 0; k < 5; ++k)
                turn.hand_over(k);
            turn = BothEndpoints(shape, "gone");
        }
        if (turn.sink) {
            turn.receive(0);
            turn.receive(1);
            int code = DRI_SUCCESS;
            EXPECT_EQ(code = DRI_extract(turn.sink.xfer(), nullptr, nullptr), DRI_ERR_STATE)
                << DRI_error_message();
            EXPECT_NE(std::string(DRI_error_message()).find("process 0"), std::string::npos)
                << DRI_error_message();
        }
        barrier();
    }
}

TEST(StripCalls, ASourceLearnsThatItsSinksHaveLeft) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    StripTurn shape{.sizes = {12, 10}, .source = row_strips(4), .sink = column_strips(5)};
    shape.source.procs = {0};
    shape.sink.procs = {last};
    std::optional<BothEndpoints> turn(shape);
    if (turn->source)
        expect_success(DRI_xfer_set_attr(turn->source.xfer(), DRI_ATTR_TIMEOUT_MS, 60000), "DRI_xfer_set_attr");
    commit(make_world());
    if (turn->source)
        for (int k = 0; k < 3; ++k)
            turn->hand_over(k);
    if (turn->sink) {
        turn->receive(0);
        turn.reset();
    }
    if (turn && turn->source) {
        int code = DRI_SUCCESS;
        for (int tries = 0; tries < 100 && code == DRI_SUCCESS; ++tries)
            code = DRI_do(nullptr, turn->source.xfer());
        EXPECT_EQ(code, DRI_ERR_STATE) << DRI_error_message();
    }
    barrier();
}

// Both sides name the process that they wait for, and continue.
TEST(StripCalls, TheLateProcessIsNamed) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    StripTurn shape{.sizes = {12, 10}, .source = row_strips(4), .sink = column_strips(5)};
    shape.source.procs = {0};
    shape.sink.procs = {last};
    const BothEndpoints turn(shape);
    turn.set(DRI_ATTR_TIMEOUT_MS, 50);
    commit(make_world());
    if (turn.source)
        turn.hand_over(0);
    if (turn.sink) {
        EXPECT_EQ(DRI_extract(turn.sink.xfer(), nullptr, nullptr), DRI_ERR_TIMEOUT) << DRI_error_message();
        EXPECT_NE(std::string(DRI_error_message()).find("process 0"), std::string::npos) << DRI_error_message();
    }
    barrier();
    const auto patient = [&](auto call) {
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = call();
        expect_success(code, "a call that is repeated");
    };
    if (turn.source)
        for (int k = 1; k < 3; ++k) {
            turn.source.fill(buffer_of<void>(turn.source.xfer()), k);
            insert(turn.source.xfer());
            patient([&] { return DRI_acquire(turn.source.xfer(), nullptr); });
        }
    if (turn.sink)
        for (int t = 0; t < 2; ++t) {
            patient([&] { return DRI_extract(turn.sink.xfer(), nullptr, nullptr); });
            EXPECT_EQ(turn.sink.wrong(buffer_of<void>(turn.sink.xfer()), t), 0);
        }
    barrier();
}

} // namespace
} // namespace dri::test
