// Sinks that drop frames instead of holding their source back: which process waits for which.
#include "support/dropping.hpp"
#include "support/library.hpp"

namespace dri::test {
namespace {

// The sink's processes make no calls. The source never waits for them, not even at the end, and is destroyed.
TEST(DropWaits, ASinkThatSleepsHoldsNobodyUp) {
    const int size = world().size;
    if (size == 1)
        GTEST_SKIP() << "needs a process that is no source";
    const auto from = ranks(size / 2);
    std::vector<int> others;
    for (int p = size / 2; p < size; ++p)
        others.push_back(p);
    for (const StripShape shape : {narrow, tall})
        for (const int nbuffs : {1, 3}) {
            auto source = declare_patient("sleeps", from, nbuffs, shape);
            const auto sink = declare_dropping("sleeps", others, nbuffs, shape);
            commit(make_world());
            constexpr int64_t frames = 30;
            if (source) {
                for (int64_t f = 0; f < frames; ++f) {
                    hand_over(*source, f);
                    acquire(source->xfer);
                }
                const Info info(source->xfer);
                // The first process decides at once. The others may not have received its verdicts for all buffers
                // except one.
                const int64_t unheard = world().rank == 0 ? 0 : nbuffs - 1;
                EXPECT_LE(info.dropped, frames - under_way);
                EXPECT_GE(info.dropped, frames - under_way - unheard);
                EXPECT_EQ(info.bytes_message, (frames - info.dropped) * source->part.elements() * 4);
                expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
            barrier();
            std::optional<Got> got;
            if (sink) {
                got.emplace();
                got->extract_all(*sink);
                EXPECT_EQ(got->numbers, (std::vector<int64_t>{0, 1}));
                EXPECT_EQ(Info(sink->xfer).dropped, frames - under_way);
            }
            expect_same_everywhere(got);
        }
}

// By name, the sink would wait for a frame that only this call could hand over. The call fails, and each endpoint
// continues alone.
TEST(DropWaits, BothEndpointsByNameDoNotWaitForThemselves) {
    const int rank = world().rank, size = world().size;
    if (size == 1)
        GTEST_SKIP() << "needs a second sink process that is late";
    const auto source = declare_patient("by name", {0}, 2, tall),
               sink = declare_dropping("by name", all_ranks(), 2, tall);
    commit(make_world());
    const auto by_name = [&](int64_t f) {
        source->fill(buffer_of<void>(source->xfer), f);
        return DRI_do("by name", DRI_XFER_NULL);
    };
    int64_t f = 0;
    if (rank == 0) {
        for (; f < under_way; ++f)
            EXPECT_EQ(by_name(f), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(by_name(f++), DRI_ERR_DEADLOCK);
        const std::string message = DRI_error_message();
        for (const std::string word : {"'by name'", "drops", "by its handle"})
            EXPECT_NE(message.find(word), std::string::npos) << message;
        expect_success(DRI_wait(nullptr, source->xfer), "DRI_wait");
    }
    barrier();
    for (int64_t i = 0; rank > 0 && i < under_way; ++i)
        EXPECT_EQ(sink->wrong(extract(sink->xfer), i), 0);
    barrier();
    if (rank == 0) {
        while (Info(source->xfer).frames - Info(source->xfer).dropped == under_way && f < 1000000) {
            source->fill(buffer_of<void>(source->xfer), f++);
            expect_success(DRI_do(nullptr, source->xfer), "DRI_do");
        }
        expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        expect_success(DRI_wait(nullptr, sink->xfer), "DRI_wait");
        EXPECT_EQ(sink->wrong(buffer_of<void>(sink->xfer), f - 1), 0);
    } else {
        release(sink->xfer);
        DRI_Frame frame{};
        void *const buffer = extract(sink->xfer, &frame);
        EXPECT_EQ(sink->wrong(buffer, frame.number), 0);
    }
    EXPECT_EQ(DRI_do(nullptr, sink->xfer), DRI_END_OF_STREAM) << DRI_error_message();
}

// A process that leaves a dropping sink does not hold up the others.
TEST(DropWaits, AProcessThatHasLeftTheSinkHoldsNobodyUp) {
    const int rank = world().rank, size = world().size;
    if (size < 3)
        GTEST_SKIP() << "needs a source and two sink processes";
    std::vector<int> others = all_ranks();
    others.erase(others.begin());
    const auto source = declare_patient("left", {0}, 2, tall);
    auto sink = declare_dropping("left", others, 2, tall);
    commit(make_world());
    if (rank == size - 1) {
        EXPECT_EQ(sink->xfer.reset(), DRI_SUCCESS);
    }
    barrier();
    Got got;
    for (int64_t f = 0; f < 5000; ++f) {
        int64_t taken = std::ssize(got.numbers), min = 0;
        if (rank == 0 || rank == size - 1)
            taken = 5;
        MPI_Allreduce(&taken, &min, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
        if (min >= 5)
            break;
        if (rank == 0) {
            hand_over(*source, f);
            acquire(source->xfer);
        } else if (rank < size - 1) {
            int done = 0;
            if (f == 0)
                expect_success(DRI_start(nullptr, sink->xfer), "DRI_start");
            expect_success(DRI_test(nullptr, sink->xfer, &done), "DRI_test");
            if (done) {
                got.numbers.push_back(f);
                expect_success(DRI_start(nullptr, sink->xfer), "DRI_start");
            }
        }
    }
    if (rank > 0 && rank < size - 1) {
        EXPECT_GE(std::ssize(got.numbers), 5);
    }
}

// The second process continues with another transfer, whose frame the first process waits for before it decides.
// With one buffer this would be impossible: the frame in it waits for the verdict.
TEST(DropWaits, TheFirstProcessMayBeOneFrameLate) {
    if (world().size < 3)
        GTEST_SKIP() << "needs two processes of a source beside the sink's";
    const int rank = world().rank;
    for (const StripShape shape : {narrow, tall})
        for (const int nbuffs : {2, 3}) {
            const auto source = declare_stream("decided", {0, 1}, nbuffs, shape),
                       sink = declare_dropping("decided", {2}, 1, shape),
                       before = declare_strip("before", DRI_SOURCE, {1}, 1),
                       after = declare_strip("before", DRI_SINK, {0}, 1);
            for (const auto *endpoint : {&source, &before, &after})
                set_attr(*endpoint, DRI_ATTR_TIMEOUT_MS, 20000);
            commit(make_world());
            const auto done = [](int code) {
                EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
                return code == DRI_SUCCESS;
            };
            for (int64_t f = 0; source && f < 8; ++f) {
                if (after && !done(DRI_do(nullptr, after->xfer)))
                    break;
                hand_over(*source, f);
                if (!done(DRI_acquire(source->xfer, nullptr)))
                    break;
                if (before && !done(DRI_do(nullptr, before->xfer)))
                    break;
            }
            if (source)
                expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
            Got got;
            if (rank == 2)
                got.extract_all(*sink);
        }
}

} // namespace
} // namespace dri::test
