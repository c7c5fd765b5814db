// Sinks that drop frames instead of holding their source back: what they receive, what is counted, memory used.
#include "support/dropping.hpp"
#include "support/library.hpp"

namespace dri::test {
namespace {

// The slow sink extracts nothing for a while. Frames arrive again once it has extracted some.
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
                // With other processes than the slow sink, because two sinks of a name need different
                // distributions.
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
                    EXPECT_GE(slow_got->numbers.back(), 8) << "frames arrive again";
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

// Within one process no other process can hand over more frames.
TEST(Drop, AProcessReceivesFromItself) {
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
            // The frames under way, and those that the sink was filled with ahead.
            EXPECT_EQ(std::ssize(got.numbers), under_way + nbuffs - 1) << "round " << round;
            EXPECT_EQ(got.numbers.front(), first) << "there was capacity again";
        }
        expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_END_OF_STREAM) << DRI_error_message();
        EXPECT_EQ(Info(sink->xfer).dropped, f - Info(sink->xfer).frames);
    }
}

// The workspace of the commit is what the query reported, and stays within the limit.
TEST(Drop, TheQueryReportsTheMemoryAndLimitsHold) {
    const Group all = make_world();
    const auto from = ranks((world().size + 1) / 2);
    const auto source = declare_patient("memory", from, 3, tall),
               sink = declare_dropping("memory", all_ranks(), 3, tall);
    std::vector<DRI_Xfer> endpoints{sink->xfer};
    if (source)
        endpoints.push_back(source->xfer);
    std::vector<DRI_Memory> reported(endpoints.size()), again(endpoints.size());
    const auto query = [&](std::vector<DRI_Memory> &into) {
        expect_success(DRI_xfer_query(all, static_cast<int>(endpoints.size()), endpoints.data(), into.data()),
                       "DRI_xfer_query");
    };
    query(reported);
    const int64_t min = reported.back().least_bytes;
    if (world().rank == 0)
        set_attr(source, DRI_ATTR_WORKSPACE_LIMIT, min / 2);
    EXPECT_EQ(DRI_commit(all), DRI_ERR_LIMIT) << DRI_error_message();
    if (world().rank == 0)
        set_attr(source, DRI_ATTR_WORKSPACE_LIMIT, min);
    query(again);
    commit(all);
    for (size_t i = 0; i < endpoints.size(); ++i)
        EXPECT_EQ(Info(endpoints[i]).workspace_bytes, again[i].workspace_bytes);
    if (source) { // at least the messages of two frames
        EXPECT_GE(again[1].message_bytes, under_way * source->part.elements() * 4);
    }
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
    const std::string message = DRI_error_message();
    for (const std::string word : {"'wrong'", "DRI_ATTR_ON_FULL", "DRI_ATTR_STREAM"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
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
} // namespace dri::test
