// The calls that move frames: both halves of a frame together, or one of them alone.
#include "exec/call_guard.hpp"
#include "transport/transport.hpp"

#include <algorithm>
#include <utility>

namespace dri::exec {

namespace {

int64_t nanoseconds(transport::Clock::duration time) { return std::chrono::nanoseconds(time).count(); }

// Records a frame that is done. time: of the call that completes it; earlier calls of the frame are added.
void count_frame(EndpointState &state, int64_t frame, FrameTime time) {
    time.frame = frame;
    time.frame_ns += std::exchange(state.spent_ns, 0);
    time.wait_ns += std::exchange(state.waited_ns, 0);
    state.times.count(time);
    const double seconds = static_cast<double>(time.frame_ns) * 1e-9;
    state.last_seconds.publish(seconds);
    state.total_seconds.publish(state.total_seconds + seconds);
}

// Keeps the time of a call that leaves its frame unfinished, for count_frame().
void add_to(EndpointState &state, const FrameTime &time) {
    state.spent_ns += time.frame_ns;
    state.waited_ns += time.wait_ns;
}

} // namespace

Progress progress(const EndpointState &state) {
    const int64_t frames = state.frames.read();
    return {frames, state.acquired.read(), state.last_seconds.read(), state.total_seconds.read()};
}

// The header, the window's offset and the shared copy are written before the counters say that the frame is there.
// Pullers and other threads may read them as soon as a counter has risen.
void LocalTransfer::hand_over(const FrameHeader *given) {
    const int64_t frame = source_->frames;
    set_header(given);
    if (source_->window)
        set_window_offset(frame);
    if (source_->shared) {
        const std::byte *buffer = source_->buffer(frame);
        const int64_t i = ring_slot(frame, source_->count());
        std::byte *const shared = source_->shared->buffer(i);
        if (shared != buffer && source_->shared->is_shared(i))
            copy_window(shared, buffer);
        source_->shared->hand_over(frame + 1);
    }
    source_->frames.publish(frame + 1);
}

// The first flow that exchanges messages polls for all, because the transport notes departures in all exchanges.
void LocalTransfer::poll_departures() {
    if (!features_.messages)
        return;
    for (Flow &flow : flows_)
        if (flow.link.poll_departures())
            return;
}

// Does the first half of each endpoint once, even if the call is repeated after a timeout. Sinks come first, so
// that their receives are posted before the source's messages leave.
void LocalTransfer::give(const EndpointSet &endpoints) {
    for (Flow &flow : flows_) {
        if (!endpoints.includes(flow) || flow.sink->started)
            continue;
        EndpointState &sink = *flow.sink;
        if (sink.frames > sink.released)
            ++sink.released;
        sink.started = sink.wanted = true;
    }
    begin_sinks(); // posts the receives
    if (endpoints.source && !source_->started) {
        hand_over(nullptr);
        source_->started = true;
    }
    begin_source();
}

// Marks that the callers wait, which lets the last free buffer of their sinks be filled (reach).
void LocalTransfer::want(const EndpointSet &endpoints) {
    for (Flow &flow : flows_)
        if (endpoints.includes(flow))
            flow.sink->wanted = true;
    begin_moves();
}

// Ends the second half: the source's caller owns one more buffer, the sink's caller one more frame.
void LocalTransfer::count(const EndpointSet &endpoints, const FrameTime &time) {
    if (endpoints.source) {
        source_->acquired.publish(source_->acquired + 1);
        source_->started = false;
        count_frame(*source_, source_->acquired - 2, time); // the frame before the acquired one
    }
    for (Flow &flow : flows_) {
        if (!endpoints.includes(flow))
            continue;
        EndpointState &sink = *flow.sink;
        sink.started = sink.wanted = false;
        count_frame(sink, sink.frames, time);
        sink.frames.publish(sink.frames + 1);
    }
}

FrameTime LocalTransfer::time_since(transport::Clock::time_point begin) const {
    const auto now = transport::Clock::now();
    return {0, nanoseconds(now.time_since_epoch()), nanoseconds(now - begin), waits_.waited_ns()};
}

// A frame may take several calls: its time is the sum of theirs.
void LocalTransfer::add_time(const EndpointSet &endpoints, const FrameTime &time) {
    if (endpoints.source)
        add_to(*source_, time);
    for (Flow &flow : flows_)
        if (endpoints.includes(flow))
            add_to(*flow.sink, time);
}

// The skeleton of all calls that wait. A failure in check() has changed nothing. A failure in run() breaks the
// transfer, unless the call may be repeated after it.
void LocalTransfer::finish(EndpointSet endpoints, Halves halves) {
    CallGuard guard(*this);
    guard.check_whole();
    check_together(endpoints);
    const auto begin = transport::Clock::now();
    const bool starts = halves == Halves::both;
    endpoints = halves == Halves::second_of_started ? started(endpoints) : there(endpoints);
    poll_departures();
    guard.check([&] { check(endpoints, starts); });
    try {
        guard.run([&] {
            starts ? give(endpoints) : want(endpoints);
            complete(endpoints, begin);
            check_same_close(endpoints);
        });
    } catch (const Error &) {
        add_time(endpoints, time_since(begin)); // counted even so, because the call may be repeated
        throw;
    }
    count(endpoints, time_since(begin));
}

void LocalTransfer::execute(const EndpointSet &endpoints) { finish(endpoints, Halves::both); }

void LocalTransfer::wait(const EndpointSet &endpoints) { finish(endpoints, Halves::second_of_started); }

void *LocalTransfer::acquire() {
    finish(source_endpoint(), Halves::second);
    return source_->buffer(source_->acquired - 1);
}

void *LocalTransfer::extract(size_t flow, FrameHeader &header) {
    finish(sink_endpoint(flow), Halves::second);
    const EndpointState &sink = *flows_[flow].sink;
    const int64_t frame = sink.frames - 1;
    if (const FrameHeader *const got = sink.header(frame))
        header = *got;
    else
        header.number = frame;
    return sink.buffer(frame);
}

// A first half alone: hands over and takes the steps that are possible now, without waiting. With a progress
// thread that thread takes the steps.
void LocalTransfer::insert(const FrameHeader *header) {
    CallGuard guard(*this);
    guard.check_whole();
    check_together(source_endpoint());
    const auto begin = transport::Clock::now();
    poll_departures();
    guard.check([&] { check_insert(); });
    guard.run([&] {
        hand_over(header);
        begin_moves();
        if (!leaves_steps(source_endpoint()))
            run_steps();
    });
    add_to(*source_, time_since(begin));
}

// A first half alone: the free buffer may receive the next frame at once.
void LocalTransfer::release(size_t flow) {
    CallGuard guard(*this);
    guard.check_whole();
    check_together(sink_endpoint(flow));
    EndpointState &sink = *flows_[flow].sink;
    if (sink.destroyed)
        fail(DRI_ERR_STATE, "the sink of transfer '{}' is destroyed", name_);
    if (sink.frames == sink.released)
        fail(DRI_ERR_STATE, "transfer '{}': the caller holds no frame of the sink", name_);
    ++sink.released;
    guard.run([&] { begin_moves(); });
}

// The first halves of all endpoints of the call, or of none: everything that can refuse is checked before. Unlike
// finish() it tests neither capacity nor deadlock, because it does not wait.
void LocalTransfer::start(const EndpointSet &asked) {
    CallGuard guard(*this);
    guard.check_whole();
    check_together(asked);
    const auto begin = transport::Clock::now();
    const EndpointSet endpoints = there(asked);
    const auto refuse = [&](const char *role) {
        fail(DRI_ERR_STATE, "transfer '{}': a frame of the {} is started already; DRI_wait completes it", name_,
             role);
    };
    poll_departures();
    if (endpoints.sink && endpoints.sink->sink->destroyed)
        fail(DRI_ERR_STATE, "the sink of transfer '{}' is destroyed", name_);
    for (const Flow &flow : flows_)
        if (endpoints.includes(flow) && flow.sink->started)
            refuse("sink");
    if (endpoints.source && source_->started)
        refuse("source");
    guard.check([&] {
        if (endpoints.source)
            check_insert();
        check_receivers(endpoints.source);
    });
    guard.run([&] {
        give(endpoints);
        if (!leaves_steps(endpoints))
            run_steps();
    });
    add_time(endpoints, time_since(begin));
}

// The endpoints of a call that still exist. Another thread may destroy some before this call holds the transfer.
EndpointSet LocalTransfer::there(const EndpointSet &asked) const {
    EndpointSet endpoints = asked;
    if (!asked.all_sinks)
        return endpoints;
    const bool any_sink =
        std::any_of(flows_.begin(), flows_.end(), [&](const Flow &flow) { return endpoints.includes(flow); });
    endpoints.source = asked.source && !source_->destroyed && !(source_->closed && any_sink);
    if (!endpoints.source && !any_sink)
        fail(DRI_ERR_STATE, "the endpoints of transfer '{}' are destroyed", name_);
    return endpoints;
}

// The endpoints of a call that are started; a wait for none of them is an error of the caller.
EndpointSet LocalTransfer::started(const EndpointSet &asked) const {
    EndpointSet endpoints = there(asked);
    endpoints.started_only = true;
    endpoints.source = endpoints.source && source_->started;
    const bool any = std::any_of(flows_.begin(), flows_.end(),
                                 [&](const Flow &flow) { return endpoints.includes(flow) && flow.sink->started; });
    if (!any && !endpoints.source)
        fail(DRI_ERR_STATE, "transfer '{}': no frame is started; DRI_start comes first", name_);
    return endpoints;
}

// Takes steps without waiting and returns whether the frame is done. Throws if it can no longer be completed.
bool LocalTransfer::test(const EndpointSet &asked) {
    CallGuard guard(*this);
    guard.check_whole();
    check_together(asked);
    const auto begin = transport::Clock::now();
    const EndpointSet endpoints = started(asked);
    poll_departures();
    bool done = false;
    guard.run([&] {
        leaves_steps(endpoints) ? void(take_step()) : run_steps();
        done = has_moved(endpoints) && (!endpoints.source || has_buffer());
        if (done)
            return check_same_close(endpoints);
        throw_if_over(endpoints);
        check_needed(endpoints);
    });
    if (done)
        count(endpoints, time_since(begin));
    else
        add_time(endpoints, time_since(begin));
    return done;
}

} // namespace dri::exec
