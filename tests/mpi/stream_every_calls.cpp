// Single calls of a source and of sinks that take every k-th frame: how far the source is ahead, and what messages
// say.
#include "support/every.hpp"
#include "support/library.hpp"

namespace dri::test::every {
namespace {

// Process 0 has the source. The last process has three sinks, or three processes have one each.
struct Ahead {
    std::optional<Strip> source;
    std::vector<std::optional<Strip>> sinks;

    Ahead(int nbuffs, int sink_nbuffs, int64_t ways)
        : source(declare_strip("ahead", DRI_SOURCE, {0}, nbuffs, shape)) {
        const int last = world().size - 1;
        if (source)
            set(source->xfer, DRI_ATTR_WAYS, ways);
        for (int k = 0; k < 3; ++k) {
            sinks.push_back(
                declare_sink("ahead", static_cast<size_t>(k), {0}, {last >= 3 ? k + 1 : last}, sink_nbuffs, 3, k));
            if (sinks.back())
                set(sinks.back()->xfer, DRI_ATTR_WAYS, ways);
        }
        commit(make_world());
    }
    void give(int64_t frame) const {
        source->fill(buffer_of<void>(source->xfer), frame);
        insert(source->xfer);
    }
    // The frames of sink k from that one on.
    void take(size_t k, int64_t frame, int64_t frames) const {
        for (; sinks[k] && frames > 0; --frames, frame += 3) {
            EXPECT_EQ(sinks[k]->wrong(extract(sinks[k]->xfer), frame), 0) << frame;
            release(sinks[k]->xfer);
        }
    }
};

// No sink has extracted a frame when the source has inserted three. Two of the sinks go on before the third
// starts.
TEST(Every, TheSourceIsAheadOfAllSinks) {
    for (const int64_t ways : all_ways) {
        const Ahead job(3, 1, ways);
        for (int64_t f = 0; job.source && f < 3; ++f) {
            if (f > 0)
                acquire(job.source->xfer);
            job.give(f);
        }
        meet(); // the sinks wait for it
        if (job.source && world().size > 1) {
            // The buffers of frames 0 and 1 become free, because their sinks take them.
            for (int64_t f = 3; f < 5; ++f) {
                acquire(job.source->xfer);
                job.give(f);
            }
        }
        if (world().size == 1) {
            int done = 0;
            expect_success(DRI_try_acquire(job.source->xfer, nullptr, &done), "DRI_try_acquire");
            EXPECT_EQ(done, 0) << "sink 0 has not taken frame 0";
        }
        const int64_t two = world().size > 1 ? 2 : 1;
        job.take(0, 0, two);
        job.take(1, 1, two);
        if (world().size > 1)
            meet();
        job.take(2, 2, 1);
        meet();
    }
}

// Frames of others hold no buffer: the source of one buffer goes on without a call of the sink.
TEST(Every, AFrameThatNobodyTakesHoldsNoBuffer) {
    const int me = world().rank;
    for (const int64_t ways : all_ways) {
        const Strip source = *declare_strip("own", DRI_SOURCE, {me}, 1, shape);
        const Strip sink = *declare_sink("own", 0, {me}, {me}, 1, 3, 2);
        set(source.xfer, DRI_ATTR_WAYS, ways);
        commit(make_group({me}));
        for (int64_t turn = 0; turn < 2; ++turn) {
            if (turn > 0) {
                EXPECT_EQ(DRI_acquire(source.xfer, nullptr), DRI_SUCCESS) << DRI_error_message();
                release(sink.xfer);
            }
            for (int64_t f = 0; f < 2; ++f) {
                source.fill(buffer_of<void>(source.xfer), 3 * turn + f);
                insert(source.xfer);
                EXPECT_NE(acquire(source.xfer), nullptr);
            }
            EXPECT_EQ(DRI_extract(sink.xfer, nullptr, nullptr), DRI_ERR_DEADLOCK);
            const std::string behind = DRI_error_message();
            EXPECT_NE(behind.find(fmt::format("part of frame {} comes", 3 * turn + 2)), std::string::npos)
                << behind;
            EXPECT_NE(behind.find(fmt::format("handed over {} frames", 3 * turn + 2)), std::string::npos)
                << behind;
            source.fill(buffer_of<void>(source.xfer), 3 * turn + 2);
            insert(source.xfer);
            EXPECT_EQ(DRI_acquire(source.xfer, nullptr), DRI_ERR_DEADLOCK);
            const std::string ahead = DRI_error_message();
            EXPECT_NE(ahead.find(fmt::format("has taken frame {}; execute the sink first", 3 * turn + 2)),
                      std::string::npos)
                << ahead;
            DRI_Frame frame{};
            EXPECT_EQ(sink.wrong(extract(sink.xfer, &frame), 3 * turn + 2), 0);
            EXPECT_EQ(frame.number, 3 * turn + 2) << "also without a stream";
        }
    }
}

// By name, each end of the process executes its next frame. The sinks of a process can go together; a source
// inserts one frame only.
TEST(Every, ACallByNameExecutesTheNextFrameOfEachEnd) {
    const int last = world().size - 1, me = world().rank;
    {
        const auto source = declare_strip("named", DRI_SOURCE, {0}, 2, shape);
        const auto even = declare_sink("named", 0, {0}, {last}, 1, 2, 0),
                   odd = declare_sink("named", 1, {0}, {last}, 1, 2, 1);
        commit(make_world());
        if (last > 0) {
            for (int64_t f = 0; source && f < 6; ++f) {
                source->fill(buffer_of<void>(source->xfer), f);
                expect_success(DRI_do("named", DRI_XFER_NULL), "DRI_do");
            }
            for (int64_t turn = 0; even && turn < 3; ++turn) {
                expect_success(DRI_do("named", DRI_XFER_NULL), "DRI_do");
                EXPECT_EQ(even->wrong(buffer_of<void>(even->xfer), 2 * turn), 0);
                EXPECT_EQ(odd->wrong(buffer_of<void>(odd->xfer), 2 * turn + 1), 0);
            }
        }
        meet();
    }
    const Strip source = *declare_strip("own", DRI_SOURCE, {me}, 2, shape);
    const Strip sink = *declare_sink("own", 0, {me}, {me}, 1, 2, 0);
    commit(make_group({me}));
    source.fill(buffer_of<void>(source.xfer), 0);
    expect_success(DRI_do("own", DRI_XFER_NULL), "DRI_do");
    EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), 0), 0);
    EXPECT_EQ(DRI_do("own", DRI_XFER_NULL), DRI_ERR_DEADLOCK) << "the sink wants frame 2";
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("part of frame 2 comes"), std::string::npos) << message;
    EXPECT_NE(message.find("handed over 1 frames; execute the source first"), std::string::npos) << message;
    for (int64_t f = 1; f < 3; ++f) {
        source.fill(buffer_of<void>(source.xfer), f);
        expect_success(DRI_do(nullptr, source.xfer), "DRI_do");
    }
    expect_success(DRI_do(nullptr, sink.xfer), "DRI_do");
    EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), 2), 0);
}

// Messages name the frame by the source's number. A call that timed out goes on when it is repeated.
TEST(Every, ATimeoutNamesTheFrameOfTheSource) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "one process does not wait for itself";
    for (const int64_t ways : all_ways) {
        const auto source = declare_strip("late", DRI_SOURCE, {0}, 2, shape);
        const auto sink = declare_sink("late", 0, {0}, {last}, 1, 3, 1);
        if (source)
            set(source->xfer, DRI_ATTR_WAYS, ways);
        if (sink)
            set_timeout(sink->xfer, 30);
        commit(make_world());
        for (int64_t f = 0; source && f < 4; ++f) {
            source->fill(buffer_of<void>(source->xfer), f);
            expect_success(DRI_do(nullptr, source->xfer), "DRI_do");
        }
        if (sink) {
            EXPECT_EQ(sink->wrong(extract(sink->xfer), 1), 0);
            release(sink->xfer);
            EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_ERR_TIMEOUT);
            const std::string message = DRI_error_message();
            EXPECT_NE(message.find("frame 4 did not reach"), std::string::npos) << message;
        }
        meet();
        if (source) {
            source->fill(buffer_of<void>(source->xfer), 4);
            insert(source->xfer);
        }
        meet();
        if (sink) {
            int code = DRI_ERR_TIMEOUT;
            void *buffer = nullptr;
            while (code == DRI_ERR_TIMEOUT)
                code = DRI_extract(sink->xfer, &buffer, nullptr);
            expect_success(code, "DRI_extract");
            EXPECT_EQ(sink->wrong(buffer, 4), 0);
        }
        meet();
    }
}

// A source that leaves without a close takes no frame with it that the sink has a right to.
TEST(Every, ASinkGetsItsFramesBeforeTheSourceLeft) {
    const int last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "a source waits for its own sink";
    for (const int64_t ways : all_ways)
        for (const bool stream : {false, true})
            for (int64_t frames = 0; frames < 5; ++frames) {
                auto source = declare_strip("leaves", DRI_SOURCE, {0}, 5, shape);
                auto sink = declare_sink("leaves", 0, {0}, {last}, 1, 3, 1);
                if (source) {
                    set(source->xfer, DRI_ATTR_WAYS, ways);
                    set(source->xfer, DRI_ATTR_STREAM, stream);
                }
                commit(make_world());
                for (int64_t f = 0; source && f < frames; ++f) {
                    if (f > 0)
                        acquire(source->xfer);
                    source->fill(buffer_of<void>(source->xfer), f);
                    insert(source->xfer);
                }
                source.reset();
                if (!sink)
                    continue;
                for (int64_t f = 1; f < frames; f += 3) {
                    EXPECT_EQ(sink->wrong(extract(sink->xfer), f), 0);
                    release(sink->xfer);
                }
                const int64_t next = frames > 4 ? 7 : frames > 1 ? 4 : 1;
                EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_ERR_STATE) << frames;
                const std::string message = DRI_error_message();
                EXPECT_NE(message.find(fmt::format("all of frame {}:", next)), std::string::npos) << message;
                const std::string after = fmt::format("destroyed after {} frames", frames);
                EXPECT_NE(message.find(after), std::string::npos) << message;
            }
}

// Processes of the source that close after different frames, of which the sink takes only the first. The end that
// the sink reports has the number of the first process.
TEST(Every, ProcessesThatCloseApartAreFound) {
    const int last = world().size - 1;
    if (last < 2)
        GTEST_SKIP() << "needs two processes of the source and one of the sink";
    for (const int64_t ways : all_ways) {
        const auto source = declare_strip("apart", DRI_SOURCE, {0, 1}, 1, shape);
        const auto sink = declare_sink("apart", 0, {0, 1}, {last}, 1, 4, 0);
        if (source) {
            set(source->xfer, DRI_ATTR_WAYS, ways);
            set(source->xfer, DRI_ATTR_STREAM, 1);
        }
        commit(make_world());
        const auto give = [&](int64_t frame) {
            source->fill(buffer_of<void>(source->xfer), frame);
            return DRI_do(nullptr, source->xfer);
        };
        for (int64_t f = 0; source && f < 2; ++f)
            expect_success(give(f), "DRI_do");
        if (world().rank == 0)
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        if (sink) {
            EXPECT_EQ(sink->wrong(extract(sink->xfer), 0), 0);
            release(sink->xfer);
            EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_END_OF_STREAM) << DRI_error_message();
            const std::string message = DRI_error_message();
            EXPECT_NE(message.find("after 2 frames"), std::string::npos) << message;
        }
        meet();
        if (world().rank == 1) {
            int code = DRI_SUCCESS;
            for (int64_t f = 2; f < 100 && code == DRI_SUCCESS; ++f)
                code = give(f);
            const std::string message = DRI_error_message();
            EXPECT_EQ(code, DRI_ERR_MISMATCH) << message;
            EXPECT_NE(message.find("process 0 has closed it after 2 frames, process 1 goes on with frame 2"),
                      std::string::npos)
                << message;
        }
        meet();
    }
}

// A sink of strips takes whole arrays, each second one. DRI_Frame numbers its strips as if it took all.
TEST(Every, ASinkOfStripsTakesWholeArrays) {
    const Group all = make_world();
    const int64_t size = world().size, strips = 3;
    const Gdo whole = make_gdo({size, strips * 2}, DRI_INT32);
    for (const int64_t ways : all_ways) {
        const int64_t zero[]{0, 0}, sizes[]{size, 2};
        Gdo first;
        expect_success(DRI_gdo_subset(whole, zero, sizes, first.out()), "DRI_gdo_subset");
        const Dist rows = make_dist(whole, make_blocks(2, 0), all),
                   rows_of_strip = make_dist(first, make_blocks(2, 0), all);
        const Xfer source = make_xfer("arrays", DRI_SOURCE, rows, DRI_ROW_MAJOR, 2);
        Xfer sink;
        expect_success(DRI_xfer_create_strips("arrays", DRI_SINK, whole, 1, rows_of_strip, DRI_ROW_MAJOR, 1,
                                              nullptr, sink.out()),
                       "DRI_xfer_create_strips");
        set(source, DRI_ATTR_WAYS, ways);
        set(sink, DRI_ATTR_EVERY, 2);
        set(sink, DRI_ATTR_PHASE, 1);
        commit(all);
        for (int64_t f = 0; f < 6; ++f) {
            auto *const out = buffer_of<int32_t>(source);
            for (int32_t i = 0; i < strips * 2; ++i)
                out[i] = static_cast<int32_t>(100 * f) + i;
            expect_success(DRI_do(nullptr, source), "DRI_do");
            for (int64_t s = 0; f % 2 == 1 && s < strips; ++s) {
                DRI_Frame frame{};
                const auto *const in = static_cast<const int32_t *>(extract(sink, &frame));
                EXPECT_EQ(in[0], 100 * f + 2 * s);
                EXPECT_EQ(in[1], 100 * f + 2 * s + 1);
                EXPECT_EQ(frame.number, f * strips + s);
                release(sink);
            }
        }
        meet();
    }
}

} // namespace
} // namespace dri::test::every
