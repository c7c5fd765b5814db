// A thread that moves a process's transfers on while its callers do something else. It belongs to the ends that
// asked for it, together, and goes with the last of them.
#pragma once

#include "exec/running.hpp"

#include <thread>

namespace dri {

class ProgressThread {
public:
    // Fails with DRI_ERR_LIMIT where the system gives no more threads.
    ProgressThread(std::shared_ptr<const Running> running, std::shared_ptr<Transport> transport);
    // Waits for the step, or the rest, that the thread is in: some ms at most where steps are short. Never called
    // by that thread.
    ~ProgressThread();
    ProgressThread(const ProgressThread &) = delete;
    ProgressThread &operator=(const ProgressThread &) = delete;

private:
    void run();
    void stop();

    std::shared_ptr<const Running> running_;
    std::shared_ptr<Transport> transport_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
    std::shared_ptr<void> stops_before_finish_; // goes first
};

// How long the thread rests after a look. It is in no haste where others have the core, or do the work themselves.
class ProgressRest {
public:
    explicit ProgressRest(bool crowded) : crowded_(crowded) {}
    // What it saw; now: when. Zero: another look at once, after others have run.
    std::chrono::microseconds after(const PollResult &seen, Clock::time_point now);

private:
    const bool crowded_;
    Clock::time_point last_work_{};
};

} // namespace dri
