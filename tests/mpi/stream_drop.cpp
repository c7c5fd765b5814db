// Sinks that miss frames rather than hold their source back.
#include "support/library.hpp"
#include "support/strip.hpp"

namespace dri_test {
namespace {

constexpr StripShape narrow{14, 2}, tall{200, 150};
constexpr int64_t under_way = 2; // as the header says

struct Info : DRI_Xfer_info {
    explicit Info(DRI_Xfer xfer) : DRI_Xfer_info{} {
        expect_success(DRI_xfer_get_info(xfer, this), "DRI_xfer_get_info");
    }
};

void set_attr(const std::optional<Strip> &end, DRI_Attr attribute, int64_t value) {
    if (end)
        expect_success(DRI_xfer_set_attr(end->xfer, attribute, value), "DRI_xfer_set_attr");
}

std::optional<Strip> declare_patient(const std::string &name, const std::vector<int> &procs, int nbuffs,
                                     StripShape shape) {
    auto source = declare_stream(name, procs, nbuffs, shape);
    set_attr(source, DRI_ATTR_TIMEOUT_MS, 120000);
    return source;
}

std::optional<Strip> declare_dropping(const std::string &name, const std::vector<int> &procs, int nbuffs,
                                      StripShape shape) {
    auto sink = declare_strip(name, DRI_SINK, procs, nbuffs, shape);
    set_attr(sink, DRI_ATTR_ON_FULL, DRI_DROP);
    set_attr(sink, DRI_ATTR_TIMEOUT_MS, 120000);
    return sink;
}

// The numbers of the frames that a sink has got, each checked element by element.
struct Got {
    std::vector<int64_t> numbers;

    int extract(const Strip &sink) {
        void *buffer = nullptr;
        DRI_Frame frame{};
        const int code = DRI_extract(sink.xfer, &buffer, &frame);
        if (code != DRI_SUCCESS)
            return code;
        EXPECT_EQ(sink.wrong(buffer, frame.number), 0) << "frame " << frame.number;
        EXPECT_TRUE(numbers.empty() || numbers.back() < frame.number) << frame.number;
        EXPECT_EQ(frame.bytes, 1);
        EXPECT_EQ(frame.data[0], static_cast<unsigned char>(frame.number));
        numbers.push_back(frame.number);
        EXPECT_GE(Info(sink.xfer).frames + Info(sink.xfer).dropped, frame.number + 1);
        release(sink.xfer);
        return code;
    }
    void extract_all(const Strip &sink) {
        int code = DRI_SUCCESS;
        while (code == DRI_SUCCESS)
            code = extract(sink);
        EXPECT_EQ(code, DRI_END_OF_STREAM) << DRI_error_message();
    }
};

void hand_over(const Strip &source, int64_t number) {
    DRI_Frame frame{};
    frame.bytes = 1;
    frame.data[0] = static_cast<unsigned char>(number);
    source.fill(buffer_of<void>(source.xfer), number);
    insert(source.xfer, &frame);
}

// The same list on all processes that have one.
void expect_same_everywhere(const std::optional<Got> &mine) {
    const auto size = static_cast<size_t>(world().size);
    int64_t n = mine ? std::ssize(mine->numbers) : -1, most = 0;
    MPI_Allreduce(&n, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    std::vector<int64_t> row(static_cast<size_t>(most) + 1, -1), all(row.size() * size);
    row[0] = n;
    if (mine)
        std::copy(mine->numbers.begin(), mine->numbers.end(), row.begin() + 1);
    MPI_Allgather(row.data(), static_cast<int>(row.size()), MPI_INT64_T, all.data(), static_cast<int>(row.size()),
                  MPI_INT64_T, MPI_COMM_WORLD);
    for (size_t p = 0; mine && p < size; ++p) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(p * row.size());
        EXPECT_TRUE(*from < 0 || std::equal(row.begin(), row.end(), from)) << "process " << p << " got others";
    }
}

// The slow one takes nothing for a while; frames come again once it has taken some.
TEST(Drop, ASlowSinkMissesFramesAndAFastOneNone) {
    const int size = world().size;
    const auto from = ranks((size + 1) / 2);
    const std::vector<int> slow_ones = size == 1 ? std::vector<int>{0} : ranks(size - 1, 1);
    for (const int64_t ways :
         {DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT, DRI_WAY_SELF | DRI_WAY_MESSAGE, int{DRI_WAY_MESSAGE}})
        for (const StripShape shape : {narrow, tall})
            for (const int nbuffs : {1, 3}) {
                const auto source = declare_patient("pair", from, nbuffs, shape);
                set_attr(source, DRI_ATTR_WAYS, ways);
                // Not the slow one's processes, whose distribution would be the same.
                const std::vector<int> fast_ones = size == 1 ? std::vector<int>{} : all_ranks();
                const auto fast = declare_strip("pair", DRI_SINK, fast_ones, nbuffs, shape),
                           slow = declare_dropping("pair", slow_ones, nbuffs, shape);
                commit(make_world());
                std::optional<Got> slow_got;
                if (slow)
                    slow_got.emplace();
                int64_t f = 0;
                const auto frame = [&] {
                    if (source)
                        hand_over(*source, f);
                    if (fast) {
                        DRI_Frame got{};
                        EXPECT_EQ(fast->wrong(extract(fast->xfer, &got), f), 0) << f;
                        EXPECT_EQ(got.number, f);
                        release(fast->xfer);
                    }
                    if (source)
                        acquire(source->xfer);
                    ++f;
                };
                while (f < 8)
                    frame();
                barrier();
                for (int64_t i = 0; slow && i < under_way; ++i)
                    EXPECT_EQ(slow_got->extract(*slow), DRI_SUCCESS) << DRI_error_message();
                barrier();
                const auto kept = [&] {
                    int64_t n = source ? Info(source->xfer).frames - Info(source->xfer).dropped : 0;
                    MPI_Bcast(&n, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
                    return n;
                };
                const int64_t before = kept();
                EXPECT_LT(before, 8) << "some are dropped";
                while (kept() == before && f < 10000)
                    frame();
                for (int i = 0; i < 5; ++i)
                    frame();
                if (source)
                    expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                if (fast) {
                    EXPECT_EQ(DRI_extract(fast->xfer, nullptr, nullptr), DRI_END_OF_STREAM);
                    EXPECT_EQ(Info(fast->xfer).dropped, 0);
                }
                if (slow) {
                    slow_got->extract_all(*slow);
                    EXPECT_EQ(slow_got->numbers[0], 0);
                    EXPECT_EQ(slow_got->numbers[1], 1);
                    EXPECT_GE(slow_got->numbers.back(), 8) << "it goes on";
                    const Info info(slow->xfer);
                    EXPECT_EQ(info.frames, std::ssize(slow_got->numbers));
                    EXPECT_EQ(info.dropped, f - info.frames);
                }
                expect_same_everywhere(slow_got);
                int64_t got = slow_got ? std::ssize(slow_got->numbers) : 0;
                MPI_Bcast(&got, 1, MPI_INT64_T, slow_ones[0], MPI_COMM_WORLD);
                if (source) {
                    const Info info(source->xfer);
                    EXPECT_EQ(info.frames, f);
                    EXPECT_EQ(info.dropped, f - got);
                }
            }
}

// A sink whose processes are not in any call: the source never waits, not for its end either, and goes.
TEST(Drop, ASinkThatSleepsHoldsNobody) {
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
                // The first process decides at once, the others may have its word to hear for all buffers but one.
                const int64_t unheard = world().rank == 0 ? 0 : nbuffs - 1;
                EXPECT_LE(info.dropped, frames - under_way);
                EXPECT_GE(info.dropped, frames - under_way - unheard);
                EXPECT_EQ(info.bytes_message,
                          (frames - info.dropped) * (source->high[0] - source->low[0]) * shape.columns * 4);
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

// Within one process only the process itself could hand over more.
TEST(Drop, AProcessTakesFromItself) {
    const std::vector<int> me{world().rank};
    for (const int nbuffs : {1, 3}) {
        const auto source = declare_patient("own", me, nbuffs, narrow),
                   sink = declare_dropping("own", me, nbuffs, narrow);
        commit(make_group(me));
        int64_t f = 0;
        for (int round = 0; round < 3; ++round) {
            Got got;
            const int64_t first = f;
            for (int i = 0; i < 10; ++i) {
                hand_over(*source, f++);
                acquire(source->xfer);
            }
            int code = DRI_SUCCESS;
            while (code == DRI_SUCCESS)
                code = got.extract(*sink);
            EXPECT_EQ(code, DRI_ERR_DEADLOCK) << DRI_error_message();
            // Those on their way, and those that the sink was filled with ahead.
            EXPECT_EQ(std::ssize(got.numbers), under_way + nbuffs - 1) << "round " << round;
            EXPECT_EQ(got.numbers.front(), first) << "there was room again";
        }
        expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_END_OF_STREAM) << DRI_error_message();
        EXPECT_EQ(Info(sink->xfer).dropped, f - Info(sink->xfer).frames);
    }
}

// By name the sink would wait for a frame that only this call could hand over: it says so, and each end goes on
// alone.
TEST(Drop, BothEndsByNameDoNotWaitForThemselves) {
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
        const std::string told = DRI_error_message();
        for (const std::string word : {"'by name'", "drops", "by its handle"})
            EXPECT_NE(told.find(word), std::string::npos) << told;
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

// Who leaves a sink that drops does not hold up the rest of it.
TEST(Drop, AProcessThatHasLeftTheSinkCountsNoMore) {
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
        int64_t taken = std::ssize(got.numbers), least = 0;
        if (rank == 0 || rank == size - 1)
            taken = 5;
        MPI_Allreduce(&taken, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
        if (least >= 5)
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

// What the commit takes is told before, and is within the limit that it asks for.
TEST(Drop, ItsMemoryIsToldAndWithinLimits) {
    const Group all = make_world();
    const auto from = ranks((world().size + 1) / 2);
    const auto source = declare_patient("memory", from, 3, tall),
               sink = declare_dropping("memory", all_ranks(), 3, tall);
    std::vector<DRI_Xfer> ends{sink->xfer};
    if (source)
        ends.push_back(source->xfer);
    std::vector<DRI_Memory> told(ends.size()), again(ends.size());
    const auto query = [&](std::vector<DRI_Memory> &into) {
        expect_success(DRI_xfer_query(all, static_cast<int>(ends.size()), ends.data(), into.data()),
                       "DRI_xfer_query");
    };
    query(told);
    const int64_t least = told.back().least_bytes;
    if (world().rank == 0)
        set_attr(source, DRI_ATTR_WORKSPACE_LIMIT, least / 2);
    EXPECT_EQ(DRI_commit(all), DRI_ERR_LIMIT) << DRI_error_message();
    if (world().rank == 0)
        set_attr(source, DRI_ATTR_WORKSPACE_LIMIT, least);
    query(again);
    commit(all);
    for (size_t i = 0; i < ends.size(); ++i)
        EXPECT_EQ(Info(ends[i]).workspace_bytes, again[i].workspace_bytes);
    if (source) { // messages of two frames
        EXPECT_GE(again[1].message_bytes, under_way * (source->high[0] - source->low[0]) * tall.columns * 4);
    }
}

// The second process goes on to another transfer, whose frame the first one wants before it decides.
TEST(Drop, TheFirstProcessMayBeAFrameBehind) {
    if (world().size < 3)
        GTEST_SKIP() << "needs two processes of a source beside the sink's";
    const int rank = world().rank;
    const auto source = declare_patient("decided", {0, 1}, 2, tall),
               sink = declare_dropping("decided", {2}, 1, tall),
               before = declare_strip("before", DRI_SOURCE, {1}, 1),
               after = declare_strip("before", DRI_SINK, {0}, 1);
    commit(make_world());
    for (int64_t f = 0; source && f < 8; ++f) {
        if (after)
            expect_success(DRI_do(nullptr, after->xfer), "DRI_do of the sink");
        hand_over(*source, f);
        acquire(source->xfer);
        if (before)
            expect_success(DRI_do(nullptr, before->xfer), "DRI_do of the source");
    }
    if (source)
        expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
    Got got;
    if (rank == 2)
        got.extract_all(*sink);
}

TEST(Drop, WrongUseIsRefused) {
    const int rank = world().rank, last = world().size - 1;
    const auto source = declare_strip("wrong", DRI_SOURCE, all_ranks(), 1),
               sink = declare_strip("wrong", DRI_SINK, all_ranks(), 1);
    EXPECT_EQ(DRI_xfer_set_attr(source->xfer, DRI_ATTR_ON_FULL, DRI_DROP), DRI_ERR_ARG);
    EXPECT_EQ(DRI_xfer_set_attr(sink->xfer, DRI_ATTR_ON_FULL, 2), DRI_ERR_ARG);
    EXPECT_EQ(DRI_xfer_set_attr(sink->xfer, DRI_ATTR_ON_FULL, -1), DRI_ERR_ARG);
    set_attr(sink, DRI_ATTR_ON_FULL, DRI_DROP);
    EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_MISMATCH);
    const std::string told = DRI_error_message();
    for (const std::string word : {"'wrong'", "DRI_ATTR_ON_FULL", "DRI_ATTR_STREAM"})
        EXPECT_NE(told.find(word), std::string::npos) << told;
    set_attr(source, DRI_ATTR_STREAM, 1);
    if (last > 0) {
        if (rank == last)
            set_attr(sink, DRI_ATTR_ON_FULL, DRI_HOLD);
        EXPECT_EQ(DRI_commit(make_world()), DRI_ERR_MISMATCH);
        EXPECT_NE(std::string(DRI_error_message()).find("DRI_ATTR_ON_FULL"), std::string::npos);
        set_attr(sink, DRI_ATTR_ON_FULL, DRI_DROP);
    }
    commit(make_world());
}

} // namespace
} // namespace dri_test
