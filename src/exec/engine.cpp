// The steps of frames, and the order in which they are taken.
#include "exec/engine.hpp"

#include "exec/window.hpp"
#include "flow/ledger.hpp"
#include "flow/refusal.hpp"

#include <algorithm>

namespace dri::exec {

namespace {

// The frame that the source posts next. The frame after the last one is the close: it consists of a header only.
FrameToSend next_frame(const TransferParts &parts, int64_t number_in_flow) {
    const flow::SourceLedger &source = *parts.ledgers.source;
    const int64_t frame = source.posted().count;
    return {.number = number_in_flow,
            .closes = source.next_is_close(),
            .origin = parts.source->origin(frame),
            .offset = parts.source->window_offset(frame)};
}

// The number of the frame that the source posts next, in a flow that drops none. The close has the source's.
int64_t number_in(const Flow &flow, const flow::SourceLedger &source) {
    return flow.pattern().skips() && !source.next_is_close() ? flow.pattern().arrays_in(source.posted()).count
                                                             : source.posted().count;
}

} // namespace

// With drops, the frame starts in this flow once there is a verdict. A frame that the sink does not take never
// starts.
void Engine::begin_flow(Flow &flow) {
    const flow::SourceLedger &source = *parts_.ledgers.source;
    if (parts_.features.skips && !source.next_is_close() && !flow.pattern().takes(source.posted()))
        return;
    if (!flow.drop.drops())
        return flow.link.begin_source(next_frame(parts_, number_in(flow, source)));
    flow.ledger->drop.begin(parts_.ledgers.source->next_is_close());
    take_verdict(flow);
}

// Takes up the verdict on the source's frame if there is one. Returns whether there was. The flow numbers kept
// frames on its own.
bool Engine::take_verdict(Flow &flow) {
    flow::DropLedger &drop = flow.ledger->drop;
    if (!drop.undecided())
        return false;
    const flow::FlowFrames kept = drop.kept();
    const auto decision = flow.drop.decide(drop, parts_.ledgers.source->posted());
    if (const auto &closed = drop.closed_before())
        parts_.refuse(flow::Refusal{.reason = flow::Reason::close_mismatch,
                                    .peer = closed->peer,
                                    .other = parts_.ledgers.rank,
                                    .frame = parts_.ledgers.source->posted().count,
                                    .peer_frame = closed->frames.count});
    if (decision == flow::DropVerdict::keep)
        flow.link.begin_source(next_frame(parts_, kept.count));
    return decision.has_value();
}

// Sends a report of a taken frame that found no free slot before.
bool Engine::send_drop_credits() {
    for (Flow &flow : parts_.flows)
        if (flow.drop.has_to_send_credit() && flow.drop.send_credit())
            return true;
    return false;
}

bool Engine::send_header(Flow &flow) {
    if (!flow.link.headers().has_to_send())
        return false;
    const int64_t frame = parts_.ledgers.source->posted().count;
    if (!parts_.ledgers.source->next_is_close())
        return flow.link.headers().send(*parts_.source->header(frame));
    FrameHeader closing;
    closing.number = frame;
    closing.closes = 1;
    return flow.link.headers().send(closing);
}

bool Engine::take_headers() {
    for (Flow &flow : parts_.flows)
        if (flow.moves() && flow.link.headers().has_to_receive() && flow.link.headers().receive(*flow.header())) {
            note_header(flow);
            return true;
        }
    return false;
}

// The header of a close ends the flow for this sink at once.
void Engine::note_header(Flow &flow) {
    const FrameHeader *const header = flow.header();
    if (!header || flow.link.headers().has_to_receive())
        return;
    flow.ledger->take_header({header->number}, header->closes != 0);
    if (flow.ledger->sink->over())
        flow.link.report_end_of_stream(flow.ledger->frames_at_end().count);
}

// Starts the next frame of each sink that has a free buffer, and posts its receives. One frame of the source and
// one of each sink move at a time.
void Engine::begin_sinks() {
    for (Flow &flow : parts_.flows) {
        if (!flow.ledger->has_sink())
            continue;
        flow::SinkLedger &sink = *flow.ledger->sink;
        if (sink.moving() || sink.whole() >= sink.reach())
            continue;
        if (flow.link.shape().in_place && !parts_.ledgers.source->has_begun(sink.whole()))
            continue; // the sink's frame starts after the source's, which is in the same buffer
        if (flow.sink->rebinding)
            flow.sink->buffers[0] = flow.sink->rebinding->begin_frame();
        flow.link.begin_sink(flow.sink->buffer(sink.arrived().count), flow.sink->next_offset.bytes);
        sink.begin_frame();
        if (parts_.features.strips)
            sink.copy_strips(flow.link.own().copied_strips());
    }
}

// Without messages the frame is done at once: sinks copy or pull it from its buffer.
void Engine::begin_post() {
    flow::SourceLedger &source = *parts_.ledgers.source;
    if (!parts_.features.messages) {
        source.post_all(); // sinks take the frame themselves
        if (parts_.features.in_place)
            begin_sinks();
        return;
    }
    for (Flow &flow : parts_.flows)
        begin_flow(flow);
    source.begin_post();
    if (parts_.features.in_place)
        begin_sinks();                // posts the receives
    for (Flow &flow : parts_.flows) { // other processes wait for this
        if (parts_.features.headers)
            send_header(flow);
        while (flow.link.post_next(SendAhead::few) && flow.link.sends().next_is_quick())
            continue;
    }
}

void Engine::begin_moves() {
    begin_sinks();
    begin_source();
}

bool Engine::finish_moves() {
    bool any = false;
    for (Flow &flow : parts_.flows) {
        if (!flow.moves() || flow.link.left(Of::sink))
            continue;
        if (flow.ledger->sink->over())
            continue; // only the header of the close has arrived
        if (parts_.features.windows && flow.link.offset_mismatch())
            throw_offset_mismatch(flow);
        flow.ledger->sink->finish_frame();
        flow.drop.count_received();
        any = true;
    }
    if (!parts_.source || !parts_.ledgers.source->posting() ||
        std::any_of(parts_.flows.begin(), parts_.flows.end(),
                    [](Flow &flow) { return flow.ledger->drop.undecided() || flow.link.left(Of::source); }))
        return any;
    parts_.ledgers.source->finish_post();
    return true;
}

bool Engine::unpack_arrived(Senders senders) {
    for (Flow &flow : parts_.flows)
        if (flow.link.shape().few_senders == (senders == Senders::few) && flow.moves() && flow.link.unpack_next())
            return true;
    return false;
}

// A header that found no slot, or a frame without a verdict, is tried again just before packing.
bool Engine::post_next(SendAhead ahead) {
    for (Flow &flow : parts_.flows)
        if ((parts_.features.drops && take_verdict(flow)) || (parts_.features.headers && send_header(flow)) ||
            flow.link.post_next(ahead))
            return true;
    return false;
}

// The own part of a flow. The source's frame must be there. In place the received pieces follow, which need none.
bool Engine::copy_own(Flow &flow) {
    if (!flow.link.own().left())
        return flow.link.copy_next(nullptr, nullptr);
    if (!parts_.source)
        return false;
    const flow::SourceFrames first = flow.pattern().first(flow.ledger->sink->whole());
    const flow::SourceFrames frame = first + flow.link.own().next_strip();
    if (frame >= parts_.ledgers.source->inserted())
        return false;
    const SourceEnd &source = *parts_.source;
    if (!flow.link.copy_next(source.origin(frame.count), source.window_offset(frame.count)))
        return false;
    if (parts_.features.strips)
        flow.ledger->sink->copy_strips(flow.link.own().copied_strips());
    return true;
}

bool Engine::copy_own() {
    for (Flow &flow : parts_.flows)
        if (flow.moves() &&
            (flow.link.fill_next() || ((flow.link.own().left() || flow.link.shape().in_place) && copy_own(flow))))
            return true;
    return false;
}

bool Engine::pull_ready() {
    for (Flow &flow : parts_.flows)
        if (flow.moves() && flow.link.pull_next(flow.ledger->sink->whole().count))
            return true;
    return false;
}

// Takes one step. The order is:
// 1. Credits and headers, which other processes wait for. Then what has arrived is unpacked, while it is in cache,
//    and packed until a few messages are under way.
// 2. Pads, the own part and pulls, which need no messages.
// 3. Only then are many senders polled, which costs time, and messages packed ahead of what the receivers take.
bool Engine::run_step() {
    const FrameFeatures &features = parts_.features;
    if (!features.messages)
        return copy_own() || (features.pulls && pull_ready());
    const bool posting = parts_.source && parts_.ledgers.source->posting();
    return (features.drops && send_drop_credits()) || (features.headers && take_headers()) ||
           (features.few_senders && unpack_arrived(Senders::few)) || (posting && post_next(SendAhead::few)) ||
           copy_own() || (features.pulls && pull_ready()) ||
           (features.many_senders && unpack_arrived(Senders::many)) || (posting && post_next(SendAhead::all));
}

bool Engine::is_idle() const {
    return !(parts_.source && parts_.ledgers.source->posting()) &&
           std::none_of(parts_.flows.begin(), parts_.flows.end(), [](const Flow &flow) { return flow.moves(); });
}

bool Engine::take_step() {
    if (run_step())
        return true;
    if (!finish_moves())
        return false;
    begin_moves();
    return true;
}

void Engine::run_steps() {
    while (take_step())
        continue;
}

bool Engine::stays_to_send() {
    return std::any_of(parts_.flows.begin(), parts_.flows.end(),
                       [](Flow &flow) { return flow.link.sends().stays_to_send(); });
}

bool Engine::sends_done(Receivers which) {
    bool done = true;
    for (Flow &flow : parts_.flows)
        done = ((flow.drop.drops() && which == Receivers::holding) || flow.link.sends().done()) && done;
    return done;
}

void Engine::throw_offset_mismatch(const Flow &flow) const {
    const OffsetMismatch &mismatch = *flow.link.offset_mismatch();
    flow::refuse({.reason = flow::Reason::offset_mismatch,
                  .peer = mismatch.first,
                  .other = mismatch.second,
                  .frame = flow.ledger->number_of(flow.ledger->sink->arrived())},
                 parts_.caller(), {offset_text(mismatch.first_offset), offset_text(mismatch.second_offset)});
}

} // namespace dri::exec
