// Sliding windows, used as a program would.
#include "support/good_turn.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/strip.hpp"

#include <algorithm>
#include <cstdlib>

namespace dri::test {
namespace {

constexpr int64_t samples = 40, length = 12;

// Samples by sensors, cut along the sensors. A stretch of the samples is sent to sinks that hold whole rows of it.
struct Recording {
    std::string type = "int32", sink = "block,* rm", words = {};
    int64_t sensors = 2 * world().size + 1;
    Group all = make_world();

    // The stretch starts at sample `at`.
    TransferCase stretch(int64_t at) const {
        return case_of(fmt::format("{0} [{1},{2}] *,block rm -> at[{3},0]+[{4},{2}] {5} direct {6}", type, samples,
                                   sensors, at, length, sink, words));
    }
    CasePart part = CasePart(stretch(0), DRI_SOURCE); // all samples of some sensors
    Dist longer = std::move(part.make().dist), window = std::move(CasePart(stretch(0), DRI_SINK).make().dist);

    void fill(void *buffer, int64_t frame) const { part.fill(buffer, frame); }
    int64_t wrong(const void *buffer, int64_t frame, int64_t at) const {
        return CasePart(stretch(at), DRI_SINK).wrong(buffer, frame);
    }
};

void rebase(DRI_Xfer xfer, int64_t at) {
    const int64_t offset[]{at, 0};
    expect_success(DRI_xfer_rebase(xfer, offset), "DRI_xfer_rebase");
}

// One recording, filled once, and a window that moves over it in overlapping steps.
TEST(Windows, SlideOverARecording) {
    const Recording recording{};
    for (const int64_t ways : {7, 3, 2}) {
        const Xfer source = make_xfer("recording", DRI_SOURCE, recording.longer),
                   sink = make_xfer("recording", DRI_SINK, recording.window, DRI_ROW_MAJOR, 2);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        const DRI_Xfer endpoints[]{source, sink};
        DRI_Memory reported[2];
        expect_success(DRI_xfer_query(recording.all, 2, endpoints, reported), "DRI_xfer_query");
        commit(recording.all);
        recording.fill(buffer_of<int32_t>(source), 0);
        for (size_t e = 0; e < 2; ++e) {
            DRI_Xfer_info taken;
            expect_success(DRI_xfer_get_info(endpoints[e], &taken), "DRI_xfer_get_info");
            EXPECT_EQ(reported[e].workspace_bytes, taken.workspace_bytes) << "end " << e;
        }
        for (int64_t at = 0; at + length <= samples; at += 7) {
            rebase(source, at);
            expect_success(DRI_do("recording", DRI_XFER_NULL), "DRI_do");
            EXPECT_EQ(recording.wrong(buffer_of<int32_t>(sink), 0, at), 0) << "ways " << ways << ", at " << at;
        }
        DRI_Xfer_info info;
        expect_success(DRI_xfer_get_info(source, &info), "DRI_xfer_get_info");
        // All processes run on one machine and share memory.
        const bool others = world().size > 1, direct = ways == 7 && !std::getenv("DRI_WAYS");
        EXPECT_EQ(info.bytes_direct > 0, others && direct) << "ways " << ways;
        EXPECT_EQ(info.bytes_message > 0, ways == 2 || (others && !direct)) << "ways " << ways;
        EXPECT_NE(explain(source).find("window slides from [0,0] to [28,0]"), std::string::npos)
            << explain(source);
    }
}

// A frame that waits for its sinks keeps its offset, even if the window is moved afterwards.
TEST(Windows, FramesUnderWayKeepTheirOffsets) {
    const Recording recording{};
    constexpr int n = 4;
    for (const int64_t ways : {7, 3, 2})
        for (const bool thread : {false, true}) {
            const Xfer source = make_xfer("ahead", DRI_SOURCE, recording.longer, DRI_ROW_MAJOR, n),
                       sink = make_xfer("ahead", DRI_SINK, recording.window, DRI_ROW_MAJOR, 3);
            int granted = 0;
            MPI_Query_thread(&granted);
            if (thread && granted < MPI_THREAD_MULTIPLE)
                continue;
            for (const DRI_Xfer endpoint : {source.get(), sink.get()}) {
                expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
                expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_PROGRESS_THREAD, thread), "DRI_xfer_set_attr");
            }
            expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
            commit(recording.all);
            for (int round = 0; round < 3; ++round) {
                for (int64_t f = 0; f < n; ++f) {
                    if (round > 0 || f > 0)
                        acquire(source);
                    recording.fill(buffer_of<int32_t>(source), n * round + f);
                    rebase(source, 3 * f + round);
                    insert(source);
                }
                rebase(source, samples - length);
                for (int64_t f = 0; f < n; ++f) {
                    const auto *const got = static_cast<const int32_t *>(extract(sink));
                    EXPECT_EQ(recording.wrong(got, n * round + f, 3 * f + round), 0)
                        << "ways " << ways << ", frame " << f;
                    release(sink);
                }
            }
        }
}

// Several windows fill one sink buffer, and what lies outside them does not change.
TEST(Windows, FillOneSinkBuffer) {
    const Recording recording{};
    for (const int64_t ways : {7, 3, 2}) {
        const Xfer source = make_xfer("whole", DRI_SOURCE, recording.window, DRI_ROW_MAJOR, 3),
                   sink = make_xfer("whole", DRI_SINK, recording.longer);
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        commit(recording.all);
        for (const int64_t at : {28, 12, 0, 24}) { // the last window lies over the first one
            const std::string there = fmt::format("at[{},0]+[{},{}] block,* rm", at, length, recording.sensors);
            CasePart(case_of(fmt::format("int32 [{},{}] {} -> {}", samples, recording.sensors, there, there)),
                     DRI_SOURCE)
                .fill(buffer_of<int32_t>(source), at == 24 ? 9 : 0);
            rebase(sink, at);
            expect_success(DRI_do("whole", DRI_XFER_NULL), "DRI_do");
        }
        const int64_t n = recording.part.elements() / samples; // sensors of this process
        std::vector<int32_t> expected(static_cast<size_t>(samples * n)), last = expected;
        recording.fill(expected.data(), 0);
        recording.fill(last.data(), 9);
        std::copy(last.begin() + 24 * n, last.begin() + 36 * n, expected.begin() + 24 * n);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), buffer_of<int32_t>(sink))) << "ways " << ways;
    }
}

// The offset of a frame that a dropping sink receives follows from the frame's number.
TEST(Windows, SlideIfASinkDrops) {
    const Recording recording{};
    const Xfer source = make_xfer("drops", DRI_SOURCE, recording.longer, DRI_ROW_MAJOR, 3),
               sink = make_xfer("drops", DRI_SINK, recording.window, DRI_ROW_MAJOR, 2);
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
    expect_success(DRI_xfer_set_attr(source, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
    expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_ON_FULL, DRI_DROP), "DRI_xfer_set_attr");
    commit(recording.all);
    constexpr int64_t frames = 40;
    for (int64_t f = 0; f < frames; ++f) {
        if (f > 0)
            acquire(source);
        recording.fill(buffer_of<int32_t>(source), f);
        rebase(source, f * 5 % (samples - length + 1));
        insert(source);
        barrier();
        expect_success(DRI_progress(), "DRI_progress");
    }
    expect_success(DRI_xfer_close(source), "DRI_xfer_close");
    int64_t got = 0;
    for (;; ++got) {
        void *buffer = nullptr;
        DRI_Frame frame;
        const int code = DRI_extract(sink, &buffer, &frame);
        if (code == DRI_END_OF_STREAM)
            break;
        ASSERT_EQ(code, DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(recording.wrong(static_cast<int32_t *>(buffer), frame.number,
                                  frame.number * 5 % (samples - length + 1)),
                  0)
            << "frame " << frame.number;
        release(sink);
    }
    EXPECT_GE(got, 2);
    EXPECT_LT(got, frames);
}

// Numbers that are converted and scaled on the way.
TEST(Windows, SlideIfNumbersAreConverted) {
    constexpr int64_t start = 3; // the first offset
    const Recording recording{
        .type = "int16", .sink = "*,block cm", .words = "to=float scale=0.5", .sensors = 2 * world().size};
    const Dist window = std::move(CasePart(recording.stretch(start), DRI_SINK).make().dist);
    for (const int64_t ways : {7, 2}) {
        const Xfer source = make_xfer("converted", DRI_SOURCE, recording.longer),
                   sink = make_xfer("converted", DRI_SINK, window, DRI_COL_MAJOR);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_scale(sink, 0.5), "DRI_xfer_set_scale");
        commit(recording.all);
        recording.fill(buffer_of<int16_t>(source), 0);
        for (const int64_t at : {-3, 25, 4}) { // relative to the first offset
            rebase(source, at);
            expect_success(DRI_do("converted", DRI_XFER_NULL), "DRI_do");
            EXPECT_EQ(recording.wrong(buffer_of<float>(sink), 0, start + at), 0) << "at " << at;
        }
    }
}

// Frames larger than the caches, written with streaming stores, from and to offsets inside cache lines. There are
// too many elements to ask the oracle for each one.
TEST(Windows, LargeOnesStartAnywhereInACacheLine) {
    if (world().size > 2)
        GTEST_SKIP() << "needs much memory";
    const int64_t rows = sanitized ? 400 : 3000, columns = sanitized ? 500 : 3001, fewer = columns - 90;
    const Group all = make_world();
    const auto value = [](int64_t i, int64_t j) { return static_cast<int32_t>(i * 1009 + j * 31 + 1); };
    const Gdo whole = make_gdo({rows, columns}, DRI_INT32);
    const int64_t zeros[2]{}, sizes[]{rows, fewer};
    Gdo part;
    expect_success(DRI_gdo_subset(whole, zeros, sizes, part.out()), "DRI_gdo_subset");
    const Dist longer = make_dist(whole, make_blocks(2, 0), all), window = make_dist(part, make_blocks(2, 0), all);
    const int64_t here = rows / world().size + (world().rank < rows % world().size ? 1 : 0),
                  first = world().rank * here;
    for (const DRI_Layout layout : {DRI_ROW_MAJOR, DRI_COL_MAJOR})
        for (const bool to_longer : {false, true}) {
            const Xfer source = make_xfer("large", DRI_SOURCE, to_longer ? window : longer),
                       sink = make_xfer("large", DRI_SINK, to_longer ? longer : window, layout);
            expect_success(DRI_xfer_set_attr(to_longer ? sink : source, DRI_ATTR_REBASE, 2), "DRI_xfer_set_attr");
            commit(all);
            auto *const out = buffer_of<int32_t>(source);
            const int64_t n = to_longer ? fewer : columns;
            for (int64_t i = 0; i < here; ++i)
                for (int64_t j = 0; j < n; ++j)
                    out[i * n + j] = value(first + i, j);
            for (const int64_t at : {1, 13, 90, 0}) {
                const int64_t offset[]{0, at};
                expect_success(DRI_xfer_rebase(to_longer ? sink : source, offset), "DRI_xfer_rebase");
                expect_success(DRI_do("large", DRI_XFER_NULL), "DRI_do");
                const auto *const got = buffer_of<int32_t>(sink);
                const int64_t m = to_longer ? columns : fewer, moved = to_longer ? at : 0,
                              from = to_longer ? 0 : at;
                int64_t wrong = 0;
                for (int64_t i = 0; i < here; ++i)
                    for (int64_t j = 0; j < fewer; ++j)
                        wrong += got[layout.id == DRI_ROW_MAJOR.id ? i * m + j + moved : (j + moved) * here + i] !=
                                 value(first + i, j + from);
                EXPECT_EQ(wrong, 0) << "at " << at;
            }
        }
}

// Two transfers share the user's recording, and each moves its own window.
TEST(Windows, OfTwoTransfersMoveIndependently) {
    const Recording recording{};
    std::vector<int32_t> memory(static_cast<size_t>(recording.part.elements()));
    void *const buffers[]{memory.data()};
    recording.fill(memory.data(), 0);
    for (const int64_t ways : {7, 2}) {
        Xfer sources[2], sinks[2];
        const char *const names[]{"one", "other"};
        for (size_t i = 0; i < 2; ++i) {
            expect_success(DRI_xfer_create(names[i], DRI_SOURCE, recording.longer, DRI_ROW_MAJOR, 1, buffers,
                                           sources[i].out()),
                           "DRI_xfer_create");
            sinks[i] = make_xfer(names[i], DRI_SINK, recording.window);
            expect_success(DRI_xfer_set_attr(sources[i], DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
            expect_success(DRI_xfer_set_attr(sources[i], DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        }
        commit(recording.all);
        for (int64_t f = 0; f < 5; ++f)
            for (size_t i = 0; i < 2; ++i) {
                const int64_t at = i == 0 ? 3 * f : samples - length - 5 * f;
                rebase(sources[i], at);
                expect_success(DRI_do(names[i], DRI_XFER_NULL), "DRI_do");
                EXPECT_EQ(recording.wrong(buffer_of<int32_t>(sinks[i]), 0, at), 0) << names[i] << ", frame " << f;
            }
    }
}

// Processes of a source set different offsets. A sink's process that receives from two of them fails, no other.
TEST(Windows, WithDifferentOffsetsAreAMismatch) {
    const int size = world().size;
    if (size == 1)
        GTEST_SKIP() << "needs two processes";
    const Recording recording{};
    for (const int64_t ways : {7, 3, 2}) {
        Xfer source = make_xfer("differ", DRI_SOURCE, recording.longer, DRI_ROW_MAJOR, 2),
             sink = make_xfer("differ", DRI_SINK, recording.window);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        commit(recording.all);
        for (const int frame : {0, 1}) {
            recording.fill(buffer_of<int32_t>(source), frame);
            rebase(source, frame == 1 && world().rank == size - 1 ? 5 : 4);
            insert(source);
            if (frame == 0)
                acquire(source);
        }
        extract(sink);
        EXPECT_EQ(recording.wrong(buffer_of<int32_t>(sink), 0, 4), 0);
        release(sink);
        const int code = DRI_extract(sink, nullptr, nullptr);
        const std::string message = DRI_error_message();
        EXPECT_EQ(code, DRI_ERR_MISMATCH) << "ways " << ways;
        for (const std::string &word : std::vector<std::string>{"'differ'", "frame 1", "[4,0]", "[5,0]",
                                                                "process " + std::to_string(size - 1)})
            EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
        EXPECT_EQ(DRI_extract(sink, nullptr, nullptr), DRI_ERR_STATE);
        barrier();
        sink.reset();
        source.reset();
        expect_good_turn();
    }
}

} // namespace
} // namespace dri::test
