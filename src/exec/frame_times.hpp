// How long the last frames of an end took, and how long of that they waited. One thread counts and allocates
// nothing; others may read meanwhile, and nobody locks.
#pragma once

#include "transport/transport.hpp"

#include <memory>
#include <vector>

namespace dri {

struct FrameTime {
    int64_t frame = 0;
    int64_t done_ns = 0; // on the Clock
    int64_t frame_ns = 0, wait_ns = 0;
};

class FrameTimes {
public:
    static constexpr int64_t capacity = 1024;

    void count(const FrameTime &time);
    // The last `max_frames` frames, at most `capacity`, oldest first. Those that are overwritten meanwhile are
    // left out.
    std::vector<FrameTime> last(int64_t max_frames) const;

private:
    std::unique_ptr<FrameTime[]> ring_ = std::make_unique_for_overwrite<FrameTime[]>(capacity);
    int64_t begun_ = 0, counted_ = 0; // frames that are, or may be, in the ring
};

// Of numbers in any order: the p-th of 100 is the least one that p of 100 do not pass. All 0 of none.
struct Spread {
    double p50 = 0, p99 = 0, max = 0;
};
Spread spread_of(std::vector<double> numbers);

// What a frame waits. The clock is read while there is nothing else to do, and not at all by a frame that hardly
// waits.
class WaitMeter {
public:
    void begin_frame() { waited_ = {}, work(); }
    // There was something to do: rests before and after it are not one wait.
    void work() { rests_ = 0, is_timed_ = false; }
    int64_t waited_ns() const { return std::chrono::nanoseconds(waited_).count(); }

    // Lives as long as the process rests. What lies between two rests without work is part of the wait. free: so
    // many rests at the begin of a wait are too short for the time that it takes to read the clock, and do not
    // count.
    class Rest {
    public:
        explicit Rest(WaitMeter &meter, int64_t free = 0) : meter_(meter), counts_(++meter.rests_ > free) {
            if (counts_ && !meter.is_timed_)
                meter.since_ = Clock::now();
            meter.is_timed_ = counts_;
        }
        ~Rest() {
            if (!counts_)
                return;
            const auto now = Clock::now();
            meter_.waited_ += now - meter_.since_;
            meter_.since_ = now;
        }
        Rest(const Rest &) = delete;
        Rest &operator=(const Rest &) = delete;

    private:
        WaitMeter &meter_;
        bool counts_;
    };

private:
    Clock::duration waited_{};
    Clock::time_point since_;
    int64_t rests_ = 0;     // since there was something to do
    bool is_timed_ = false; // the wait goes on since since_
};

} // namespace dri
