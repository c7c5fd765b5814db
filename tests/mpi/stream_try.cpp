// DRI_try_acquire and DRI_try_extract: one thread serves several transfers and waits in none.
#include "support/library.hpp"
#include "support/line.hpp"
#include "support/wrong_call.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace dri::test {
namespace {

constexpr int64_t frames_polled = 6;
constexpr int64_t every_way = DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT;

void *try_acquire(DRI_Xfer source) {
    void *buffer = nullptr;
    int done = 7;
    expect_success(DRI_try_acquire(source, &buffer, &done), "DRI_try_acquire");
    EXPECT_EQ(done, buffer ? 1 : 0);
    return buffer;
}

void *try_extract(DRI_Xfer sink, DRI_Frame *frame = nullptr) {
    void *buffer = nullptr;
    int done = 7;
    expect_success(DRI_try_extract(sink, &buffer, frame, &done), "DRI_try_extract");
    EXPECT_EQ(done, buffer ? 1 : 0);
    return buffer;
}

// One stream of a process that polls. A step does what is possible now.
class Polled {
public:
    Polled(const std::string &name, const std::vector<int> &from, const std::vector<int> &to, int nbuffs,
           int64_t ways)
        : name_(name), source_(declare_stream(name, from, nbuffs, {60, 40})),
          sink_(declare_strip(name, DRI_SINK, to, nbuffs, {60, 40})), holds_(source_.has_value()) {
        for (const auto *endpoint : {&source_, &sink_})
            if (*endpoint)
                expect_success(DRI_xfer_set_attr((*endpoint)->xfer, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
    }
    bool is_done() const { return (!source_ || closed_) && (!sink_ || over_); }
    // For a message: how far it is.
    std::string state() const {
        return name_ + ": " + (source_ ? std::to_string(given_) + " given, " : "") +
               (sink_ ? std::to_string(taken_) + " taken, " : "") + (is_done() ? "done" : "under way");
    }
    void step() {
        if (source_ && !closed_)
            give();
        if (sink_ && !over_)
            take();
    }

private:
    void give() {
        if (given_ == frames_polled) {
            expect_success(DRI_xfer_close(source_->xfer), "DRI_xfer_close");
            closed_ = true;
            return;
        }
        if (!holds_ && !try_acquire(source_->xfer))
            return;
        source_->fill(buffer_of<void>(source_->xfer), given_);
        DRI_Frame frame{};
        frame.time_ns = 100 + given_;
        insert(source_->xfer, &frame);
        holds_ = false;
        ++given_;
    }
    void take() {
        void *buffer = nullptr;
        DRI_Frame frame{};
        int done = 7;
        const int code = DRI_try_extract(sink_->xfer, &buffer, &frame, &done);
        if (code == DRI_END_OF_STREAM) {
            EXPECT_EQ(taken_, frames_polled);
            EXPECT_EQ(done, 0);
            over_ = true;
            return;
        }
        expect_success(code, "DRI_try_extract");
        if (!done)
            return;
        EXPECT_EQ(frame.number, taken_);
        EXPECT_EQ(frame.time_ns, 100 + taken_);
        EXPECT_EQ(sink_->wrong(buffer, taken_), 0) << taken_;
        release(sink_->xfer);
        ++taken_;
    }

    std::string name_;
    std::optional<Strip> source_, sink_;
    bool holds_, closed_ = false, over_ = false;
    int64_t given_ = 0, taken_ = 0;
};

// How far the streams are, where one stands still.
std::string states(const std::vector<std::unique_ptr<Polled>> &streams) {
    std::string text = "a stream stands still";
    for (const auto &stream : streams)
        text += "; " + stream->state();
    return text;
}

// Streams of all kinds of groups at once: also two processes that face each other with one buffer each, which
// would wait for ever in DRI_acquire.
TEST(Try, OneThreadServesManyStreams) {
    const int last = world().size - 1;
    const std::vector<int> all = all_ranks();
    for (const int64_t ways : {every_way, int64_t{DRI_WAY_SELF | DRI_WAY_MESSAGE}, int64_t{DRI_WAY_MESSAGE}})
        for (const int nbuffs : {1, 2}) {
            std::vector<std::unique_ptr<Polled>> streams;
            const auto add = [&](const char *name, const std::vector<int> &from, const std::vector<int> &to) {
                streams.push_back(std::make_unique<Polled>(name, from, to, nbuffs, ways));
            };
            add("all", all, all);
            add("there", {0}, {last});
            add("back", {last}, {0});
            add("spread", {last}, all);
            add("gather", all, {0});
            commit(make_world());
            const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
            for (bool done = false; !done;) {
                done = true;
                for (const auto &stream : streams) {
                    stream->step();
                    done = done && stream->is_done();
                }
                std::this_thread::yield();
                ASSERT_LT(std::chrono::steady_clock::now(), until) << states(streams);
            }
            // Frames of others may have still to leave this process.
            streams.clear();
            barrier();
        }
}

// What would be DRI_ERR_DEADLOCK in a call that waits is not there yet.
TEST(Try, WhatOnlyTheCallerCanBringAboutIsNotThereYet) {
    const std::vector<int> me{world().rank};
    const Strip source = *declare_strip("own", DRI_SOURCE, me, 2), sink = *declare_strip("own", DRI_SINK, me, 1);
    commit(make_group(me));
    EXPECT_EQ(DRI_extract(sink.xfer, nullptr, nullptr), DRI_ERR_DEADLOCK);
    EXPECT_EQ(try_extract(sink.xfer), nullptr) << "nothing is inserted";
    EXPECT_NE(try_acquire(source.xfer), nullptr);
    EXPECT_EQ(try_acquire(source.xfer), nullptr) << "the caller holds both buffers";
    for (int64_t frame = 0; frame < 2; ++frame) {
        source.fill(buffer_of<void>(source.xfer), frame);
        insert(source.xfer);
    }
    EXPECT_EQ(DRI_acquire(source.xfer, nullptr), DRI_ERR_DEADLOCK);
    EXPECT_EQ(try_acquire(source.xfer), nullptr) << "the sink has not taken frame 0";
    DRI_Frame about{};
    EXPECT_EQ(sink.wrong(try_extract(sink.xfer, &about), 0), 0);
    EXPECT_EQ(about.number, 0);
    EXPECT_EQ(try_extract(sink.xfer), nullptr) << "the caller holds the buffer";
    EXPECT_NE(try_acquire(source.xfer), nullptr);
    release(sink.xfer);
    EXPECT_EQ(sink.wrong(extract(sink.xfer), 1), 0) << "the calls may be mixed";
    for (const int expected : {1, 0}) { // the second buffer; then both are held again
        int done = 7;
        expect_success(DRI_try_acquire(source.xfer, nullptr, &done), "DRI_try_acquire");
        EXPECT_EQ(done, expected);
    }
    EXPECT_EQ(frames_of(sink.xfer), 2);
}

// A sink in the user's memory may take its frame after a call that was not done.
TEST(Try, AFrameThatIsNotHereArrivesLater) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes";
    for (const int64_t ways : {every_way, int64_t{DRI_WAY_MESSAGE}}) {
        const Line line("later", 0, last, {60, 40});
        line.set(DRI_ATTR_WAYS, ways);
        commit(make_world());
        for (int64_t frame = 0; frame < 3; ++frame) {
            if (line.sink) {
                EXPECT_EQ(try_extract(line.sink->xfer), nullptr) << "nothing is inserted";
            }
            barrier();
            line.insert_frame(frame);
            if (line.sink) {
                void *buffer = nullptr;
                while (!buffer)
                    buffer = frame < 2 ? try_extract(line.sink->xfer) : extract(line.sink->xfer);
                EXPECT_EQ(line.sink->wrong(buffer, frame), 0) << frame;
                release(line.sink->xfer);
            }
            while (rank == 0 && !try_acquire(line.source->xfer))
                std::this_thread::yield();
            barrier();
        }
    }
}

TEST(Try, WrongCallsAreRefused) {
    const std::vector<int> me{world().rank};
    const Strip source = *declare_strip("try", DRI_SOURCE, me, 1), sink = *declare_strip("try", DRI_SINK, me, 1);
    const DRI_Xfer out = source.xfer, in = sink.xfer;
    static int done;
    const auto acquires = [](DRI_Xfer xfer) { return [=] { return DRI_try_acquire(xfer, nullptr, &done); }; };
    const auto extracts = [](DRI_Xfer xfer) {
        return [=] { return DRI_try_extract(xfer, nullptr, nullptr, &done); };
    };
    expect_refused({
        {"acquire before the commit", acquires(out), DRI_ERR_STATE, {"'try'", "committed"}},
        {"extract before the commit", extracts(in), DRI_ERR_STATE, {"'try'", "committed"}},
        {"acquire of nothing", acquires({}), DRI_ERR_HANDLE, {"null"}},
        {"extract of nothing", extracts({}), DRI_ERR_HANDLE, {"null"}},
        {"acquire of a sink", acquires(in), DRI_ERR_ARG, {"DRI_try_acquire", "sink"}},
        {"extract of a source", extracts(out), DRI_ERR_ARG, {"DRI_try_extract", "source"}},
        {"no output", [=] { return DRI_try_acquire(out, nullptr, nullptr); }, DRI_ERR_ARG, {"done"}},
        {"no output for a sink",
         [=] { return DRI_try_extract(in, nullptr, nullptr, nullptr); },
         DRI_ERR_ARG,
         {"done"}},
    });
    commit(make_group(me));
    source.fill(buffer_of<void>(out), 0);
    insert(out);
    EXPECT_EQ(sink.wrong(try_extract(in), 0), 0);
}

TEST(Try, InPlaceIsRefused) {
    const std::vector<int> me{world().rank};
    const Strip source = *declare_strip("both", DRI_SOURCE, me, 1), sink = *declare_strip("both", DRI_SINK, me, 1);
    for (const DRI_Xfer xfer : {DRI_Xfer(source.xfer), DRI_Xfer(sink.xfer)})
        expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_IN_PLACE, DRI_IN_PLACE), "DRI_xfer_set_attr");
    commit(make_group(me));
    int done = 7;
    EXPECT_EQ(DRI_try_acquire(source.xfer, nullptr, &done), DRI_ERR_ARG);
    EXPECT_EQ(done, 0);
    EXPECT_EQ(DRI_try_extract(sink.xfer, nullptr, nullptr, &done), DRI_ERR_ARG);
}

} // namespace
} // namespace dri::test
