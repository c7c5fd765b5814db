// Frame headers of a stream, its close and its end.
#include "exec/call_guard.hpp"
#include "transport/backoff.hpp"
#include "transport/departures.hpp"

#include <algorithm>

namespace dri::exec {

namespace {

int64_t nanoseconds_since_1970() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

} // namespace

// Completes the header of the frame that is handed over. The library sets the number, and the time if the caller
// gives none.
void LocalTransfer::set_header(const FrameHeader *given) {
    FrameHeader *const header = source_->header(source_->frames);
    if (!header)
        return;
    if (given)
        *header = *given;
    else
        header->bytes = 0;
    header->number = source_->frames;
    if (!given || given->time_ns == 0)
        header->time_ns = nanoseconds_since_1970();
}

// The frame after the last one is the close: it consists of a header only. With drops, the frame starts in this
// flow once there is a verdict.
void LocalTransfer::begin_flow(Flow &flow) {
    const bool closes = source_->moved == source_->frames;
    if (!flow.drop.drops())
        return flow.link.begin_source({source_->moved, closes, source_->window_offset(source_->moved)});
    flow.drop.begin(closes);
    take_verdict(flow);
}

// Takes up the verdict on the source's frame if there is one. Returns whether there was. The flow numbers kept
// frames on its own.
bool LocalTransfer::take_verdict(Flow &flow) {
    if (!flow.drop.has_to_decide())
        return false;
    const int64_t frame = flow.drop.kept();
    const auto goes = flow.drop.decide();
    if (const auto &closed = flow.drop.closed_before())
        throw_close_mismatch(*closed, flow.link.plan().rank, source_->moved);
    if (goes && *goes)
        flow.link.begin_source({frame, source_->moved == source_->frames, source_->window_offset(source_->moved)});
    return goes.has_value();
}

// Sends a report of a taken frame that found no free slot before.
bool LocalTransfer::send_drop_credits() {
    for (Flow &flow : flows_)
        if (flow.drop.has_to_send_credit() && flow.drop.send_credit())
            return true;
    return false;
}

bool LocalTransfer::send_header(Flow &flow) {
    if (!flow.link.headers().has_to_send())
        return false;
    const int64_t frame = source_->moved;
    if (frame < source_->frames)
        return flow.link.headers().send(*source_->header(frame));
    FrameHeader closing;
    closing.number = frame;
    closing.closes = 1;
    return flow.link.headers().send(closing);
}

bool LocalTransfer::take_headers() {
    for (Flow &flow : flows_)
        if (flow.sink && flow.sink->moving && flow.link.headers().has_to_receive() &&
            flow.link.headers().receive(*flow.sink->header(flow.sink->moved))) {
            note_header(flow);
            return true;
        }
    return false;
}

// A header shows how many frames were dropped before its frame: the source's number minus the sink's own. The
// header of a close ends the flow for this sink at once.
void LocalTransfer::note_header(Flow &flow) {
    EndpointState &sink = *flow.sink;
    const FrameHeader *const header = sink.header(sink.moved);
    if (!header || flow.link.headers().has_to_receive())
        return;
    sink.dropped.publish(header->number - sink.moved);
    if (header->closes)
        flow.link.report_end_of_stream(sink.moved);
}

// Whether the header that follows the whole frames is that of the close.
bool LocalTransfer::is_over(const Flow &flow) const {
    if (!features_.headers)
        return false;
    const FrameHeader *const header = flow.sink->header(flow.sink->moved);
    return header && header->closes;
}

// Throws if the call waits for a frame that does not exist: after the end, or because only this caller could send
// it.
void LocalTransfer::throw_if_over(const EndpointSet &endpoints) const {
    for (const Flow &flow : flows_) {
        if (!needs(endpoints, flow))
            continue;
        const int64_t frames = flow.sink->moved;
        if (is_over(flow) && endpoints.source)
            check_same_close(source_->frames);
        if (is_over(flow))
            fail(DRI_END_OF_STREAM, "transfer '{}': the source has closed the stream after {} frames", name_,
                 flow.sink->header(frames)->number);
        check_to_come(flow, 0);
    }
}

// Refuses a sink that drops frames if all frames of its own process's source are taken or dropped. Such a sink
// holds up no source. Waits check it again, because a drop during the wait can remove the frame that was to come.
void LocalTransfer::check_to_come(const Flow &flow, int64_t more) const {
    if (flow.drop.drops() && flow.link.shape().own_part &&
        flow.sink->moved >= flow.frames_to_come(*source_) + more)
        fail(DRI_ERR_DEADLOCK,
             "transfer '{}': the sink drops frames and has all {} that this process's own source has handed over "
             "and did not drop; a further frame needs a call of that source by its handle",
             name_, flow.sink->moved);
}

// Whether a header proves that the sink's next frame exists.
bool LocalTransfer::header_arrived(const Flow &flow) const {
    return features_.headers && flow.sink->moving && !flow.link.headers().has_to_receive() && !is_over(flow);
}

// closed: the process that closed, and after how many frames. other: a process that has handed over, or is about
// to hand over, that frame.
void LocalTransfer::throw_close_mismatch(const transport::Departure &closed, int other, int64_t frame) const {
    fail(DRI_ERR_MISMATCH,
         "transfer '{}': processes of the source differ about the end of the stream: process {} has closed it "
         "after {} frames, process {} goes on with frame {}",
         name_, closed.peer, closed.frames, other, frame);
}

// The close that this process knows of. A sink reaches the end after the frames of the source's first process, and
// its departure reports that. With drops, the first process itself reports the end to the other processes of the
// source.
std::optional<transport::Departure> LocalTransfer::known_close() const {
    for (const Flow &flow : flows_) {
        const int first = flow.link.headers().first();
        if (flow.drop.closed_before())
            return flow.drop.closed_before();
        if (flow.drop.drops())
            continue;
        if (flow.sink && is_over(flow))
            return transport::Departure{first, flow.sink->moved};
        if (const auto closed = flow.link.receiver_at_end())
            return transport::Departure{first, closed->frames};
    }
    return std::nullopt;
}

// Throws if this process and the one that closed the stream disagree about its end: the source has more frames
// than the close allows. frames: those handed over, or about to be.
void LocalTransfer::check_same_close(int64_t frames) const {
    if (!source_->stream)
        return;
    if (const auto closed = known_close(); closed && closed->frames < frames)
        throw_close_mismatch(*closed, flows_.front().link.plan().rank, closed->frames);
}

// If processes of the source disagree about the end, the source breaks its transfer. The sinks of this process
// then take no more frames, so other sources that go on must not wait for them.
void LocalTransfer::break_with(const Error &error) {
    broken_ = error.what();
    if (error.code() != DRI_ERR_MISMATCH || !source_)
        return;
    const auto closed = known_close();
    for (Flow &flow : flows_)
        if (closed && flow.sink && !flow.sink->destroyed && !flow.drop.drops() && !is_over(flow))
            try {
                flow.link.report_end_of_stream(closed->frames);
            } catch (const std::exception &) { // a peer without this report learns it when the sink is destroyed
            }
}

void LocalTransfer::check_same_close(const EndpointSet &endpoints) const {
    if (endpoints.source)
        check_same_close(source_->frames);
}

// Does not wait. The close moves like a frame: later calls or the progress thread take the steps that are not
// possible now.
void LocalTransfer::close_source() {
    CallGuard guard(*this);
    guard.check_whole();
    if (source_->destroyed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is destroyed", name_);
    if (!source_->stream)
        fail(DRI_ERR_STATE, "transfer '{}' is not a stream; set DRI_ATTR_STREAM before the commit", name_);
    if (source_->closed)
        fail(DRI_ERR_STATE, "the source of transfer '{}' is closed already", name_);
    guard.check([&] { check_same_close(source_->frames); });
    source_->closed = true;
    source_->started = false;
    if (source_->shared)
        source_->shared->leave(source_->frames, transport::complete_if(source_->closed));
    guard.run([&] {
        begin_moves();
        run_steps();
    });
}

} // namespace dri::exec
