#include "exec/progress_thread.hpp"

#include "base/signal_free_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <system_error>

namespace dri {

namespace {

using std::chrono::microseconds;

constexpr microseconds at_once(0), soon(50), at_last(1000);
constexpr microseconds hot(200), warm(10000); // since there was work
constexpr unsigned long timer_slack_ns = 1000;

} // namespace

microseconds ProgressRest::after(const PollResult &seen, Clock::time_point now) {
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

ProgressThread::ProgressThread(std::shared_ptr<const Running> running, std::shared_ptr<Transport> transport)
    : running_(std::move(running)), transport_(std::move(transport)) {
    stops_before_finish_ = transport_->before_finish([this] { stop(); });
    try {
        thread_ = start_signal_free_thread([this] { run(); });
    } catch (const std::system_error &error) {
        fail(DRI_ERR_LIMIT, "the system starts no thread for progress: {}", error.what());
    }
}

ProgressThread::~ProgressThread() { stop(); }

void ProgressThread::stop() {
    if (!thread_.joinable())
        return;
    stopping_.store(true, std::memory_order_relaxed);
    thread_.join();
}

// What fails in a transfer breaks that one, and its caller hears of it; what fails in the transport fails in the
// next call that waits, too.
void ProgressThread::run() {
    pthread_setname_np(pthread_self(), "dri-progress");
    prctl(PR_SET_TIMERSLACK, timer_slack_ns); // else each rest is longer by 50 us
    ProgressRest rest(transport_->crowded());
    while (!stopping_.load(std::memory_order_relaxed)) {
        const PollResult seen = running_->poll_one();
        try {
            if (!seen.in_use)
                transport_->progress();
        } catch (const std::exception &) {
        }
        const auto time = rest.after(seen, Clock::now());
        if (time > at_once)
            std::this_thread::sleep_for(time);
        else if (!seen.stepped)
            sched_yield();
    }
}

} // namespace dri
