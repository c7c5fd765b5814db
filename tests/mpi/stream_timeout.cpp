// Waits that time out. The message names the process that was missing, and the same call continues afterwards.
#include "support/library.hpp"
#include "support/line.hpp"
#include "support/strip_turn.hpp"

#include <chrono>
#include <thread>

namespace dri::test {
namespace {

constexpr int patience_ms = 20;

void expect_timeout(int code, const std::string &name, const std::vector<std::string> &words) {
    EXPECT_EQ(code, DRI_ERR_TIMEOUT) << DRI_error_message();
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("'" + name + "'"), std::string::npos) << message;
    for (const std::string &word : words)
        EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
}

std::string process(int rank) { return "process " + std::to_string(rank); }

// Messages short enough to be sent ahead of their receiver, and messages that wait for it.
constexpr StripShape shapes[]{{3, 5}, {700, 400}};

// Also where no endpoint had one at the commit, and with another one later.
TEST(Timeout, IsSetAfterTheCommit) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    const auto source = declare_strip("patient", DRI_SOURCE, {0}, 1, shapes[0]),
               sink = declare_strip("patient", DRI_SINK, {last}, 1, shapes[0]);
    commit(make_world());
    for (const int ms : {patience_ms, 5 * patience_ms}) {
        if (!sink)
            continue;
        set_timeout(sink->xfer, ms);
        EXPECT_EQ(DRI_xfer_set_attr(sink->xfer, DRI_ATTR_TIMEOUT_MS, -1), DRI_ERR_ARG);
        EXPECT_EQ(DRI_xfer_set_attr(sink->xfer, DRI_ATTR_THREADS, 1), DRI_ERR_STATE) << "others are as committed";
        const auto begin = std::chrono::steady_clock::now();
        expect_timeout(DRI_do("patient", sink->xfer), "patient", {process(0)});
        EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(ms));
    }
    if (sink)
        set_timeout(sink->xfer, 0); // for ever
    barrier();
    if (source) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10 * patience_ms));
        source->fill(buffer_of<void>(source->xfer), 0);
        expect_success(DRI_do(nullptr, source->xfer), "DRI_do of the source");
    }
    if (sink) {
        expect_success(DRI_do("patient", sink->xfer), "DRI_do of the sink");
        EXPECT_EQ(sink->wrong(buffer_of<void>(sink->xfer), 0), 0);
    }
    barrier();
}

TEST(Timeout, ASinkNamesTheMissingProcess) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    for (const StripShape shape : shapes) {
        const auto source = declare_strip("late", DRI_SOURCE, {0}, 1, shape),
                   sink = declare_strip("late", DRI_SINK, {last}, 1, shape);
        if (sink)
            set_timeout(sink->xfer, patience_ms);
        commit(make_world());
        for (int64_t frame = 0; frame < 3; ++frame) {
            if (sink)
                for (int tries = 0; tries < 2; ++tries) {
                    const auto begin = std::chrono::steady_clock::now();
                    expect_timeout(DRI_do("late", sink->xfer), "late",
                                   {"frame " + std::to_string(frame), "sink of " + process(last), process(0)});
                    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(patience_ms));
                    EXPECT_EQ(frames_of(sink->xfer), frame);
                }
            barrier();
            if (source) {
                source->fill(buffer_of<void>(source->xfer), frame);
                expect_success(DRI_do(nullptr, source->xfer), "DRI_do of the source");
            }
            int code = DRI_ERR_TIMEOUT;
            while (sink && code == DRI_ERR_TIMEOUT)
                code = DRI_do("late", sink->xfer);
            if (sink) {
                expect_success(code, "DRI_do of the sink");
                EXPECT_EQ(sink->wrong(buffer_of<void>(sink->xfer), frame), 0) << frame;
            }
            barrier();
        }
        if (rank == 0) {
            EXPECT_EQ(frames_of(source->xfer), 3);
        }
    }
}

// The source continues until it is held up, by any way.
TEST(Timeout, ASourceNamesTheProcessThatHoldsItUp) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    const StripShape shape{700, 400};
    const auto source = declare_strip("full", DRI_SOURCE, {0}, 2, shape),
               sink = declare_strip("full", DRI_SINK, {last}, 1, shape);
    if (source)
        set_timeout(source->xfer, patience_ms);
    commit(make_world());
    int64_t frames = 0;
    if (rank == 0) {
        int code = DRI_SUCCESS;
        for (; code == DRI_SUCCESS && frames < 10; ++frames) {
            source->fill(buffer_of<void>(source->xfer), frames);
            code = DRI_do("full", source->xfer);
        }
        const std::vector<std::string> words{"source of " + process(0), process(last), "frame 0"};
        expect_timeout(code, "full", words);
        expect_timeout(DRI_do("full", source->xfer), "full", words);
        EXPECT_EQ(frames_of(source->xfer), frames) << "a frame is handed over once";
        void *buffer = nullptr;
        EXPECT_EQ(DRI_xfer_get_buffer(source->xfer, &buffer), DRI_ERR_STATE) << "the caller holds no buffer";
        EXPECT_EQ(DRI_insert(source->xfer, nullptr), DRI_ERR_STATE);
    }
    MPI_Bcast(&frames, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    int code = DRI_ERR_TIMEOUT;
    for (int64_t f = 0; sink && f < frames; ++f) {
        EXPECT_EQ(sink->wrong(extract(sink->xfer), f), 0) << f;
        release(sink->xfer);
    }
    while (rank == 0 && code == DRI_ERR_TIMEOUT)
        code = DRI_do("full", source->xfer);
    if (rank == 0) {
        expect_success(code, "DRI_do of the source");
        EXPECT_EQ(frames_of(source->xfer), frames);
        source->fill(buffer_of<void>(source->xfer), frames);
        insert(source->xfer);
    }
    if (rank == last) {
        EXPECT_EQ(sink->wrong(extract(sink->xfer), frames), 0);
    }
}

std::string not_gone(int64_t frame, int receiver, int64_t up_to) {
    return "frame " + std::to_string(frame) +
           " of the source of process 0 was not sent in time: " + process(receiver) +
           " has not taken all messages up to frame " + std::to_string(up_to);
}

// With less memory than for a frame, each side waits for its own messages.
TEST(Timeout, ASourceInRoundsNamesItsFrame) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    const Line line("rounds", 0, last, {200, 120}, 2, 1);
    if (line.source)
        set_timeout(line.source->xfer, patience_ms);
    line.send_in_rounds();
    commit(make_world());
    for (int64_t frame = 0; frame < 3; ++frame) {
        if (line.source) {
            line.source->fill(buffer_of<void>(line.source->xfer), frame);
            expect_timeout(DRI_do(nullptr, line.source->xfer), "rounds", {not_gone(frame, last, frame)});
        }
        barrier();
        int code = DRI_ERR_TIMEOUT;
        while (line.source && code == DRI_ERR_TIMEOUT)
            code = DRI_do(nullptr, line.source->xfer);
        line.take_frame(frame);
        barrier();
    }
}

// Two strips make an array. A third array waits until the sink has taken the first one.
TEST(Timeout, ASourceOfStripsNamesThoseThatAreNotTaken) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    StripTurn turn{.sizes = {200, 120}, .source = row_strips(100, 2), .sink = column_strips(40)};
    turn.source.procs = {0};
    turn.sink.procs = {last};
    const TurnEndpoint source("strips", DRI_SOURCE, turn), sink("strips", DRI_SINK, turn);
    if (source) {
        set_timeout(source.xfer(), patience_ms);
        expect_success(DRI_xfer_set_attr(source.xfer(), DRI_ATTR_WAYS, DRI_WAY_MESSAGE), "DRI_xfer_set_attr");
    }
    commit(make_world());
    int64_t frame = 0;
    if (source) {
        int code = DRI_SUCCESS;
        for (; code == DRI_SUCCESS && frame < 20; ++frame) {
            source.fill(buffer_of<void>(source.xfer()), frame);
            code = DRI_do(nullptr, source.xfer());
        }
        expect_timeout(code, "strips", {not_gone(frame - 1, last, 1)});
    }
    barrier();
    MPI_Bcast(&frame, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int64_t t = 0; sink && t < sink.strips() * (frame / 2); ++t) {
        EXPECT_EQ(sink.wrong(extract(sink.xfer()), t), 0) << t;
        release(sink.xfer());
    }
    int code = DRI_ERR_TIMEOUT;
    while (source && code == DRI_ERR_TIMEOUT)
        code = DRI_do(nullptr, source.xfer());
    if (source)
        expect_success(code, "DRI_do");
}

// MPI would buffer any number of small messages. A sink without data receives headers.
TEST(Timeout, ASourceOfSmallMessagesIsHeldBack) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    constexpr int nbuffs = 2;
    for (const bool is_empty : {false, true}) {
        const StripShape shape{3, is_empty ? 1 : 5};
        const auto source = declare_stream("small", {0}, nbuffs, shape);
        const auto sink =
            declare_strip("small", DRI_SINK, is_empty ? std::vector{0, last} : std::vector{last}, 1, shape);
        for (const auto *endpoint : {&source, &sink})
            if (*endpoint)
                expect_success(DRI_xfer_set_attr((*endpoint)->xfer, DRI_ATTR_WAYS, DRI_WAY_MESSAGE),
                               "DRI_xfer_set_attr");
        if (source)
            set_timeout(source->xfer, patience_ms);
        if (source && sink) // what the other sink delays arrives late here, too
            set_timeout(sink->xfer, patience_ms);
        commit(make_world());
        int64_t frames = 0, taken = 0;
        const auto take = [&] {
            void *buffer = nullptr;
            if (DRI_extract(sink->xfer, &buffer, nullptr) != DRI_SUCCESS)
                return;
            EXPECT_EQ(sink->wrong(buffer, taken++), 0);
            release(sink->xfer);
        };
        int code = DRI_SUCCESS;
        while (source && code == DRI_SUCCESS && frames < 1000) {
            source->fill(buffer_of<void>(source->xfer), frames++);
            insert(source->xfer);
            if (sink)
                take();
            code = DRI_acquire(source->xfer, nullptr);
        }
        if (source) {
            expect_timeout(code, "small", {process(last)});
            EXPECT_LE(frames, 9 * nbuffs);
        }
        MPI_Bcast(&frames, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
        while (sink && taken < frames)
            take();
        while (source && code == DRI_ERR_TIMEOUT)
            code = DRI_acquire(source->xfer, nullptr);
        EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    }
}

// All processes wait for process 0, in either of its endpoints, and then continue together.
TEST(Timeout, BothEndpointsByName) {
    const int rank = world().rank;
    const std::vector<int> all = all_ranks();
    for (const StripShape shape : shapes) {
        const Strip source = *declare_strip("both", DRI_SOURCE, all, 1, shape),
                    sink = *declare_strip("both", DRI_SINK, all, 1, shape);
        set_timeout(source.xfer, patience_ms);
        set_timeout(sink.xfer, 10 * patience_ms);
        commit(make_world());
        for (int64_t frame = 0; frame < 3; ++frame) {
            source.fill(buffer_of<void>(source.xfer), frame);
            const bool needs_others = !sink.is_empty() || !source.is_empty();
            // The message may name other processes that are late, but only for a short time.
            int late = rank != 0 && needs_others ? 1 : 0;
            for (int tries = 0; late && tries < 500; ++tries) {
                expect_timeout(DRI_do("both", DRI_XFER_NULL), "both", {"frame " + std::to_string(frame)});
                if (std::string(DRI_error_message()).find(process(0) + " has not") != std::string::npos)
                    late = 0;
            }
            EXPECT_EQ(late, 0) << DRI_error_message();
            barrier();
            int code = DRI_ERR_TIMEOUT;
            while (code == DRI_ERR_TIMEOUT)
                code = DRI_do("both", DRI_XFER_NULL);
            expect_success(code, "DRI_do");
            EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
            EXPECT_EQ(frames_of(sink.xfer), frame + 1);
            EXPECT_EQ(frames_of(source.xfer), frame + 1);
            barrier();
        }
    }
}

} // namespace
} // namespace dri::test
