// Frame headers and the end of a stream, at every process of every sink.
#include "support/library.hpp"
#include "support/strip.hpp"

#include <cstring>

namespace dri::test {
namespace {

// with so few columns that some processes have none
constexpr StripShape few_columns{14, 2}, large{700, 400};

unsigned char letter(int64_t frame, int i, int rank) {
    return static_cast<unsigned char>(1 + (frame * 31 + i * 7 + rank * 101) % 255);
}

// The frame header that a process sends; different on any two processes.
DRI_Frame frame_of(int64_t number, int bytes, int rank) {
    DRI_Frame frame{};
    frame.number = 4711; // ignored by the library
    frame.time_ns = 1000 * number + 7 + rank;
    frame.bytes = bytes;
    for (int i = 0; i < bytes; ++i)
        frame.data[i] = letter(number, i, rank);
    return frame;
}

void expect_frame(const DRI_Frame &frame, int64_t number, int bytes, int rank) {
    EXPECT_EQ(frame.number, number);
    EXPECT_EQ(frame.time_ns, 1000 * number + 7 + rank);
    ASSERT_EQ(frame.bytes, bytes);
    int wrong = 0;
    for (int i = 0; i < DRI_MAX_FRAME_BYTES; ++i)
        wrong += frame.data[i] != (i < bytes ? letter(number, i, rank) : 0);
    EXPECT_EQ(wrong, 0) << "of frame " << number;
}

int end_code(DRI_Xfer sink) { return DRI_extract(sink, nullptr, nullptr); }

TEST(Stream, AFrameHeaderReachesEverySinkProcess) {
    const int rank = world().rank, size = world().size;
    std::vector<int> backwards = all_ranks();
    std::reverse(backwards.begin(), backwards.end());
    for (const StripShape shape : {few_columns, large})
        for (const auto &from : {all_ranks(), backwards, std::vector<int>{size / 2}}) {
            const auto source = declare_stream("with", from, 2, shape);
            const Strip sink = *declare_strip("with", DRI_SINK, all_ranks(), 2, shape);
            EXPECT_EQ(sink.is_empty(), shape.columns == 2 && rank >= 2);
            commit(make_world());
            const int lengths[]{5, 0, 256, 1, 255};
            for (int64_t f = 0; f < std::ssize(lengths); ++f) {
                const DRI_Frame given = frame_of(f, lengths[f], rank);
                if (source) {
                    source->fill(buffer_of<void>(source->xfer), f);
                    insert(source->xfer, &given);
                }
                DRI_Frame got{};
                std::memset(&got, 0xAB, sizeof got);
                EXPECT_EQ(sink.wrong(extract(sink.xfer, &got), f), 0) << f;
                expect_frame(got, f, lengths[f], from[0]);
                release(sink.xfer);
                if (source)
                    acquire(source->xfer);
            }
        }
}

// If the caller gives no time, the first process's clock is used, and all sinks receive the same time.
TEST(Stream, FramesHaveATimeAndANumber) {
    const Strip source = *declare_stream("time", all_ranks(), 1, few_columns),
                sink = *declare_strip("time", DRI_SINK, all_ranks(), 1, few_columns);
    commit(make_world());
    int64_t before = 1600000000000000000; // 2020
    for (int64_t f = 0; f < 3; ++f) {
        source.fill(buffer_of<void>(source.xfer), f);
        insert(source.xfer);
        DRI_Frame got{};
        extract(sink.xfer, &got);
        release(sink.xfer);
        acquire(source.xfer);
        EXPECT_EQ(got.number, f);
        EXPECT_EQ(got.bytes, 0);
        EXPECT_GE(got.time_ns, before);
        before = got.time_ns;
        int64_t low = 0, high = 0;
        MPI_Allreduce(&got.time_ns, &low, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&got.time_ns, &high, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        EXPECT_EQ(low, high);
    }
    expect_success(DRI_do("time", DRI_XFER_NULL), "DRI_do has a frame, too");
    EXPECT_EQ(frames_of(sink.xfer), 4);
}

// Frames of a transfer that is not a stream are numbered as well.
TEST(Stream, FramesOfOtherTransfersHaveANumberToo) {
    const Strip source = *declare_strip("plain", DRI_SOURCE, all_ranks(), 1, few_columns),
                sink = *declare_strip("plain", DRI_SINK, all_ranks(), 1, few_columns);
    commit(make_world());
    for (int64_t f = 0; f < 3; ++f) {
        insert(source.xfer);
        DRI_Frame got{};
        std::memset(&got, 0xAB, sizeof got);
        extract(sink.xfer, &got);
        release(sink.xfer);
        acquire(source.xfer);
        EXPECT_EQ(got.number, f);
        EXPECT_EQ(got.time_ns, 0);
        EXPECT_EQ(got.bytes, 0);
    }
}

void count_failures(int, const char *, void *count) { ++*static_cast<int *>(count); }

void expect_end(const std::string &name, const Strip &sink, int64_t frames) {
    int failures = 0;
    expect_success(DRI_set_error_handler(count_failures, &failures), "DRI_set_error_handler");
    EXPECT_EQ(end_code(sink.xfer), DRI_END_OF_STREAM) << DRI_error_message();
    EXPECT_EQ(DRI_do(nullptr, sink.xfer), DRI_END_OF_STREAM);
    EXPECT_EQ(end_code(sink.xfer), DRI_END_OF_STREAM) << "again";
    EXPECT_EQ(failures, 0) << "no failure";
    expect_success(DRI_set_error_handler(nullptr, nullptr), "DRI_set_error_handler");
    const std::string message = DRI_error_message();
    for (const std::string &word : {"'" + name + "'", "after " + std::to_string(frames) + " frames"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(frames_of(sink.xfer), frames);
    EXPECT_STREQ(DRI_error_string(DRI_END_OF_STREAM), "DRI_END_OF_STREAM");
}

// Sinks of different speeds, some empty, some on processes of the source. The source may be destroyed before they
// call.
TEST(Stream, EndsForEverySinkAfterItsLastFrame) {
    const int size = world().size;
    for (const StripShape shape : {few_columns, large})
        for (const bool source_goes : {false, true})
            for (const int64_t frames : {0, 1, 5}) {
                auto source = declare_stream("zebra", ranks((size + 1) / 2), 3, shape);
                const auto everywhere = declare_strip("zebra", DRI_SINK, all_ranks(), 3, shape),
                           at_the_end =
                               size > 1 ? declare_strip("zebra", DRI_SINK, {size - 1}, 1, shape) : std::nullopt;
                commit(make_world());
                const auto take = [&](int64_t f) {
                    for (const auto *sink : {&everywhere, &at_the_end})
                        if (*sink) {
                            EXPECT_EQ((*sink)->wrong(extract((*sink)->xfer), f), 0) << f;
                            release((*sink)->xfer);
                        }
                };
                for (int64_t f = 0; source && f < frames; ++f) {
                    source->fill(buffer_of<void>(source->xfer), f);
                    insert(source->xfer);
                    take(f);
                    acquire(source->xfer);
                }
                if (source) {
                    expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                    if (source_goes) {
                        EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                    }
                }
                for (int64_t f = 0; !is_in(ranks((size + 1) / 2), world().rank) && f < frames; ++f)
                    take(f);
                for (const auto *sink : {&everywhere, &at_the_end})
                    if (*sink)
                        expect_end("zebra", **sink, frames);
            }
}

// Sinks that already wait when the stream ends, in each kind of call.
TEST(Stream, EndsForSinksThatWait) {
    const int rank = world().rank;
    for (const bool polls : {false, true}) {
        const auto source = declare_stream("wait", {0}, 1, few_columns);
        const Strip sink = *declare_strip("wait", DRI_SINK, all_ranks(), 2, few_columns);
        commit(make_world());
        if (rank == 0) {
            source->fill(buffer_of<void>(source->xfer), 0);
            expect_success(DRI_do("wait", DRI_XFER_NULL), "DRI_do");
        } else {
            extract(sink.xfer);
        }
        expect_success(DRI_start(nullptr, sink.xfer), "DRI_start");
        int done = 0, code = DRI_SUCCESS;
        for (int i = 0; i < 50; ++i) {
            EXPECT_EQ(DRI_test(nullptr, sink.xfer, &done), DRI_SUCCESS) << DRI_error_message();
            EXPECT_EQ(done, 0);
        }
        barrier();
        if (rank == 0) {
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        }
        if (polls)
            while (code == DRI_SUCCESS && !done)
                code = DRI_test(nullptr, sink.xfer, &done);
        else
            code = DRI_wait(nullptr, sink.xfer);
        EXPECT_EQ(code, DRI_END_OF_STREAM) << DRI_error_message();
        EXPECT_EQ(done, 0);
    }
}

// A sink extracts all frames that have arrived before it learns of the end, however far ahead it was filled, and
// whoever owns its buffers.
TEST(Stream, EndsWhileASinkIsFilledAhead) {
    const int rank = world().rank;
    for (const bool is_users : {false, true})
        for (const int nbuffs : {1, 2, 4})
            for (const int64_t frames : {0, 1, 3}) {
                const auto source = declare_stream("ahead", {0}, 4, few_columns);
                Strip sink = *declare_strip("ahead", DRI_SINK, all_ranks(), nbuffs, few_columns);
                std::vector<std::vector<int32_t>> memory(static_cast<size_t>(nbuffs), std::vector<int32_t>(64));
                if (is_users) {
                    std::vector<void *> buffers;
                    for (auto &one : memory)
                        buffers.push_back(one.data());
                    sink.xfer.reset();
                    expect_success(DRI_xfer_create("ahead", DRI_SINK, sink.dist, DRI_COL_MAJOR, nbuffs,
                                                   buffers.data(), sink.xfer.out()),
                                   "DRI_xfer_create");
                }
                commit(make_world());
                if (rank == 0) {
                    for (int64_t f = 0; f < frames; ++f) {
                        source->fill(buffer_of<void>(source->xfer), f);
                        insert(source->xfer);
                        if (f + 1 < frames)
                            acquire(source->xfer);
                    }
                    expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                }
                barrier();
                for (int i = 0; i < 1000; ++i)
                    expect_success(DRI_progress(), "DRI_progress");
                for (int64_t f = 0; f < frames; ++f) {
                    DRI_Frame got{};
                    EXPECT_EQ(sink.wrong(extract(sink.xfer, &got), f), 0) << f;
                    EXPECT_EQ(got.number, f);
                    release(sink.xfer);
                }
                EXPECT_EQ(end_code(sink.xfer), DRI_END_OF_STREAM) << DRI_error_message();
            }
}

// The DRI_do that finds the end releases the caller's last frame. Then the first process, which holds no data,
// learns that all its sinks have left.
TEST(Stream, AFirstProcessWithoutDataSendsHeadersToo) {
    const int rank = world().rank, last = world().size - 1;
    const StripShape shape{14, 9};
    for (const bool closes : {true, false}) {
        const std::string rows =
            last == 0 ? "*,* rm over 0" : fmt::format("sizes(0:{}),* rm over 0,{}", shape.rows, last);
        const CasePart part(case_of(fmt::format("int32 [{},{}] {} -> *,block cm direct buffers=2", shape.rows,
                                                shape.columns, rows)),
                            DRI_SOURCE);
        Strip source;
        if (part) {
            source = declare_part("empty first", part, shape);
            expect_success(DRI_xfer_set_attr(source.xfer, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
        }
        Strip sink = *declare_strip("empty first", DRI_SINK, all_ranks(), 2, shape);
        commit(make_world());
        for (int64_t f = 0; f < 3; ++f) {
            const DRI_Frame given = frame_of(f, 9, rank);
            DRI_Frame got{};
            if (source.xfer) {
                source.fill(buffer_of<void>(source.xfer), f);
                insert(source.xfer, &given);
            }
            EXPECT_EQ(sink.wrong(extract(sink.xfer, &got), f), 0) << f;
            expect_frame(got, f, 9, 0);
            release(sink.xfer);
            if (source.xfer)
                acquire(source.xfer);
        }
        if (!closes) {
            EXPECT_EQ(sink.xfer.reset(), DRI_SUCCESS);
            barrier();
            int code = DRI_SUCCESS;
            for (int i = 0; source.xfer && code == DRI_SUCCESS && i < 1000000; ++i)
                code = DRI_do(nullptr, source.xfer);
            if (source.xfer) {
                EXPECT_EQ(code, DRI_ERR_STATE) << "no sink is left";
            }
            continue;
        }
        if (source.xfer)
            expect_success(DRI_xfer_close(source.xfer), "DRI_xfer_close");
        EXPECT_EQ(DRI_do(nullptr, sink.xfer), DRI_END_OF_STREAM) << DRI_error_message();
        EXPECT_EQ(DRI_release(sink.xfer), DRI_ERR_STATE) << "the caller holds no frame";
    }
}

// The source's other processes wait for nothing, even if they send no message because all sinks read directly.
TEST(Stream, AllProcessesOfASourceCloseAndLeave) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    auto source = declare_stream("go", ranks(last), 1, few_columns);
    if (source)
        set_timeout(source->xfer, 20000);
    const auto sink = declare_strip("go", DRI_SINK, ranks(1, last), 1, few_columns);
    commit(make_world());
    if (source) {
        source->fill(buffer_of<void>(source->xfer), 0);
        insert(source->xfer);
        expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
    }
    if (rank == last) {
        EXPECT_EQ(sink->wrong(extract(sink->xfer), 0), 0);
        release(sink->xfer);
        EXPECT_EQ(end_code(sink->xfer), DRI_END_OF_STREAM) << DRI_error_message();
    }
}

// A source that is destroyed without closing does not end the stream.
TEST(Stream, DestroyingASourceDoesNotEndTheStream) {
    const int rank = world().rank;
    if (world().size < 2)
        GTEST_SKIP() << "needs two processes";
    auto source = declare_stream("gone", {0}, 1, few_columns);
    const auto sink = declare_strip("gone", DRI_SINK, ranks(world().size - 1, 1), 1, few_columns);
    commit(make_world());
    if (rank == 0) {
        EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS);
    } else {
        EXPECT_EQ(end_code(sink->xfer), DRI_ERR_STATE) << DRI_error_message();
    }
}

TEST(Stream, AllProcessesOfASourceMustSetTheSame) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    const auto source = declare_strip("some", DRI_SOURCE, all_ranks(), 1),
               sink = declare_strip("some", DRI_SINK, {0}, 1);
    if (rank == last)
        expect_success(DRI_xfer_set_attr(source->xfer, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
    EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_MISMATCH);
    const std::string message = DRI_error_message();
    for (const std::string &word :
         {std::string("'some'"), std::string("DRI_ATTR_STREAM"), "process " + std::to_string(last)})
        EXPECT_NE(message.find(word), std::string::npos) << message;
}

} // namespace
} // namespace dri::test
