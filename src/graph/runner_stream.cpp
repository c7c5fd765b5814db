// Several frames in flight: the oldest has precedence, and a younger one goes on where it would wait.
#include "graph/runner.hpp"

#include "outer/calls.hpp"

#include <algorithm>
#include <limits>
#include <thread>

namespace dri::graph {

namespace {

// Whether a step hands a frame to a port, which any older frame may still close.
bool hands_to_port(const FrameSteps &frame, size_t step, const std::vector<Carrier> &carriers) {
    return step < frame.steps.size() && frame.steps[step].kind == StepKind::insert &&
           carriers[static_cast<size_t>(frame.steps[step].index)].may_close;
}

} // namespace

int Runner::stream(int64_t most) {
    if (!options_.is_stream)
        fail(DRI_ERR_STATE, "the plan is no stream: see DRI_Plan_options");
    require_ready();
    if (is_ended_)
        return DRI_END_OF_STREAM;
    if (frame_.steps.size() == clocks_.size())
        return DRI_SUCCESS; // this process has nothing to do in any frame
    const auto &calls = plan_.reached().calls;
    const bool can_end =
        !plan_.reached().recvs.empty() || !plan_.reached().sinks.empty() ||
        std::any_of(calls.begin(), calls.end(), [this](int call) { return plan_.body().call(call).in.empty(); });
    if (most < 0 && !can_end) {
        CarrierHeader told{};
        told.failed_on = plan_.rank() + 1;
        told.code = DRI_ERR_ARG;
        break_run(DRI_ERR_ARG, "most is -1, but nothing ends the frames of this process", told);
    }
    last_ = Clock::now();
    const int64_t end = most < 0 ? std::numeric_limits<int64_t>::max() : done_ + most;
    while (!is_done(end)) {
        begin_frames(end);
        if (!is_over(flight(done_))) // else its end is still to be told
            wait_or_go_on();
        finish_frames(end);
    }
    return DRI_SUCCESS;
}

bool Runner::advance(int64_t end) {
    if (is_done(end))
        return false;
    begin_frames(end);
    const bool is_going_on = is_over(flight(done_)) || go_on(done_);
    finish_frames(end);
    return is_going_on;
}

// Makes one step of the oldest frame that need not wait. Returns whether there is one.
bool Runner::go_on(int64_t first) {
    const bool is_alone = begun_ - first == 1;
    for (int64_t number = first; number < begun_; ++number) {
        FrameInFlight &frame = flight(number);
        if (number > first) {
            const FrameInFlight &older = flight(number - 1);
            // Frames keep their order in every step. What ends the older one ends this one, too.
            if (frame.next >= older.next || older.ended_by != 0)
                return false;
            if (older.next <= frame_.last_wait && hands_to_port(frame_, frame.next, carriers_))
                continue;
        }
        if (is_over(frame))
            continue;
        if (step(frame, is_alone))
            return true;
    }
    return false;
}

// While all frames wait, they are polled. What the oldest waits for depends on no younger frame, so after a while
// it is waited for alone: that call has the timeout, and says in the log what is missing.
void Runner::wait_or_go_on() {
    using std::chrono::milliseconds;
    if (go_on(done_))
        return;
    const auto start = Clock::now();
    const milliseconds longest(options_.timeout_ms > 0 ? options_.timeout_ms : 1000);
    while (!go_on(done_)) {
        outer::require(DRI_progress());
        const auto waited = Clock::now() - start;
        if (waited > longest) {
            step(flight(done_), true);
            return;
        }
        if (waited < milliseconds(1))
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

} // namespace dri::graph
