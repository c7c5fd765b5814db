// One process of a source continues after the first one has closed the stream. It learns of that from the sinks,
// and waits for nobody.
#include "support/closing.hpp"
#include "support/dropping.hpp"
#include "support/library.hpp"

#include <chrono>
#include <thread>

namespace dri::test {
namespace {

struct ApartEndpoints {
    std::optional<Strip> source, sink;
};

ApartEndpoints declare_apart(int64_t ways, const std::vector<int> &sinks, int nbuffs, StripShape shape = tall) {
    ApartEndpoints endpoints{declare_stream("apart", {0, 1}, nbuffs, shape),
                             declare_strip("apart", DRI_SINK, sinks, 2, shape)};
    for (const auto *endpoint : {&endpoints.source, &endpoints.sink})
        set_attr(*endpoint, DRI_ATTR_WAYS, ways);
    return endpoints;
}

// Moves frames. Each sink receives as many, and the source acquires its next buffer.
void move_apart(const ApartEndpoints &endpoints, int64_t frames) {
    Got got;
    for (int64_t f = 0; f < frames; ++f) {
        if (endpoints.source)
            hand_over(*endpoints.source, f);
        if (endpoints.sink) {
            EXPECT_EQ(got.extract(*endpoints.sink), DRI_SUCCESS) << DRI_error_message();
        }
        if (endpoints.source)
            acquire(endpoints.source->xfer);
    }
}

// Until the sink's process learns of the end, a sink beside a source of the transfer fails with DRI_ERR_DEADLOCK.
void expect_end(const std::optional<Strip> &sink) {
    int code = sink ? static_cast<int>(DRI_ERR_DEADLOCK) : static_cast<int>(DRI_END_OF_STREAM);
    while (code == DRI_ERR_DEADLOCK) {
        expect_success(DRI_progress(), "DRI_progress");
        code = DRI_do(nullptr, sink->xfer);
    }
    EXPECT_EQ(code, DRI_END_OF_STREAM) << DRI_error_message();
}

// Calls DRI_progress until the notices of the sinks have arrived.
void receive_meanwhile() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    for (int polls = 0; polls < 1000 || std::chrono::steady_clock::now() < until; ++polls)
        expect_success(DRI_progress(), "DRI_progress");
}

void expect_broken(const Strip &source) {
    EXPECT_EQ(DRI_insert(source.xfer, nullptr), DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("is broken"), std::string::npos) << DRI_error_message();
}

void destroy_apart(ApartEndpoints &endpoints) {
    for (auto *endpoint : {&endpoints.sink, &endpoints.source})
        if (*endpoint) {
            EXPECT_EQ((*endpoint)->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
}

enum class ContinueBy { start_and_wait, do_call, timed, polls, count };

// Hands over frames until a call fails, and returns its code. Many small messages may be sent before that.
int continue_with(const Strip &source, int64_t frame, ContinueBy calls) {
    for (;; ++frame) {
        source.fill(buffer_of<void>(source.xfer), frame);
        int code = DRI_SUCCESS, done = 0;
        if (calls == ContinueBy::polls) {
            code = DRI_start(nullptr, source.xfer);
            while (code == DRI_SUCCESS && !done)
                code = DRI_test(nullptr, source.xfer, &done);
        } else if (calls == ContinueBy::do_call) {
            code = DRI_do(nullptr, source.xfer);
        } else {
            code = DRI_insert(source.xfer, nullptr);
            if (code == DRI_SUCCESS)
                code = DRI_acquire(source.xfer, nullptr);
        }
        if (code != DRI_SUCCESS)
            return code;
    }
}

// Sinks on the process that continues, on the one that closes, and on others. late: they reach the end of the
// stream while the process that continues already waits.
TEST(AfterTheEndOfStream, AProcessThatContinuesFails) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    for (const std::vector<int> &sinks :
         {std::vector{0}, std::vector{sink_process()}, std::vector{1}, all_ranks()})
        for (const int64_t ways : ways_apart)
            for (const int nbuffs : {1, 2})
                for (int calls = 0; calls < static_cast<int>(ContinueBy::count); ++calls) {
                    const int64_t closed_after = (calls + nbuffs) % 2 == 0 ? 0 : 3;
                    const bool late = nbuffs > 1;
                    ApartEndpoints mine = declare_apart(ways, sinks, nbuffs, late ? narrow : tall);
                    if (mine.source && static_cast<ContinueBy>(calls) == ContinueBy::timed)
                        set_timeout(mine.source->xfer, 60000);
                    commit(make_world());
                    move_apart(mine, closed_after);
                    if (rank == 0) {
                        if (late)
                            std::this_thread::sleep_for(std::chrono::milliseconds(1));
                        expect_success(DRI_xfer_close(mine.source->xfer), "DRI_xfer_close");
                    }
                    expect_end(mine.sink);
                    if (!late)
                        barrier();
                    if (rank == 1) {
                        EXPECT_EQ(continue_with(*mine.source, closed_after, static_cast<ContinueBy>(calls)),
                                  DRI_ERR_MISMATCH)
                            << DRI_error_message();
                        expect_apart(DRI_error_message(), 0, closed_after, 1, closed_after);
                        expect_broken(*mine.source);
                    }
                    barrier();
                    destroy_apart(mine);
                }
}

// The source has more buffers than it needs, so no call has waited before.
TEST(AfterTheEndOfStream, CloseAndDestroyReportTheMismatch) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    for (const int64_t ways : ways_apart)
        for (const bool closes : {true, false}) {
            ApartEndpoints mine = declare_apart(ways, {sink_process()}, 4);
            commit(make_world());
            move_apart(mine, 2);
            if (rank == 1)
                hand_over(*mine.source, 2);
            barrier();
            if (rank == 0)
                expect_success(DRI_xfer_close(mine.source->xfer), "DRI_xfer_close");
            expect_end(mine.sink);
            barrier();
            if (rank == 1) {
                receive_meanwhile();
                EXPECT_EQ(closes ? DRI_xfer_close(mine.source->xfer) : mine.source->xfer.reset(), DRI_ERR_MISMATCH)
                    << DRI_error_message();
                expect_apart(DRI_error_message(), 0, 2, 1, 2);
                expect_broken(*mine.source);
            }
            barrier();
            destroy_apart(mine);
        }
}

// The insert is refused even if the sinks are destroyed before it.
TEST(AfterTheEndOfStream, AnInsertIsRefused) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    for (const int64_t ways : ways_apart)
        for (const bool sink_leaves : {true, false}) {
            ApartEndpoints mine = declare_apart(ways, {sink_process()}, 2);
            commit(make_world());
            move_apart(mine, 3);
            if (rank == 0)
                expect_success(DRI_xfer_close(mine.source->xfer), "DRI_xfer_close");
            expect_end(mine.sink);
            if (sink_leaves)
                mine.sink.reset();
            barrier();
            if (rank == 1) {
                receive_meanwhile();
                EXPECT_EQ(DRI_insert(mine.source->xfer, nullptr), DRI_ERR_MISMATCH) << DRI_error_message();
                expect_apart(DRI_error_message(), 0, 3, 1, 3);
                expect_broken(*mine.source);
            }
            barrier();
            destroy_apart(mine);
        }
}

// A process that closes after the same frame as the others must not fail because sinks reported the end, or left.
TEST(AfterTheEndOfStream, AProcessMayCloseLaterAfterTheSameFrame) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    for (const int64_t ways : ways_apart)
        for (const bool sinks_go : {true, false})
            for (const bool extracts_all : {true, false}) {
                ApartEndpoints mine = declare_apart(ways, {sink_process()}, 2);
                commit(make_world());
                move_apart(mine, 1);
                if (mine.source)
                    hand_over(*mine.source, 1);
                if (rank == 0)
                    expect_success(DRI_xfer_close(mine.source->xfer), "DRI_xfer_close");
                if (mine.sink && extracts_all) {
                    Got got;
                    EXPECT_EQ(got.extract(*mine.sink), DRI_SUCCESS) << DRI_error_message();
                    expect_end(mine.sink);
                } else if (mine.sink) {
                    receive_meanwhile(); // the end arrives while the frame is in a buffer
                }
                barrier();
                if (mine.sink && sinks_go) {
                    EXPECT_EQ(mine.sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                }
                barrier();
                if (rank == 1) {
                    receive_meanwhile();
                    acquire(mine.source->xfer);
                    expect_success(DRI_xfer_close(mine.source->xfer), "DRI_xfer_close");
                }
                mine.sink.reset();
                destroy_apart(mine);
            }
}

// A dropping sink is destroyed while a process still hands over frames that it drops.
TEST(AfterTheEndOfStream, AProcessMayBeLateForASinkThatDrops) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    constexpr int64_t closed_after = 10;
    for (const bool sink_leaves : {true, false}) {
        auto source = declare_patient("apart", {0, 1}, 2, tall);
        auto sink = declare_dropping("apart", {sink_process()}, 2, tall);
        commit(make_world());
        const auto hand_over_some = [&](int64_t from, int64_t to) {
            for (int64_t f = from; f < to; ++f) {
                hand_over(*source, f);
                acquire(source->xfer);
            }
        };
        if (rank == 0) { // the sink drops all except the first frames
            hand_over_some(0, closed_after);
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        }
        meet();
        if (rank == 1)
            hand_over_some(0, under_way);
        if (sink) {
            Got got;
            got.extract_all(*sink);
            if (sink_leaves)
                sink.reset();
        }
        meet();
        if (rank == 1) {
            receive_meanwhile();
            hand_over_some(under_way, closed_after);
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
            EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        barrier();
    }
}

// A process that continues and then destroys its endpoint does not keep later sinks from the end of stream.
TEST(AfterTheEndOfStream, LaterSinksReachTheEndToo) {
    const int rank = world().rank;
    if (world().size < 3)
        GTEST_SKIP() << "needs two processes of a source, and one more";
    constexpr int64_t closed_after = 3;
    for (const int64_t ways : ways_apart) {
        ApartEndpoints mine = declare_apart(ways, {0, 2}, 2);
        commit(make_world());
        move_apart(mine, closed_after);
        if (rank == 0) {
            expect_success(DRI_xfer_close(mine.source->xfer), "DRI_xfer_close");
            expect_end(mine.sink);
        }
        if (rank == 1) {
            EXPECT_EQ(continue_with(*mine.source, closed_after, ContinueBy::start_and_wait), DRI_ERR_MISMATCH)
                << DRI_error_message();
            EXPECT_EQ(mine.source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        barrier();
        if (rank == 2) {
            expect_end(mine.sink);
        }
        destroy_apart(mine);
    }
}

} // namespace
} // namespace dri::test
