// Corner turns in strips: arrays are sent in strips of one dimension and received in strips of another one.
#include "support/library.hpp"
#include "support/strip.hpp"
#include "support/strip_turn.hpp"

namespace dri::test {
namespace {

enum class Calls { start_and_wait, do_call, mixed };

// Hands over all strips of an array.
void send_array(const TurnEndpoint &endpoint, int64_t array, Calls calls) {
    for (int64_t k = 0; k < endpoint.strips(); ++k) {
        endpoint.fill(buffer_of<void>(endpoint.xfer()), array * endpoint.strips() + k);
        if (calls == Calls::start_and_wait || (calls == Calls::mixed && k % 2 == 0)) {
            insert(endpoint.xfer());
            acquire(endpoint.xfer());
        } else {
            expect_success(DRI_do(nullptr, endpoint.xfer()), "DRI_do of the source");
        }
    }
}

// Extracts and releases all strips of an array.
void receive_array(const TurnEndpoint &endpoint, int64_t array, Calls calls) {
    for (int64_t t = 0; t < endpoint.strips(); ++t) {
        const int64_t frame = array * endpoint.strips() + t;
        const bool start_and_wait = calls == Calls::start_and_wait;
        if (start_and_wait)
            extract(endpoint.xfer());
        else
            expect_success(DRI_do(nullptr, endpoint.xfer()), "DRI_do of the sink");
        EXPECT_EQ(endpoint.wrong(buffer_of<void>(endpoint.xfer()), frame), 0)
            << "strip " << t << " of array " << array;
        if (start_and_wait || t + 1 == endpoint.strips())
            release(endpoint.xfer());
    }
}

void expect_turn(const StripTurn &turn, int arrays, Calls calls = Calls::mixed, int64_t ways = 7) {
    const TurnEndpoint source("turn", DRI_SOURCE, turn), sink("turn", DRI_SINK, turn);
    for (const TurnEndpoint *endpoint : {&source, &sink})
        if (*endpoint)
            expect_success(DRI_xfer_set_attr(endpoint->xfer(), DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
    commit(make_world());
    for (const TurnEndpoint *endpoint : {&source, &sink}) {
        size_t bytes = 0;
        if (*endpoint) {
            expect_success(DRI_xfer_buffer_bytes(endpoint->xfer(), &bytes), "DRI_xfer_buffer_bytes");
            EXPECT_EQ(static_cast<int64_t>(bytes), endpoint->bytes());
        }
    }
    for (int array = 0; array < arrays; ++array) {
        if (source)
            send_array(source, array, calls);
        if (sink)
            receive_array(sink, array, calls);
    }
    if (source) {
        EXPECT_EQ(frames_of(source.xfer()), arrays * source.strips());
    }
    if (sink) {
        EXPECT_EQ(frames_of(sink.xfer()), arrays * sink.strips());
    }
}

std::vector<StripTurn> corner_turns() {
    const StripEndpoint whole_arrays{.side = "block,* rm", .nbuffs = 2};
    return {
        {.source = row_strips(4), .sink = column_strips(2)},
        {.source = row_strips(5, 2), .sink = column_strips(4, 2)},
        {.source = row_strips(1, 3), .sink = column_strips(9)},  // a single strip
        {.source = row_strips(13), .sink = column_strips(1, 2)}, // a single strip at the sink
        {.source = row_strips(4), .sink = row_strips(3)},        // along the same dimension
        {.source = {.dim = 1, .size = 2, .side = "cyclic(0,2),* rm"},
         .sink = {.dim = 0, .size = 5, .side = "*,cyclic(0,2) rm"}},
        {.source = {.dim = 0, .size = 4, .side = "*,block rm"},
         .sink = {.dim = 1, .size = 4, .side = "block,* cm"}}, // strips that are not cut along their dimension
        {.source = row_strips(4), .sink = {.dim = 1, .size = 3, .side = "block<1:1>,* rm"}}, // with overlap
        {.source = row_strips(4), .sink = {.dim = 1, .size = 3, .side = "*,block<1:1> cm", .nbuffs = 2}},
        {.source = row_strips(4), .sink = whole_arrays}, // strips on one side only
        {.source = whole_arrays, .sink = column_strips(2)},
    };
}

TEST(Strips, CornerTurnsOfSeveralShapesAndWays) {
    int number = 0;
    for (const int64_t ways :
         {DRI_WAY_SELF + DRI_WAY_MESSAGE + DRI_WAY_DIRECT, DRI_WAY_SELF + DRI_WAY_MESSAGE, DRI_WAY_MESSAGE + 0})
        for (const StripTurn &turn : corner_turns()) {
            SCOPED_TRACE(testing::Message() << "ways " << ways << ", turn " << number++);
            expect_turn(turn, 3, Calls::mixed, ways);
        }
}

// Elements of one, four and eight bytes, and records of six bytes.
TEST(Strips, CornerTurnsOfElementsOfAllSizes) {
    for (const char *type : {"uint8", "complex-int16", "complex-float", "6B/2"})
        for (const int64_t ways : {7, 2})
            for (const Calls calls : {Calls::start_and_wait, Calls::do_call})
                expect_turn(
                    {.sizes = {29, 31}, .type = type, .source = row_strips(7, 2), .sink = column_strips(6, 2)}, 2,
                    calls, ways);
}

// Strips of many messages each, with staging for few of them.
TEST(Strips, ManyMessagesAreSentInOrder) {
    for (const int64_t limit : {int64_t{-1}, int64_t{0}})
        for (const int nbuffs : {1, 3}) {
            const StripTurn turn{.sizes = {200, 300},
                                 .type = "complex-float",
                                 .source = row_strips(48, nbuffs),
                                 .sink = column_strips(100)};
            const TurnEndpoint source("messages", DRI_SOURCE, turn), sink("messages", DRI_SINK, turn);
            const DRI_Xfer endpoints[]{source.xfer(), sink.xfer()};
            for (const DRI_Xfer endpoint : endpoints) {
                expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WAYS, DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
                expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_MESSAGE_BYTES, 5000), "DRI_xfer_set_attr");
            }
            DRI_Memory memory[2];
            expect_success(DRI_xfer_query(make_world(), 2, endpoints, memory), "DRI_xfer_query");
            if (limit == 0) // frames are sent in rounds
                for (int e = 0; e < 2; ++e)
                    expect_success(
                        DRI_xfer_set_attr(endpoints[e], DRI_ATTR_WORKSPACE_LIMIT, memory[e].least_bytes),
                        "DRI_xfer_set_attr");
            commit(make_world());
            for (int64_t array = 0; array < 3; ++array) {
                send_array(source, array, Calls::mixed);
                receive_array(sink, array, Calls::start_and_wait);
            }
        }
}

// Two groups of sinks and a source, each on some of the processes and each with strips of its own.
TEST(Strips, SeveralSinksHaveTheirOwn) {
    const int size = world().size, rank = world().rank;
    const std::vector<int> first = ranks((size + 1) / 2), later = ranks(size - size / 2, size / 2);
    StripTurn turn{.sizes = {17, 19}, .source = row_strips(5), .sink = column_strips(4)};
    turn.source.procs = first;
    turn.sink.procs = later;
    StripTurn other = turn;
    other.sink = {.dim = 0, .size = 6, .side = "*,cyclic(0,2) cm", .nbuffs = 2};
    const TurnEndpoint source("groups", DRI_SOURCE, turn), sink("groups", DRI_SINK, turn),
        observer("groups", DRI_SINK, other);
    commit(make_world());
    for (int64_t array = 0; array < 3; ++array) {
        if (source)
            send_array(source, array, Calls::mixed);
        if (sink)
            receive_array(sink, array, Calls::mixed);
        receive_array(observer, array, Calls::start_and_wait);
    }
    EXPECT_EQ(static_cast<bool>(source), is_in(first, rank));
}

// A source hands over as many strips as it has buffers before it waits. The sink's caller holds all strips of a
// store at once.
TEST(Strips, SourceAndSinkHoldSeveral) {
    const StripTurn turn{.sizes = {12, 10}, .source = row_strips(3, 4), .sink = column_strips(4, 2)};
    const TurnEndpoint source("held strips", DRI_SOURCE, turn), sink("held strips", DRI_SINK, turn);
    commit(make_world());
    void *all[6];
    int n = 0;
    expect_success(DRI_xfer_get_buffers(sink.xfer(), &n, all), "DRI_xfer_get_buffers");
    ASSERT_EQ(n, 6) << "three strips of two stores";
    for (int64_t array = 0; array < 4; ++array) {
        if (array == 0)
            for (int k = 1; k < 4; ++k)
                acquire(source.xfer());
        for (int64_t k = 0; k < 4; ++k) {
            source.fill(buffer_of<void>(source.xfer()), array * 4 + k);
            insert(source.xfer());
        }
        for (int64_t t = 0; t < 3; ++t)
            EXPECT_EQ(extract(sink.xfer()), all[array % 2 * 3 + t]);
        for (int64_t t = 0; t < 3; ++t)
            EXPECT_EQ(sink.wrong(all[array % 2 * 3 + t], array * 3 + t), 0) << t << " of " << array;
        for (int64_t t = 0; t < 3; ++t)
            release(sink.xfer());
        for (int k = 0; k < 4; ++k)
            acquire(source.xfer());
    }
}

// Two stores let arrays overlap: the next array arrives while the caller holds the previous one.
TEST(Strips, ASecondStoreIsFilledAhead) {
    const StripTurn turn{.sizes = {12, 10}, .source = row_strips(5), .sink = column_strips(4, 2)};
    const TurnEndpoint source("two stores", DRI_SOURCE, turn), sink("two stores", DRI_SINK, turn);
    commit(make_world());
    send_array(source, 0, Calls::do_call);
    send_array(source, 1, Calls::do_call);
    for (int64_t frame = 0; frame < 6; ++frame)
        EXPECT_EQ(sink.wrong(extract(sink.xfer()), frame), 0) << frame;
    for (int64_t frame = 0; frame < 6; ++frame)
        release(sink.xfer());
    send_array(source, 2, Calls::do_call);
    receive_array(sink, 2, Calls::do_call);
}

TEST(Strips, ConvertAndSplitByThreads) {
    StripTurn turn{.sizes = {40, 36}, .type = "complex-int16", .source = row_strips(8), .sink = column_strips(9)};
    turn.sink.side = "*,block cm/split";
    turn.words = "to=complex-float scale=0.5";
    const TurnEndpoint source("converted", DRI_SOURCE, turn), sink("converted", DRI_SINK, turn);
    for (const DRI_Xfer endpoint : {source.xfer(), sink.xfer()}) {
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_THREADS, 2), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_SHARE_BYTES, 1), "DRI_xfer_set_attr");
    }
    commit(make_world());
    for (int64_t array = 0; array < 2; ++array) {
        send_array(source, array, Calls::do_call);
        receive_array(sink, array, Calls::start_and_wait);
    }
}

} // namespace
} // namespace dri::test
