// The calls that move frames: both halves of a frame together, or one of them alone.
#include "base/lent_time.hpp"
#include "exec/call_guard.hpp"
#include "flow/admission.hpp"
#include "transport/transport.hpp"

#include <utility>

namespace dri::exec {

namespace {

int64_t nanoseconds(transport::Clock::duration time) { return std::chrono::nanoseconds(time).count(); }

// Records a frame that is done. time: of the call that completes it; earlier calls of the frame are added.
void count_frame(EndpointState &state, int64_t frame, const FrameTime &time, flow::Act act) {
    state.tested = act == flow::Act::test;
    const int64_t frame_ns = time.frame_ns + std::exchange(state.spent_ns, 0);
    const int64_t wait_ns = time.wait_ns + std::exchange(state.waited_ns, 0);
    state.times.count({.frame = frame, .done_ns = time.done_ns, .frame_ns = frame_ns, .wait_ns = wait_ns});
    const double seconds = static_cast<double>(frame_ns) * 1e-9;
    state.last_seconds.publish(seconds);
    state.total_seconds.publish(state.total_seconds + seconds);
}

// Keeps the time of a call that leaves its frame unfinished, for count_frame().
void add_to(EndpointState &state, const FrameTime &time) {
    state.spent_ns += time.frame_ns;
    state.waited_ns += time.wait_ns;
}

// Ends the second half: the source's caller owns one more buffer, the sink's caller one more frame.
void count(TransferParts &parts, const flow::Call &call, const FrameTime &time) {
    const flow::CallEndpoints &endpoints = call.endpoints;
    if (endpoints.source) {
        parts.ledgers.source->acquire();
        count_frame(*parts.source,
                    parts.ledgers.source->acquired().count - 2, // the frame before the acquired one
                    time, call.act);
    }
    for (Flow &flow : parts.flows) {
        if (!endpoints.includes(*flow.ledger))
            continue;
        flow::SinkLedger &sink = *flow.ledger->sink;
        count_frame(*flow.sink, sink.extracted().count, time, call.act);
        sink.extract();
    }
}

// A frame may take several calls: its time is the sum of theirs.
void add_time(TransferParts &parts, const flow::CallEndpoints &endpoints, const FrameTime &time) {
    if (endpoints.source)
        add_to(*parts.source, time);
    for (Flow &flow : parts.flows)
        if (endpoints.includes(*flow.ledger))
            add_to(*flow.sink, time);
}

// meter: of the call that began then.
FrameTime time_since(transport::Clock::time_point begin, const WaitMeter &meter) {
    const auto now = lent_time.end();
    return {0, nanoseconds(now.time_since_epoch()), nanoseconds(now - begin), meter.waited_ns()};
}

} // namespace

// Dropped frames are read before the frames, so that each dropped frame is also counted as a frame.
Progress LocalTransfer::source_progress() const {
    Progress progress;
    for (const Flow &flow : parts_.flows)
        progress.dropped += flow.ledger->drop.read_dropped();
    progress.frames = parts_.ledgers.source->read_inserted().count;
    progress.acquired = parts_.ledgers.source->read_acquired().count;
    progress.last_seconds = parts_.source->last_seconds.read();
    progress.total_seconds = parts_.source->total_seconds.read();
    return progress;
}

Progress LocalTransfer::sink_progress(size_t flow) const {
    const flow::SinkLedger &ledger = *parts_.ledgers.flows[flow].sink;
    const SinkEnd &sink = *parts_.flows[flow].sink;
    Progress progress;
    progress.frames = ledger.read_extracted().count;
    progress.last_seconds = sink.last_seconds.read();
    progress.total_seconds = sink.total_seconds.read();
    progress.dropped = ledger.read_dropped();
    return progress;
}

// The skeleton of all calls that wait: guard, admit, move, count. A failure in admit() has changed nothing. A
// failure in run() breaks the transfer, unless the call may be repeated after it.
void LocalTransfer::finish(const char *name, const flow::Call &call, CallGuard &guard) {
    const auto begin = lent_time.begin();
    const LongWait::Call watched(wait_.long_wait(), name);
    wait_.poll_departures(call.endpoints);
    guard.check([&] { wait_.admit(call); });
    try {
        guard.run([&] {
            if (call.act == flow::Act::execute)
                engine_.give(call.endpoints);
            else
                engine_.want(call.endpoints);
            wait_.complete(call.endpoints, begin);
            if (call.endpoints.source)
                wait_.check_close();
        });
    } catch (const Error &) {
        add_time(parts_, call.endpoints,
                 time_since(begin, wait_.meter())); // counted even so, because the call may be repeated
        throw;
    }
    count(parts_, call, time_since(begin, wait_.meter()));
}

void LocalTransfer::execute(flow::CallEndpoints asked) {
    CallGuard guard(*this);
    guard.check_whole();
    finish("DRI_do", {flow::Act::execute, flow::existing(parts_.ledgers, asked)}, guard);
}

void LocalTransfer::wait(flow::CallEndpoints asked) {
    CallGuard guard(*this);
    guard.check_whole();
    const flow::CallEndpoints endpoints = flow::started(parts_.ledgers, asked);
    if (!endpoints.includes_any(parts_.ledgers) && parts_.take_tested(flow::existing(parts_.ledgers, asked)))
        return; // the frame that was started is complete
    finish("DRI_wait", {flow::Act::finish, endpoints}, guard);
}

// After a close no buffer is to be filled, and the second half refuses the call.
template <Waits waits> void *LocalTransfer::acquire() {
    CallGuard guard(*this);
    guard.check_whole();
    const flow::SourceLedger &source = *parts_.ledgers.source;
    if constexpr (waits == Waits::unless_held)
        if (source.holds_buffer() && !source.closed())
            return parts_.source->buffer_to_fill(source.inserted().count);
    if constexpr (waits != Waits::no)
        finish(waits == Waits::yes ? "DRI_acquire" : "DRI_next", {flow::Act::finish, source_endpoint()}, guard);
    else if (!attempt({flow::Act::attempt, source_endpoint()}, guard))
        return nullptr;
    return parts_.source->buffer_to_fill(source.acquired().count - 1);
}

template <Waits waits> void *LocalTransfer::extract(size_t flow, FrameHeader &header) {
    CallGuard guard(*this);
    guard.check_whole();
    if constexpr (waits == Waits::yes)
        finish("DRI_extract", {flow::Act::finish, sink_endpoint(flow)}, guard);
    else if (!attempt({flow::Act::attempt, sink_endpoint(flow)}, guard))
        return nullptr;
    SinkEnd &sink = *parts_.flows[flow].sink;
    const int64_t frame = parts_.ledgers.flows[flow].sink->extracted().count - 1;
    if (const FrameHeader *const got = sink.header(frame))
        header = *got;
    else
        header.number = parts_.ledgers.flows[flow].number_of({frame});
    return sink.buffer(frame);
}

template void *LocalTransfer::acquire<Waits::yes>();
template void *LocalTransfer::acquire<Waits::no>();
template void *LocalTransfer::acquire<Waits::unless_held>();
template void *LocalTransfer::extract<Waits::yes>(size_t, FrameHeader &);
template void *LocalTransfer::extract<Waits::no>(size_t, FrameHeader &);

// A first half alone: hands over and takes the steps that are possible now, without waiting. With a progress
// thread that thread takes the steps.
void LocalTransfer::insert(const FrameHeader *header) {
    CallGuard guard(*this);
    guard.check_whole();
    const auto begin = lent_time.begin();
    wait_.poll_departures(source_endpoint());
    guard.check([&] { wait_.admit({flow::Act::insert, source_endpoint()}); });
    guard.run([&] {
        engine_.hand_over(header);
        parts_.ledgers.source->insert();
        parts_.source->tested = false;
        engine_.begin_moves();
        if (!wait_.leaves_steps(source_endpoint()))
            engine_.run_steps();
    });
    add_to(*parts_.source, time_since(begin, wait_.meter()));
}

// A first half alone: the free buffer may receive the next frame at once.
void LocalTransfer::release(size_t flow) {
    CallGuard guard(*this);
    guard.check_whole();
    wait_.check_admitted({flow::Act::release, sink_endpoint(flow)});
    parts_.ledgers.flows[flow].sink->release();
    parts_.flows[flow].sink->tested = false;
    guard.run([&] { engine_.begin_moves(); });
}

// The first halves of all endpoints of the call, or of none: everything that can refuse is checked before.
void LocalTransfer::start(flow::CallEndpoints asked) {
    CallGuard guard(*this);
    guard.check_whole();
    const auto begin = lent_time.begin();
    const flow::CallEndpoints endpoints = flow::existing(parts_.ledgers, asked);
    wait_.poll_departures(endpoints);
    guard.check([&] { wait_.admit({flow::Act::start, endpoints}); });
    guard.run([&] {
        engine_.give(endpoints);
        if (!wait_.leaves_steps(endpoints))
            engine_.run_steps();
    });
    add_time(parts_, endpoints, time_since(begin, wait_.meter()));
}

bool LocalTransfer::test(flow::CallEndpoints asked) {
    CallGuard guard(*this);
    guard.check_whole();
    return attempt({flow::Act::test, flow::started(parts_.ledgers, asked)}, guard);
}

// The second halves without their wait: the rules and the steps are those of finish(). Throws if they can no
// longer be done. This breaks the transfer no more than it does before a call that waits.
bool LocalTransfer::attempt(const flow::Call &call, CallGuard &guard) {
    const auto begin = lent_time.begin();
    bool done = false;
    wait_.poll_departures(source_endpoint()); // also moves messages on, for a caller that only tests
    guard.check([&] { done = wait_.admit_attempt(call); });
    guard.run([&] {
        if (done && call.act == flow::Act::attempt)
            engine_.want(call.endpoints);
        if (wait_.leaves_steps(call.endpoints))
            engine_.take_step();
        else
            engine_.run_steps();
    });
    if (done)
        guard.check([&] { done = wait_.is_done_now(call); });
    if (!done)
        guard.run([&] { wait_.look_between(call.endpoints, begin); });
    done ? count(parts_, call, time_since(begin, wait_.meter()))
         : add_time(parts_, call.endpoints, time_since(begin, wait_.meter()));
    return done;
}

} // namespace dri::exec
