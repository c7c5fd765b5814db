// What a call needs before it begins, and the end of an end.
#include "exec/transfer.hpp"

#include "exec/call_guard.hpp"

#include <algorithm>

namespace dri {

bool EndpointSet::includes(const Flow &flow) const {
    if (!flow.sink || flow.sink->destroyed)
        return false;
    return sink == &flow || (all_sinks && (!started_only || flow.sink->started));
}

namespace {

FrameFeatures features_of(const std::optional<EndpointState> &source, const std::vector<Flow> &flows) {
    FrameFeatures features;
    const auto add = [&](const EndpointState &endpoint) {
        features.threads = features.threads || endpoint.has_thread;
        features.timeouts = features.timeouts || endpoint.timeout.count() > 0;
    };
    if (source)
        add(*source);
    for (const Flow &flow : flows) {
        if (flow.sink)
            add(*flow.sink);
        features.drops = features.drops || flow.drop.drops();
        features.headers = features.headers || flow.link.headers().sends() || flow.link.headers().receives();
        features.in_place = features.in_place || flow.link.in_place();
        features.windows = features.windows || flow.link.plan().note_bytes > 0;
        features.messages = features.messages || flow.drop.drops() || flow.link.has_messages();
    }
    return features;
}

} // namespace

LocalTransfer::LocalTransfer(std::string name, std::optional<EndpointState> source, std::vector<Flow> flows,
                             std::shared_ptr<Transport> transport, std::chrono::nanoseconds patience)
    : name_(std::move(name)), source_(std::move(source)), flows_(std::move(flows)),
      transport_(std::move(transport)), patience_(patience), features_(features_of(source_, flows_)) {
    // It waits for the sinks of others, too, whose frames may need this process's sinks.
    const bool waits = std::any_of(flows_.begin(), flows_.end(),
                                   [](const Flow &flow) { return !flow.drop.drops() && flow.link.has_outflow(); });
    for (Flow &flow : flows_) {
        if (source_)
            source_->workspace_bytes += flow.link.workspace_bytes(true) + flow.drop.workspace_bytes(true);
        if (flow.sink)
            flow.sink->workspace_bytes += flow.link.workspace_bytes(false) + flow.drop.workspace_bytes(false);
        flow.binds = source_ && flow.sink && !flow.drop.drops() &&
                     (flow.link.has_own_part() || (waits && flow.link.has_inflow()));
    }
}

bool LocalTransfer::in_strips() const {
    return std::any_of(flows_.begin(), flows_.end(), [](const Flow &flow) {
        return flow.link.strips() > 1 || (flow.sink && flow.sink->strips > 1);
    });
}

// All but one of its buffers are filled ahead of the caller, and that one, too, while he waits for a frame. The
// user's own only then: he may use them elsewhere.
int64_t LocalTransfer::reach(const Flow &flow, bool takes_frame, bool gives_back) const {
    const EndpointState &sink = *flow.sink;
    const int64_t released = sink.released + (gives_back && sink.frames > sink.released ? 1 : 0);
    const int64_t capacity = sink.whole(released + sink.count());
    if (sink.fills_all)
        return std::max(sink.moved, capacity);
    const int64_t ahead =
        sink.frames + (sink.fills_ahead ? sink.count() : 1) - (takes_frame || sink.wanted ? 0 : 1);
    return std::max(sink.moved, std::min(ahead, capacity));
}

int64_t LocalTransfer::taken_by(const Flow &flow) const {
    return flow.sink->moved * flow.link.strips() + (flow.sink->moving ? flow.link.copied_strips() : 0);
}

int64_t LocalTransfer::dropped_with(const Flow &flow) const {
    const EndpointState &sink = *flow.sink;
    return (sink.fills_all ? sink.moved : sink.frames) * flow.link.strips();
}

int64_t LocalTransfer::needed_by(const Flow &flow) const {
    return (flow.sink->whole(flow.sink->frames) + 1) * flow.link.strips();
}

void LocalTransfer::check_insert() const {
    if (source_->destroyed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is destroyed", name_);
    if (source_->closed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is closed after {} frames", name_, source_->frames);
    check_pullers_and_receivers();
    if (source_->acquired == source_->frames)
        fail(DRI_ERR_STATE,
             "transfer '{}': the caller holds no buffer of the source: DRI_acquire gives the next one", name_);
}

// The next buffer is free once all sinks have taken the frame that it holds; those of this process take it as far
// as they have buffers for it. They must keep up even where they take nothing from this process's source: a source
// that waits for the sink of a process that waits for another one's would else wait in a ring. With the rule,
// every process that waits has taken more frames than the one that it waits for.
void LocalTransfer::check_acquire(const EndpointSet &endpoints, bool starts) const {
    if (source_->destroyed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is destroyed", name_);
    if (source_->closed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is closed after {} frames", name_, source_->frames);
    check_end_of_stream(source_->frames);
    const int64_t n = source_->count();
    const bool inserts = starts && !source_->started;
    if (source_->acquired - source_->frames - (inserts ? 1 : 0) >= n)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': the caller holds all {} buffers of the source, so none would become free; insert one "
             "first",
             name_, n);
    // A frame waits for the memory of its messages, too.
    const int64_t ahead = std::min(n - 1, source_->message_frames) + 1;
    const int64_t inserted = source_->frames + (inserts ? 1 : 0);
    for (const Flow &flow : flows_) {
        if (!flow.binds || flow.sink->destroyed)
            continue;
        const bool includes = endpoints.includes(flow);
        const int64_t taken =
            reach(flow, includes, includes && starts && !flow.sink->started) * flow.link.strips();
        if (ahead < n && taken < inserted + 1 - ahead)
            fail(DRI_ERR_DEADLOCK,
                 "transfer '{}': frame {} of the source would wait, because its workspace has room for the "
                 "messages of {} frames, until this process's own sink has taken frame {}; execute both ends by "
                 "name, or the sink first",
                 name_, inserted - 1, source_->message_frames, inserted - ahead);
        if (taken < source_->acquired + 1 - n)
            fail(DRI_ERR_DEADLOCK,
                 "transfer '{}': after frame {} no buffer of the source ({} in all) would be free before this "
                 "process's own sink has taken frame {}; execute both ends by name, or the sink first",
                 name_, source_->acquired - 1, n, source_->acquired - n);
        if (holds_buffer(flow))
            check_senders(flow);
    }
}

// A source without data has no pullers, and goes on for ever. One that had nothing for a frame may be behind
// pullers that have had all that they wanted.
void LocalTransfer::check_pullers_and_receivers() const {
    std::optional<Departure> left;
    bool taken = false;
    for (const Flow &flow : flows_) {
        const auto leaves = [&](const Departure &departure) {
            // Where it drops frames, the first process's word tells what is after the end.
            if (departure.ended && flow.drop.drops())
                taken = true;
            else if (!left || !left->ended)
                left = departure;
        };
        const int64_t frames = flow.drop.drops() ? flow.drop.kept() : source_->frames;
        if (const auto all = flow.link.all_receivers_left(); all && all->frames <= frames)
            leaves(*all);
        else
            taken = taken || flow.link.has_outflow();
        if (!flow.link.copies_own_part())
            continue;
        if (flow.sink->destroyed)
            leaves({flow.link.plan().rank, flow.sink->frames});
        else if (is_over(flow))
            leaves({flow.link.plan().rank, flow.sink->moved, true});
        else
            taken = true;
    }
    if (left && !taken && left->ended)
        check_end_of_stream(source_->frames + 1);
    if (left && !taken)
        fail(DRI_ERR_STATE,
             "transfer '{}': the source of process {} has nobody to hand frame {} to: all sinks that take from it "
             "are destroyed, that of process {} after {} frames",
             name_, flows_[0].link.plan().rank, source_->frames, left->peer, left->frames);
}

void LocalTransfer::throw_source_gone(const Departure &source, const Flow &flow) const {
    if (source.ended)
        throw_close_mismatch(source, flow.link.headers().first(), flow.sink->arrived());
    fail(DRI_ERR_STATE,
         "transfer '{}': the sink of process {} will never get frame {} whole: the source of process {} is "
         "destroyed after {} frames",
         name_, flow.link.plan().rank, flow.sink->arrived(), source.peer, source.frames);
}

void LocalTransfer::check_senders(const Flow &flow) const {
    const bool there = header_arrived(flow);
    if (there && source_ && source_->closed && flow.link.copies_own_part() && flow.sink->moved >= source_->frames)
        throw_source_gone({flow.link.plan().rank, source_->frames, source_->closed}, flow);
    if (const auto lost = flow.link.sender_left(flow.sink->moved, there))
        throw_source_gone(*lost, flow);
}

void LocalTransfer::check_sink(const Flow &flow, bool sources_to_come) const {
    const EndpointState &sink = *flow.sink;
    if (sink.arrived() > sink.frames)
        return;
    if (is_over(flow))
        return; // which check_over() tells, where the call waits
    const int64_t to_come = flow.link.has_own_part() ? flow.frames_to_come(*source_) : 0;
    if (flow.link.has_own_part() && source_->destroyed && needed_by(flow) > to_come)
        throw_source_gone({flow.link.plan().rank, source_->frames}, flow);
    check_senders(flow);
    check_to_come(flow, sources_to_come ? 1 : 0);
    if (!flow.link.has_own_part() || needed_by(flow) <= to_come + (sources_to_come ? 1 : 0))
        return;
    if (flow.link.strips() > 1)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': part of frame {} comes from this process's own source, which has handed over {} "
             "strips of the {} that the frame needs; execute the source first",
             name_, sink.frames, source_->frames, needed_by(flow));
    fail(DRI_ERR_DEADLOCK,
         "transfer '{}': part of frame {} comes from this process's own source, which has handed over {} "
         "frames; execute both ends by name, or the source first",
         name_, sink.frames, source_->frames);
}

void LocalTransfer::check_capacity(const Flow &flow, bool gives_back) const {
    const EndpointState &sink = *flow.sink;
    if (reach(flow, true, gives_back) > sink.whole(sink.frames) || (sink.moved == sink.frames && is_over(flow)))
        return;
    if (sink.strips > 1)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': the caller holds {} strips of the sink, so strip {} has nowhere to go: it comes when "
             "a whole store of {} is released",
             name_, sink.frames - sink.released, sink.frames, sink.strips);
    fail(DRI_ERR_DEADLOCK,
         "transfer '{}': the caller holds all {} buffers of the sink, so frame {} has nowhere to go; release "
         "one first",
         name_, sink.count(), sink.frames);
}

void LocalTransfer::check(const EndpointSet &endpoints, bool starts) const {
    const bool inserts = starts && endpoints.source && !source_->started;
    check_receivers(inserts);
    if (endpoints.sink && endpoints.sink->sink->destroyed)
        fail(DRI_ERR_STATE, "the sink of transfer '{}' is destroyed", name_);
    if (inserts)
        check_insert();
    if (endpoints.source)
        check_acquire(endpoints, starts);
    for (const Flow &flow : flows_) {
        if (!endpoints.includes(flow))
            continue;
        check_sink(flow, inserts);
        check_capacity(flow, starts && !flow.sink->started);
    }
}

// The user may do what he wants with his memory when his source is destroyed.
void LocalTransfer::wait_for_readers() {
    const auto until = Clock::now() + patience_;
    for (Backoff wait(transport_->crowded()); const auto peer = slowest_puller(source_->frames);) {
        if (pause(wait) && Clock::now() >= until)
            fail(DRI_ERR_TIMEOUT,
                 "transfer '{}': frames of the source lie in buffers of the user, and process {} has not taken "
                 "all {} of them in time",
                 name_, *peer, source_->frames);
    }
}

void LocalTransfer::close_file() {
    if (source_ && source_->shared)
        source_->shared->close_file();
}

// Where a frame failed, fewer than were handed over, and no end of them: a sink must not wait for messages that
// are not posted. Who goes after the first process's end has handed over all that there is.
void LocalTransfer::leave_source(Flow &flow, bool ended) {
    const bool moved_close = source_->moved > source_->frames;
    int64_t posted = source_->moved - (moved_close ? 1 : 0);
    if (flow.drop.drops()) // the frame under way may be decided upon already
        posted = flow.drop.kept() - (source_->moved < source_->frames && flow.link.has_to_send() ? 1 : 0);
    flow.link.leave_source(posted, moved_close || ended);
    flow.drop.leave_source();
}

void LocalTransfer::destroy_source() {
    CallGuard guard(*this);
    guard.report_failure();
    for (const Flow &flow : flows_)
        if (broken_.empty() && flow.sink && !flow.sink->destroyed && !flow.drop.drops() &&
            flow.link.has_own_part() && !is_over(flow) && dropped_with(flow) < source_->frames)
            fail(DRI_ERR_STATE,
                 "transfer '{}': frame {} of the source is handed over and waits for this process's sink", name_,
                 dropped_with(flow));
    if (broken_.empty())
        guard.run([&] {
            send_all(Clock::now() + patience_);
            check_end_of_stream(source_->frames);
        });
    if (source_->shared && source_->shared->any_elsewhere())
        wait_for_readers();
    source_->destroyed = true;
    source_->moving = false;
    const auto endpoint = known_close();
    const auto is_through = [&](int64_t frames) { return endpoint && endpoint->frames <= frames; };
    if (source_->shared)
        source_->shared->leave(source_->frames, source_->closed || is_through(source_->frames));
    source_->shared.reset();
    for (Flow &flow : flows_)
        leave_source(flow, is_through(source_->moved));
    source_->owned.clear();
    source_->shared_in_place.reset();
}

void LocalTransfer::destroy_sink(size_t i) {
    CallGuard guard(*this);
    guard.report_failure();
    EndpointState &sink = *flows_[i].sink;
    sink.destroyed = true;
    sink.moving = false;
    flows_[i].link.leave_sink(sink.whole(sink.frames));
    flows_[i].drop.leave_sink();
    sink.owned.clear();
    sink.shared_in_place.reset();
}

} // namespace dri
