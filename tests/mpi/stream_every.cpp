// DRI_ATTR_EVERY and DRI_ATTR_PHASE: several sinks take the frames of one source in turn.
#include "support/every.hpp"
#include "support/library.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace dri::test::every {
namespace {

// A source, and some sinks that each take every k-th frame. All processes take part.
struct InTurn {
    std::vector<int> from;
    std::vector<std::vector<int>> to;
    std::vector<int64_t> every, phase; // by sink
    int nbuffs = 1, sink_nbuffs = 1;
    int64_t frames = 7, ways = every_way;
    bool stream = true, progress_thread = false;
    int drops = -1; // this sink drops frames

    int64_t own(size_t sink) const { // counted one by one
        int64_t n = 0;
        for (int64_t f = 0; f < frames; ++f)
            n += f % every[sink] == phase[sink];
        return n;
    }
};

// The ends of a process. A step does what is possible now, so no order of calls is needed.
class Ends {
public:
    Ends(const std::string &name, const InTurn &job)
        : job_(job), source_(declare_strip(name, DRI_SOURCE, job.from, job.nbuffs, shape)),
          holds_(source_.has_value()) {
        if (source_ && job.stream)
            set(source_->xfer, DRI_ATTR_STREAM, 1);
        for (size_t k = 0; k < job.to.size(); ++k) {
            sinks_.push_back(
                {k, declare_sink(name, k, job.from, job.to[k], job.sink_nbuffs, job.every[k], job.phase[k])});
            if (sinks_[k].strip && job.drops == static_cast<int>(k))
                set(sinks_[k].strip->xfer, DRI_ATTR_ON_FULL, DRI_DROP);
        }
        const auto prepare = [&](const std::optional<Strip> &strip) {
            if (!strip)
                return;
            set(strip->xfer, DRI_ATTR_WAYS, job.ways);
            set(strip->xfer, DRI_ATTR_PROGRESS_THREAD, job.progress_thread);
        };
        prepare(source_);
        for (const Sink &sink : sinks_)
            prepare(sink.strip);
    }

    // Until all frames are through.
    void run() {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        for (bool done = false; !done; std::this_thread::yield()) {
            done = !source_ || closed_;
            if (!done)
                give();
            for (Sink &sink : sinks_) {
                if (sink.strip && !sink.over)
                    take(sink);
                done = done && (!sink.strip || sink.over);
            }
            ASSERT_LT(std::chrono::steady_clock::now(), until) << "a frame does not come";
        }
        expect_info();
    }

private:
    struct Sink {
        size_t number;
        std::optional<Strip> strip;
        int64_t taken = 0, last = -1;
        bool over = false;
    };

    void give() {
        if (given_ == job_.frames) {
            if (job_.stream)
                expect_success(DRI_xfer_close(source_->xfer), "DRI_xfer_close");
            closed_ = true;
            return;
        }
        int done = 0;
        if (!holds_)
            expect_success(DRI_try_acquire(source_->xfer, nullptr, &done), "DRI_try_acquire");
        if (!holds_ && !done)
            return;
        source_->fill(buffer_of<void>(source_->xfer), given_);
        DRI_Frame frame{};
        frame.time_ns = 100 + given_;
        insert(source_->xfer, job_.stream ? &frame : nullptr);
        holds_ = false;
        ++given_;
    }

    void take(Sink &sink) {
        const int64_t every = job_.every[sink.number], phase = job_.phase[sink.number],
                      own = job_.own(sink.number);
        if (!job_.stream && sink.taken == own) {
            sink.over = true;
            return;
        }
        void *buffer = nullptr;
        DRI_Frame frame{};
        int done = 0;
        const int code = DRI_try_extract(sink.strip->xfer, &buffer, &frame, &done);
        if (code == DRI_END_OF_STREAM) {
            const std::string message = DRI_error_message();
            EXPECT_NE(message.find(fmt::format("after {} frames", job_.frames)), std::string::npos) << message;
            sink.over = true;
            return;
        }
        expect_success(code, "DRI_try_extract");
        if (!done)
            return;
        if (drops(sink)) {
            EXPECT_GT(frame.number, sink.last);
            EXPECT_EQ(frame.number % every, phase);
        } else {
            EXPECT_EQ(frame.number, sink.taken * every + phase);
        }
        EXPECT_TRUE(!job_.stream || frame.time_ns == 100 + frame.number) << frame.time_ns;
        EXPECT_EQ(sink.strip->wrong(buffer, frame.number), 0) << frame.number;
        sink.last = frame.number;
        release(sink.strip->xfer);
        ++sink.taken;
    }
    bool drops(const Sink &sink) const { return job_.drops == static_cast<int>(sink.number); }

    void expect_info() const {
        for (const Sink &sink : sinks_) {
            if (!sink.strip)
                continue;
            DRI_Xfer_info info{};
            expect_success(DRI_xfer_get_info(sink.strip->xfer, &info), "DRI_xfer_get_info");
            EXPECT_EQ(info.frames, sink.taken);
            EXPECT_EQ(info.frames + info.dropped, job_.own(sink.number)) << "sink " << sink.number;
        }
        EXPECT_TRUE(!source_ || frames_of(source_->xfer) == job_.frames);
    }

    InTurn job_;
    std::optional<Strip> source_;
    std::vector<Sink> sinks_;
    bool holds_, closed_ = false;
    int64_t given_ = 0;
};

void expect_run(const InTurn &job) {
    auto ends = std::make_unique<Ends>("dwells", job);
    commit(make_world());
    ends->run();
    meet(); // frames of others may have still to leave this process
    ends.reset();
    meet();
}

// Groups of processes: the same ones, others, and single ones.
std::vector<std::pair<std::vector<int>, std::vector<std::vector<int>>>> groupings() {
    const std::vector<int> all = all_ranks();
    const int size = world().size;
    std::vector<std::pair<std::vector<int>, std::vector<std::vector<int>>>> found{{all, {all, all, all}}};
    if (size == 1)
        return found;
    found.push_back({{0}, {{size - 1}, {1 % size}, {size / 2}}});
    found.push_back({{size - 1}, {all, {0}, {0, size - 1}}});
    if (size >= 4)
        found.push_back({{0}, {{1}, {2}, {3}}});
    return found;
}

TEST(Every, ThreeSinksTakeTheFramesInTurn) {
    for (const auto &[from, to] : groupings())
        for (const int64_t ways : all_ways)
            for (const int nbuffs : {1, 3})
                for (const bool stream : {false, true}) {
                    SCOPED_TRACE(testing::Message() << "source on " << from[0] << ", ways " << ways << ", buffers "
                                                    << nbuffs << ", stream " << stream);
                    expect_run({.from = from,
                                .to = to,
                                .every = {3, 3, 3},
                                .phase = {0, 1, 2},
                                .nbuffs = nbuffs,
                                .sink_nbuffs = nbuffs == 1 ? 2 : 1,
                                .ways = ways,
                                .stream = stream});
                }
}

// A sink learns of the end at its next extract, also if the last frames are not its own, or if none is.
TEST(Every, TheStreamEndsForAllAfterAnyFrame) {
    for (const auto &[from, to] : groupings())
        for (const int64_t ways : all_ways)
            for (const int64_t frames : {0, 1, 2, 4})
                expect_run({.from = from,
                            .to = to,
                            .every = {3, 3, 3},
                            .phase = {0, 1, 2},
                            .nbuffs = 2,
                            .frames = frames,
                            .ways = ways});
}

TEST(Every, SinksOfOtherNumbersStandBesideEachOther) {
    for (const auto &[from, to] : groupings())
        for (const int64_t ways : all_ways)
            for (const bool thread : {false, true})
                expect_run({.from = from,
                            .to = to,
                            .every = {1, 2, 4},
                            .phase = {0, 1, 3},
                            .nbuffs = 2,
                            .frames = 9,
                            .ways = ways,
                            .progress_thread = thread});
}

// It drops some of the frames that are its own, and no others count.
TEST(Every, ASinkDropsAmongItsOwnFrames) {
    for (const auto &[from, to] : groupings())
        for (const int dropping : {0, 2})
            for (const int64_t phase : {0, 1})
                expect_run({.from = from,
                            .to = to,
                            .every = {2, 1, 3},
                            .phase = {phase, 0, 1 + phase},
                            .nbuffs = 2,
                            .frames = 20,
                            .drops = dropping});
}

} // namespace
} // namespace dri::test::every
