// How long the last frames of an endpoint took, and how long they waited. One thread counts and allocates nothing.
// Other threads may read at the same time, without locks.
#pragma once

#include "base/published.hpp"
#include "transport/transport.hpp"

#include <vector>

namespace dri::exec {

struct FrameTime {
    int64_t frame = 0;
    int64_t done_ns = 0; // when it was done, as read from Clock
    int64_t frame_ns = 0, wait_ns = 0;
};

class FrameTimes {
public:
    static constexpr int64_t capacity = 1024;

    void count(const FrameTime &time);
    // The last `max_frames` frames, at most `capacity`, oldest first. Frames that are overwritten during the call
    // are left out.
    std::vector<FrameTime> last(int64_t max_frames) const;

private:
    struct PublishedTime {
        Published<int64_t> frame, done_ns, frame_ns, wait_ns;
    };
    // All of it is written when the endpoint is made, so that no frame takes a page fault for it.
    std::vector<PublishedTime> ring_ = std::vector<PublishedTime>(capacity);
    Published<int64_t> begun_ = 0, counted_ = 0; // begun_ includes a frame that is being written
};

// Nearest-rank percentiles of numbers in any order: the smallest number with at least p % of the numbers at or
// below it. Zeros for an empty list.
struct Percentiles {
    double p50 = 0, p99 = 0, max = 0;
};
Percentiles percentiles_of(std::vector<double> numbers);

// Measures how long a frame waits. The clock is read only while there is nothing else to do. A frame that hardly
// waits does not read it.
class WaitMeter {
public:
    void begin_frame() { waited_ = {}, work(); }
    // There was work: pauses before and after it belong to different waits.
    void work() { rests_ = 0, is_timed_ = false; }
    transport::Clock::duration waited() const { return waited_; } // of the frame, as far as it counts
    int64_t waited_ns() const { return std::chrono::nanoseconds(waited_).count(); }

    // The process has rested until now, in a look. As below, but the time of the first such rest of a wait does
    // not count.
    void rest_until(transport::Clock::time_point now, int64_t free = 0) {
        if (++rests_ <= free)
            return;
        if (is_timed_)
            waited_ += now - since_;
        since_ = now;
        is_timed_ = true;
    }

    // Exists while the process rests. Time between two rests without work in between is part of the wait. free: so
    // many rests at the start of a wait do not count, because they are shorter than reading the clock.
    class Rest {
    public:
        explicit Rest(WaitMeter &meter, int64_t free = 0) : meter_(meter), counts_(++meter.rests_ > free) {
            if (counts_ && !meter.is_timed_)
                meter.since_ = transport::Clock::now();
            meter.is_timed_ = counts_;
        }
        ~Rest() {
            if (!counts_)
                return;
            const auto now = transport::Clock::now();
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
    transport::Clock::duration waited_{};
    transport::Clock::time_point since_;
    int64_t rests_ = 0;     // since the last work
    bool is_timed_ = false; // the current wait counts from since_
};

} // namespace dri::exec
