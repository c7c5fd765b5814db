// The memory that frame headers use, as a query reports it and as limits bound it.
#include "support/dropping.hpp"
#include "support/library.hpp"

namespace dri::test {
namespace {

constexpr StripShape wide{120, 500};

int64_t workspace_of(DRI_Xfer endpoint) {
    DRI_Xfer_info info{};
    expect_success(DRI_xfer_get_info(endpoint, &info), "DRI_xfer_get_info");
    return info.workspace_bytes;
}

DRI_Memory memory_of(const Strip *endpoint) {
    DRI_Memory memory{};
    const DRI_Xfer xfer = endpoint ? DRI_Xfer(endpoint->xfer) : DRI_XFER_NULL;
    expect_success(DRI_xfer_query(make_world(), endpoint ? 1 : 0, &xfer, &memory), "DRI_xfer_query");
    return memory;
}

void set(const Strip *endpoint, DRI_Attr attribute, int64_t value) {
    if (endpoint)
        expect_success(DRI_xfer_set_attr(endpoint->xfer, attribute, value), "DRI_xfer_set_attr");
}

struct Endpoints {
    std::optional<Strip> source, sink;
    Endpoints(const std::string &name, int64_t ways, int64_t stream, StripShape shape = wide)
        : source(declare_strip(name, DRI_SOURCE, ranks((world().size + 1) / 2), 3, shape)),
          sink(declare_strip(name, DRI_SINK, all_ranks(), 2, shape)) {
        set(from(), DRI_ATTR_WAYS, ways);
        set(from(), DRI_ATTR_STREAM, stream);
    }
    const Strip *from() const { return source ? &*source : nullptr; }
    const Strip *to() const { return &*sink; }
};

// Without the attribute headers use nothing. With it they use what the query reported, even without data.
TEST(StreamMemory, TheQueryReportsHeaders) {
    constexpr int64_t header = sizeof(DRI_Frame) - sizeof(DRI_Frame::reserved);
    const auto [rank, size] = world();
    for (const int64_t ways : {DRI_WAY_SELF | DRI_WAY_MESSAGE, DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT})
        for (const StripShape shape : {wide, StripShape{14, 2}}) {
            int64_t took[2][2]{}; // [source, sink][without headers, with headers]
            for (const int stream : {0, 1}) {
                const Endpoints endpoints("headers", ways, stream, shape);
                const DRI_Memory at_source = memory_of(endpoints.from()), at_sink = memory_of(endpoints.to());
                commit(make_world());
                took[1][stream] = workspace_of(endpoints.to()->xfer);
                EXPECT_EQ(took[1][stream], at_sink.workspace_bytes);
                EXPECT_LE(at_sink.least_bytes, at_sink.workspace_bytes);
                if (!endpoints.source)
                    continue;
                took[0][stream] = workspace_of(endpoints.from()->xfer);
                EXPECT_EQ(took[0][stream], at_source.workspace_bytes);
                EXPECT_LE(at_source.least_bytes, at_source.workspace_bytes);
            }
            // Headers of one frame per buffer and of those under way, including the end of stream.
            const int64_t at_source = took[0][1] - took[0][0], at_sink = took[1][1] - took[1][0];
            EXPECT_GE(at_sink, (2 + 1) * header);
            if (rank == 0) {
                EXPECT_GE(at_source, (3 + 4 * size) * header);
            } else {
                EXPECT_EQ(at_source, 0);
            }
        }
}

// The smallest limits on all endpoints at once: frames in rounds, with headers and an end. A byte less for the
// headers of a source is refused.
TEST(StreamMemory, TheSmallestLimitIncludesHeaders) {
    const int rank = world().rank;
    for (const int64_t ways : {DRI_WAY_SELF | DRI_WAY_MESSAGE, DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT}) {
        const Endpoints endpoints("limit", ways, 1);
        const int64_t at_source = memory_of(endpoints.from()).least_bytes,
                      at_sink = memory_of(endpoints.to()).least_bytes;
        if (rank == 0)
            set(endpoints.from(), DRI_ATTR_WORKSPACE_LIMIT, at_source - 1);
        EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_LIMIT);
        set(endpoints.from(), DRI_ATTR_WORKSPACE_LIMIT, at_source);
        set(endpoints.to(), DRI_ATTR_WORKSPACE_LIMIT, at_sink - 1);
        EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_LIMIT);
        set(endpoints.to(), DRI_ATTR_WORKSPACE_LIMIT, at_sink);
        commit(make_world());
        EXPECT_LE(workspace_of(endpoints.to()->xfer), at_sink);
        constexpr int64_t frames = 4;
        for (int64_t f = 0; f < frames; ++f) {
            DRI_Frame frame{}, got{};
            frame.bytes = 1;
            frame.data[0] = static_cast<unsigned char>(f + 1);
            if (endpoints.source) {
                EXPECT_LE(workspace_of(endpoints.from()->xfer), at_source);
                endpoints.source->fill(buffer_of<void>(endpoints.source->xfer), f);
                insert(endpoints.source->xfer, &frame);
            }
            EXPECT_EQ(endpoints.sink->wrong(extract(endpoints.sink->xfer, &got), f), 0) << f;
            EXPECT_EQ(got.number, f);
            EXPECT_EQ(got.data[0], f + 1);
            release(endpoints.sink->xfer);
            if (endpoints.source)
                acquire(endpoints.source->xfer);
        }
        if (endpoints.source)
            expect_success(DRI_xfer_close(endpoints.source->xfer), "DRI_xfer_close");
        EXPECT_EQ(DRI_extract(endpoints.sink->xfer, nullptr, nullptr), DRI_END_OF_STREAM) << DRI_error_message();
    }
}

// One sink drops frames, and another one may hold the source back. All data travel as messages.
struct DroppingEndpoints {
    std::optional<Strip> source, drops;
    Xfer holds;
    DroppingEndpoints(StripShape shape, bool has_other)
        : source(declare_patient("dropping", ranks((world().size + 1) / 2), 3, shape)),
          drops(declare_dropping("dropping", all_ranks(), 2, shape)) {
        if (has_other)
            holds = make_xfer(
                "dropping", DRI_SINK,
                make_dist(make_gdo({shape.rows, shape.columns}, DRI_INT32), make_blocks(2, 0), make_world()),
                DRI_ROW_MAJOR, 2);
        set_attr(source, DRI_ATTR_WAYS, DRI_WAY_MESSAGE);
        set_attr(drops, DRI_ATTR_WAYS, DRI_WAY_MESSAGE);
        if (has_other)
            expect_success(DRI_xfer_set_attr(holds, DRI_ATTR_WAYS, DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
    }
};

std::string refusal_of_commit() {
    EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_LIMIT) << DRI_error_message();
    return DRI_error_message();
}

// A source with a dropping sink has memory for whole frames, and shorter messages do not reduce it.
TEST(StreamMemory, TheSmallestLimitOfASourceIsEnoughForADroppingSink) {
    const int rank = world().rank;
    for (const StripShape shape : {StripShape{40, 100}, StripShape{50, 50}, wide})
        for (const bool has_other : {false, true}) {
            DroppingEndpoints endpoints(shape, has_other);
            const Strip *const asked = rank == 0 ? &*endpoints.source : nullptr;
            const DRI_Memory reported = memory_of(asked);
            EXPECT_LE(reported.least_bytes, reported.workspace_bytes);
            const int64_t min = sum_of(reported.least_bytes);
            set(asked, DRI_ATTR_WORKSPACE_LIMIT, min - 1);
            const std::string refusal = refusal_of_commit();
            EXPECT_NE(refusal.find("at least " + std::to_string(min) + " bytes"), std::string::npos) << refusal;
            set(asked, DRI_ATTR_WORKSPACE_LIMIT, min);
            EXPECT_EQ(memory_of(asked).least_bytes, reported.least_bytes)
                << "a limit does not change the smallest one";
            commit(make_world());
            if (asked) {
                EXPECT_LE(workspace_of(asked->xfer), min);
            }
            if (endpoints.source)
                hand_over(*endpoints.source, 0);
            Got got;
            EXPECT_EQ(got.extract(*endpoints.drops), DRI_SUCCESS) << DRI_error_message();
            if (has_other)
                expect_success(DRI_do(nullptr, endpoints.holds), "DRI_do");
            if (endpoints.source)
                acquire(endpoints.source->xfer);
            barrier();
        }
}

TEST(StreamMemory, ARefusalNamesTheSink) {
    const int rank = world().rank;
    DroppingEndpoints endpoints({200, 150}, true);
    const auto refusal_with = [&](DRI_Xfer sink) {
        const auto limit = [&](int64_t bytes) {
            if (rank == 0)
                expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WORKSPACE_LIMIT, bytes), "DRI_xfer_set_attr");
        };
        limit(0);
        const std::string refusal = refusal_of_commit();
        limit(int64_t{1} << 62);
        return refusal;
    };
    const std::string refusal_by_rows = refusal_with(endpoints.holds);
    const std::string refusal_by_columns = refusal_with(endpoints.drops->xfer);
    const std::string n = std::to_string(world().size);
    EXPECT_NE(refusal_by_rows.find("the sink (int32 [200,150] block(" + n + "),* over 0"), std::string::npos)
        << refusal_by_rows;
    EXPECT_NE(refusal_by_columns.find("the sink (int32 [200,150] *,block(" + n + ") over 0"), std::string::npos)
        << refusal_by_columns;
}

} // namespace
} // namespace dri::test
