// The loop of the progress thread, and how long it rests between polls.
#include "exec/progress_thread.hpp"

#include "base/signal_free_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <system_error>

namespace dri::exec {

namespace {

using std::chrono::microseconds;

// The rests that after() returns, and the idle times that separate them.
constexpr microseconds at_once(0), soon(50), at_last(1000);
constexpr microseconds hot(200), warm(10000); // idle time since the last step
constexpr unsigned long timer_slack_ns = 1000;

} // namespace

// idle: the time since the last step. The first rule that applies counts:
// - There was a step: no rest. A call uses a transfer: 50 us.
// - idle < hot: no rest, if there are enough cores or messages are under way.
// - idle < warm: no rest while messages are under way, otherwise 50 us.
// - Messages are under way: 50 us. Otherwise 1/16 of idle, at most 1 ms.
microseconds ProgressRest::after(const PollResult &seen, transport::Clock::time_point now) {
    if (seen.stepped) {
        last_work_ = now;
        return at_once;
    }
    const auto idle = std::chrono::duration_cast<microseconds>(now - last_work_);
    if (seen.in_use)
        return soon;
    if (idle < hot ? !crowded_ || seen.under_way : seen.under_way && idle < warm)
        return at_once;
    if (idle < warm || seen.under_way)
        return soon;
    return std::min(at_last, idle / 16);
}

ProgressThread::ProgressThread(std::shared_ptr<const Running> running,
                               std::shared_ptr<transport::Transport> transport)
    : running_(std::move(running)), transport_(std::move(transport)) {
    stops_before_finish_ = transport_->before_finish([this] { stop(); });
    try {
        thread_ = start_signal_free_thread([this] { run(); });
    } catch (const std::system_error &error) {
        fail(DRI_ERR_LIMIT, "the system cannot start the progress thread: {}", error.what());
    }
}

ProgressThread::~ProgressThread() { stop(); }

void ProgressThread::stop() {
    if (!thread_.joinable())
        return;
    stopping_.store(true, std::memory_order_relaxed);
    thread_.join();
}

// A failure in a transfer breaks that transfer, and its next call reports it. A failure in the transport is
// ignored here, because the next call that waits fails with it, too.
void ProgressThread::run() {
    pthread_setname_np(pthread_self(), "dri-progress");
    prctl(PR_SET_TIMERSLACK, timer_slack_ns); // otherwise each rest takes 50 us longer
    ProgressRest rest(transport_->crowded());
    while (!stopping_.load(std::memory_order_relaxed)) {
        const PollResult seen = running_->poll_all();
        try {
            if (!seen.in_use)
                transport_->progress();
        } catch (const std::exception &) {
        }
        const auto time = rest.after(seen, transport::Clock::now());
        if (time > at_once)
            std::this_thread::sleep_for(time);
        else if (!seen.stepped)
            sched_yield();
    }
}

} // namespace dri::exec
