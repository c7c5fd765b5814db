// How often DRI_progress makes MPI move messages of no transfer, if there are more processes than cores and MPI
// yields: each such call that finds nothing hands the core to another process. A process that computes between its
// calls would lose its core and its caches after each piece of work. One that does nothing else waits, and the
// others need the core.
#pragma once

#include <atomic>
#include <chrono>

namespace dri::exec {

// Any thread may use it. Calls of several threads at once may be taken for those of one.
class ProgressPace {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds waits{5}; // a caller that comes back so soon only waits
    static constexpr std::chrono::milliseconds longest{1};

    // Whether the call that begins now is due: if the caller only waits, and at least once in `longest`.
    bool is_due(Clock::time_point now) {
        const bool due = now - ended_.load(std::memory_order_relaxed) <= waits ||
                         now - due_.load(std::memory_order_relaxed) >= longest;
        if (due)
            due_.store(now, std::memory_order_relaxed);
        return due;
    }
    void end(Clock::time_point now) { ended_.store(now, std::memory_order_relaxed); }

    // One call, from its start to its end.
    class Call {
    public:
        explicit Call(ProgressPace &pace) : pace_(pace), is_due_(pace.is_due(Clock::now())) {}
        ~Call() { pace_.end(Clock::now()); }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;
        bool is_due() const { return is_due_; }

    private:
        ProgressPace &pace_;
        bool is_due_;
    };

private:
    std::atomic<Clock::time_point> ended_{Clock::time_point()}; // the last call
    std::atomic<Clock::time_point> due_{Clock::time_point()};   // the start of the last one that was due
};

} // namespace dri::exec
