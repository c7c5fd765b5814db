// The thread that moves a process's transfers while their callers do something else. All endpoints that request it
// share it. It ends with the last of them.
#pragma once

#include "exec/running.hpp"
#include "transport/transport.hpp"

#include <thread>

namespace dri::exec {

class ProgressThread {
public:
    // Fails with DRI_ERR_LIMIT if the system cannot start another thread.
    ProgressThread(std::shared_ptr<const Running> running, std::shared_ptr<transport::Transport> transport);
    // Waits for the thread's current step or rest: at most some ms if steps are short. Must not be called by that
    // thread.
    ~ProgressThread();
    ProgressThread(const ProgressThread &) = delete;
    ProgressThread &operator=(const ProgressThread &) = delete;

private:
    void run();
    void stop();

    std::shared_ptr<const Running> running_;
    std::shared_ptr<transport::Transport> transport_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
    std::shared_ptr<void> stops_before_finish_; // destroyed first
};

// How long the thread rests after a poll. It is patient if other threads need the core or move the frames
// themselves.
class ProgressRest {
public:
    explicit ProgressRest(bool crowded) : crowded_(crowded) {}
    // seen: what the poll found; now: its time. Zero: poll again at once, but let other threads run first.
    std::chrono::microseconds after(const PollResult &seen, transport::Clock::time_point now);

private:
    const bool crowded_;
    transport::Clock::time_point last_work_{};
};

} // namespace dri::exec
