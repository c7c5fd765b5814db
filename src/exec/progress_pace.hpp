// How often DRI_progress calls MPI if there are more processes than cores: MPI then hands the core to another
// process in each call that finds nothing to do. A process that computes between its calls would lose its core and
// its caches after each piece of work. One that does nothing else waits, and the others need the core.
#pragma once

#include <atomic>
#include <chrono>

namespace dri::exec {

// Any thread may use it. Calls of several threads at once may be taken for those of one.
class ProgressPace {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::microseconds waits{5}; // it only waits if it comes back so soon
    static constexpr std::chrono::milliseconds longest{1};

    // Whether the call that begins now is to call MPI: if the caller only waits, and at least once in `longest`.
    bool is_due(Time now) {
        const bool due = now - ended_.load(std::memory_order_relaxed) <= waits ||
                         now - called_.load(std::memory_order_relaxed) >= longest;
        if (due)
            called_.store(now, std::memory_order_relaxed);
        return due;
    }
    void end(Time now) { ended_.store(now, std::memory_order_relaxed); }

private:
    std::atomic<Time> ended_{Time()}, called_{Time()}; // the last call, and the last that was due
};

} // namespace dri::exec
