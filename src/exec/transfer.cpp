// Decides whether a call may start, how far a sink is filled ahead, and how an endpoint is destroyed.
#include "exec/transfer.hpp"

#include "exec/call_guard.hpp"

#include <algorithm>

namespace dri::exec {

bool EndpointSet::includes(const Flow &flow) const {
    if (!flow.sink || flow.sink->destroyed)
        return false;
    return sink == &flow || (all_sinks && (!started_only || flow.sink->started));
}

namespace {

FrameFeatures features_of(const std::optional<EndpointState> &source, const std::vector<Flow> &flows) {
    FrameFeatures features;
    const auto add = [&](const EndpointState &state) {
        features.threads = features.threads || state.has_thread;
        features.timeouts = features.timeouts || state.timeout.count() > 0;
    };
    if (source)
        add(*source);
    for (const Flow &flow : flows) {
        if (flow.sink)
            add(*flow.sink);
        features.drops = features.drops || flow.drop.drops();
        features.headers = features.headers || flow.link.headers().sends() || flow.link.headers().receives();
        features.in_place = features.in_place || flow.link.shape().in_place;
        features.windows = features.windows || flow.link.plan().note_bytes > 0;
        features.messages = features.messages || flow.drop.drops() || flow.link.shape().has_messages;
        features.data_sent = features.data_sent || flow.link.shape().sends_data;
    }
    return features;
}

} // namespace

LocalTransfer::LocalTransfer(std::string name, std::optional<EndpointState> source, std::vector<Flow> flows,
                             std::shared_ptr<transport::Transport> transport, std::chrono::nanoseconds patience)
    : name_(std::move(name)), source_(std::move(source)), flows_(std::move(flows)),
      transport_(std::move(transport)), patience_(patience), features_(features_of(source_, flows_)) {
    // A source that sends to other processes waits for their sinks. Frames of those sinks may in turn need sinks
    // of this process to go on, even ones that take nothing from this source.
    const bool waits = std::any_of(flows_.begin(), flows_.end(), [](const Flow &flow) {
        return !flow.drop.drops() && flow.link.shape().has_outflow;
    });
    for (Flow &flow : flows_) {
        if (source_)
            source_->workspace_bytes += flow.link.bytes(Of::source) + flow.drop.bytes(Of::source);
        if (flow.sink)
            flow.sink->workspace_bytes += flow.link.bytes(Of::sink) + flow.drop.bytes(Of::sink);
        flow.binds = source_ && flow.sink && !flow.drop.drops() &&
                     (flow.link.shape().own_part || (waits && flow.link.shape().has_inflow));
    }
}

bool LocalTransfer::in_strips() const {
    return std::any_of(flows_.begin(), flows_.end(), [](const Flow &flow) {
        return flow.link.shape().strips > 1 || (flow.sink && flow.sink->strips > 1);
    });
}

// A sink is filled ahead of its caller in all buffers except one. That last one is filled while the caller waits
// for a frame. Buffers of the user (fills_ahead is false) are filled only during such a wait, because the caller
// may use them elsewhere at other times. A sink with fills_all is filled as far as its buffers reach.
int64_t LocalTransfer::reach(const Flow &flow, bool takes_frame, bool gives_back) const {
    const EndpointState &sink = *flow.sink;
    const int64_t released = sink.released + (gives_back && sink.frames > sink.released ? 1 : 0);
    const int64_t free_until = sink.whole(released + sink.count());
    if (sink.fills_all)
        return std::max(sink.moved, free_until);
    const int64_t ahead =
        sink.frames + (sink.fills_ahead ? sink.count() : 1) - (takes_frame || sink.wanted ? 0 : 1);
    return std::max(sink.moved, std::min(ahead, free_until));
}

int64_t LocalTransfer::taken_by(const Flow &flow) const {
    return flow.sink->moved * flow.link.shape().strips + (flow.sink->moving ? flow.link.own().copied_strips() : 0);
}

int64_t LocalTransfer::dropped_with(const Flow &flow) const {
    const EndpointState &sink = *flow.sink;
    return (sink.fills_all ? sink.moved : sink.frames.own()) * flow.link.shape().strips;
}

int64_t LocalTransfer::needed_by(const Flow &flow) const {
    return (flow.sink->whole(flow.sink->frames) + 1) * flow.link.shape().strips;
}

// Refuses to insert if nobody could ever take the frame, or if the caller has no buffer to hand over.
void LocalTransfer::check_insert() const {
    if (source_->destroyed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is destroyed", name_);
    if (source_->closed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is closed after {} frames", name_, source_->frames);
    check_pullers_and_receivers();
    if (source_->acquired == source_->frames)
        fail(DRI_ERR_STATE,
             "transfer '{}': the caller holds no buffer of the source; DRI_acquire gives the next one", name_);
}

// Refuses a wait for a buffer that only this process could end. The next buffer is free once all sinks have taken
// the frame that it holds. The sinks of this process take that frame as far as they have buffers for it (reach).
// They must keep up even if they take nothing from this process's source. Otherwise sources could wait in a ring:
// each waits for a sink whose process waits for the next one. Take the lowest frame that some sink process has not
// taken: all sinks have taken all frames below it. With this rule some process can always go on with that frame.
// docs/flow_control.md has the whole argument.
void LocalTransfer::check_acquire(const EndpointSet &endpoints, bool starts) const {
    if (source_->destroyed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is destroyed", name_);
    if (source_->closed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is closed after {} frames", name_, source_->frames);
    check_same_close(source_->frames);
    const int64_t n = source_->count();
    const bool inserts = starts && !source_->started;
    if (source_->acquired - source_->frames - (inserts ? 1 : 0) >= n)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': the caller holds all {} buffers of the source, so no buffer can become free; insert "
             "one first",
             name_, n);
    // A frame also waits for staging for its messages, so the staging limits how far the source may be ahead.
    const int64_t ahead = std::min(n - 1, source_->message_frames) + 1;
    const int64_t inserted = source_->frames + (inserts ? 1 : 0);
    for (const Flow &flow : flows_) {
        if (!flow.binds || flow.sink->destroyed)
            continue;
        const bool included = endpoints.includes(flow);
        const int64_t taken =
            reach(flow, included, included && starts && !flow.sink->started) * flow.link.shape().strips;
        if (ahead < n && taken < inserted + 1 - ahead)
            fail(
                DRI_ERR_DEADLOCK,
                "transfer '{}': frame {} of the source would wait: its workspace holds the messages of {} frames, "
                "and this process's own sink has not taken frame {}; {}",
                name_, inserted - 1, source_->message_frames, inserted - ahead,
                remedy(flow, "raise the source's workspace limit"));
        if (taken < source_->acquired + 1 - n)
            fail(DRI_ERR_DEADLOCK,
                 "transfer '{}': after frame {} no buffer of the source ({} in all) would be free before this "
                 "process's own sink has taken frame {}; {}",
                 name_, source_->acquired - 1, n, source_->acquired - n,
                 remedy(flow, "give the source another buffer"));
        if (holds_buffer(flow))
            check_senders(flow);
    }
}

// What the caller can do if a source would wait for the process's own sink. The sink alone is advised only if the
// source has handed over all that its next frame needs: otherwise the sink would in turn wait for the source.
// A call by name moves one frame of each endpoint, which does not suit strips of different lengths.
std::string LocalTransfer::remedy(const Flow &flow, const char *more) const {
    const bool sink_can_start = needed_by(flow) <= flow.frames_to_come(*source_);
    if (flow.link.shape().strips > 1 || flow.sink->strips > 1)
        return sink_can_start ? "execute the sink first"
                              : "release the frames of the sink and start it first (DRI_start)";
    return fmt::format("execute both endpoints by name, or {}", sink_can_start ? "the sink first" : more);
}

// Throws if no process is left to take the source's next frame. A source whose part is empty has no pullers and no
// receivers; it may insert for ever. The source may still insert frames that departed pullers had already taken.
void LocalTransfer::check_pullers_and_receivers() const {
    std::optional<transport::Departure> left;
    bool taken = false;
    for (const Flow &flow : flows_) {
        const auto leaves = [&](const transport::Departure &departure) {
            // With dropped frames, the verdict of the source's first process reports frames after the end.
            if (departure.complete() && flow.drop.drops())
                taken = true;
            else if (!left || !left->complete())
                left = departure;
        };
        const int64_t frames = flow.drop.drops() ? flow.drop.kept() : source_->frames.own();
        if (const auto all = flow.link.all_receivers_left(); all && all->frames <= frames)
            leaves(*all);
        else
            taken = taken || flow.link.shape().has_outflow;
        if (!flow.link.shape().copies_own)
            continue;
        if (flow.sink->destroyed)
            leaves({flow.link.plan().rank, flow.sink->frames});
        else if (is_over(flow))
            leaves({flow.link.plan().rank, flow.sink->moved, transport::Leave::complete});
        else
            taken = true;
    }
    if (left && !taken && left->complete())
        check_same_close(source_->frames + 1);
    if (left && !taken)
        fail(DRI_ERR_STATE,
             "transfer '{}': the source of process {} has no sink left for frame {}: all sinks that take from it "
             "are destroyed, that of process {} after {} frames",
             name_, flows_[0].link.plan().rank, source_->frames, left->peer, left->frames);
}

// source: the process that has left, with the frames of the source that it handed over.
void LocalTransfer::throw_source_gone(const transport::Departure &source, const Flow &flow) const {
    if (source.complete())
        throw_close_mismatch(source, flow.link.headers().first(), flow.sink->arrived());
    fail(DRI_ERR_STATE,
         "transfer '{}': the sink of process {} will never receive all of frame {}: the source of process {} is "
         "destroyed after {} frames",
         name_, flow.link.plan().rank, flow.sink->arrived(), source.peer, source.frames);
}

// Throws if a process has left that the sink's next frame needs. A source that closed earlier counts only once the
// header of the frame has arrived: the header proves that the frame exists.
void LocalTransfer::check_senders(const Flow &flow) const {
    const bool there = header_arrived(flow);
    if (there && source_ && source_->closed && flow.link.shape().copies_own && flow.sink->moved >= source_->frames)
        throw_source_gone({flow.link.plan().rank, source_->frames, transport::Leave::complete}, flow);
    if (const auto lost = flow.link.sender_left(flow.sink->moved, there))
        throw_source_gone(*lost, flow);
}

// Refuses a wait for a frame that needs this process's own source. sources_to_come: the same call inserts a frame.
void LocalTransfer::check_sink(const Flow &flow, bool sources_to_come) const {
    const EndpointState &sink = *flow.sink;
    if (sink.arrived() > sink.frames)
        return;
    if (is_over(flow))
        return; // throw_if_over() reports the end if the call waits
    const int64_t to_come = flow.link.shape().own_part ? flow.frames_to_come(*source_) : 0;
    if (flow.link.shape().own_part && source_->destroyed && needed_by(flow) > to_come)
        throw_source_gone({flow.link.plan().rank, source_->frames}, flow);
    check_senders(flow);
    check_to_come(flow, sources_to_come ? 1 : 0);
    if (!flow.link.shape().own_part || needed_by(flow) <= to_come + (sources_to_come ? 1 : 0))
        return;
    if (flow.link.shape().strips > 1)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': part of frame {} comes from this process's own source, which has handed over {} "
             "strips of the {} that the frame needs; execute the source first",
             name_, sink.frames, source_->frames, needed_by(flow));
    fail(DRI_ERR_DEADLOCK,
         "transfer '{}': part of frame {} comes from this process's own source, which has handed over {} frames; "
         "execute both endpoints by name, or the source first",
         name_, sink.frames, source_->frames);
}

// Refuses a wait for a frame that has no free buffer, because only the caller can release one.
void LocalTransfer::check_capacity(const Flow &flow, bool gives_back) const {
    const EndpointState &sink = *flow.sink;
    if (reach(flow, true, gives_back) > sink.whole(sink.frames) || (sink.moved == sink.frames && is_over(flow)))
        return;
    if (sink.strips > 1)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': the caller holds {} strips of the sink, so there is no memory for strip {}; it can "
             "arrive after a whole store of {} strips is released",
             name_, sink.frames - sink.released, sink.frames, sink.strips);
    fail(DRI_ERR_DEADLOCK,
         "transfer '{}': the caller holds all {} buffers of the sink, so there is no buffer for frame {}; release "
         "one first",
         name_, sink.count(), sink.frames);
}

// All refusals of a call with a second half. Nothing has been done when one of them throws.
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

// The user may do anything with the buffers once the source is destroyed, so no process may still read them.
void LocalTransfer::wait_for_readers() {
    const auto until = transport::Clock::now() + patience_;
    for (transport::Backoff wait(transport_->crowded()); const auto peer = lagging_puller(source_->frames);) {
        if (pause(wait) && transport::Clock::now() >= until)
            fail(DRI_ERR_TIMEOUT,
                 "transfer '{}': frames of the source are in buffers of the user, and process {} has not taken "
                 "all {} of them in time",
                 name_, *peer, source_->frames);
    }
}

void LocalTransfer::close_file() {
    if (source_ && source_->shared)
        source_->shared->close_file();
}

// Reports how many frames were posted to one sink side. If a frame failed, these are fewer than were handed over,
// and the end of the stream is not reported: a sink must not wait for messages that are never posted. A process
// that leaves after the first process's close has handed over all frames that exist.
void LocalTransfer::leave_source(Flow &flow, bool ended) {
    const bool moved_close = source_->moved > source_->frames;
    int64_t posted = source_->moved - (moved_close ? 1 : 0);
    if (flow.drop.drops()) // the verdict on the frame under way may exist already
        posted = flow.drop.kept() - (source_->moved < source_->frames && flow.link.left(Of::source) ? 1 : 0);
    flow.link.leave_source(posted, transport::complete_if(moved_close || ended));
    flow.drop.leave_source();
}

// Checks what can fail before anything is marked: a frame for this process's own sink would be lost, messages
// cannot leave, or pullers still read the user's buffers. Then all peers are notified and the memory is freed.
void LocalTransfer::destroy_source() {
    CallGuard guard(*this);
    guard.report_failure();
    for (const Flow &flow : flows_)
        if (broken_.empty() && flow.sink && !flow.sink->destroyed && !flow.drop.drops() &&
            flow.link.shape().own_part && !is_over(flow) && dropped_with(flow) < source_->frames)
            fail(DRI_ERR_STATE,
                 "transfer '{}': frame {} of the source is handed over and waits for this process's sink", name_,
                 dropped_with(flow));
    if (broken_.empty())
        guard.run([&] {
            send_all(transport::Clock::now() + patience_);
            check_same_close(source_->frames);
        });
    if (source_->shared && source_->shared->any_elsewhere())
        wait_for_readers();
    source_->destroyed = true;
    source_->moving = false;
    const auto passed = [close = known_close()](int64_t frames) { return close && close->frames <= frames; };
    const bool all_passed = source_->closed || passed(source_->frames);
    if (source_->shared)
        source_->shared->leave(source_->frames, transport::complete_if(all_passed));
    source_->shared.reset();
    for (Flow &flow : flows_)
        leave_source(flow, passed(source_->moved));
    source_->owned.clear();
    source_->shared_in_place.reset();
}

// Nothing is waited for: frames under way to a destroyed sink are discarded.
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

} // namespace dri::exec
