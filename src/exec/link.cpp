// Makes the lanes of a link, and hands each step and each question to the lanes that it concerns.
#include "exec/link.hpp"

#include <algorithm>
#include <utility>

namespace dri::exec {

Link::Link(LinkSpec spec, KernelChooser &chooser, transport::Transport &transport)
    : plan_(std::move(spec.plan)), headers_(std::move(spec.headers)), pads_(plan_) {
    const int64_t strips = plan::count_strips(*plan_);
    const flow::SourcePattern pattern =
        strips > 1 ? flow::SourcePattern::strips(strips) : flow::SourcePattern::every(spec.every, spec.phase);
    departures_ = spec.drops ? flow::SourcePattern{} : pattern;
    const LinkContext context{plan_, spec.teams, spec.first, chooser.chooser_, transport, spec.tag};
    pulls_ = PullLane(context, departures_, std::move(spec.direct.views), spec.direct.tile_bytes);
    pullers_ = Pullers(plan_, std::move(spec.direct.source), spec.direct.first_puller);
    sends_ = SendLane(context, spec.layout.sends);
    receives_ = ReceiveLane(context, spec.layout.receives);
    own_ = SelfLane(context);
    if (plan_->in_place)
        in_place_ = InPlaceLane(plan_, spec.layout.sends);
    const bool to_itself = std::any_of(plan_->receives.begin(), plan_->receives.end(),
                                       [&](const plan::Message &m) { return m.peer == plan_->rank; });
    shape_ = {.pattern = pattern,
              .in_place = in_place_.any(),
              .own_part = !plan_->self.empty() || to_itself || headers_.has_own(),
              .copies_own = own_.any(),
              .has_outflow = sends_.any() || pullers_.any() || headers_.sends(),
              .has_inflow = receives_.any() || !plan_->pulls.empty() || headers_.receives(),
              .has_messages = sends_.any() || receives_.any() || headers_.sends() || headers_.receives(),
              .sends_data = sends_.any() || receives_.any(),
              .receives_data = receives_.any(),
              .few_senders = receives_.has_few_senders()};
}

std::string Link::explain(Of of) const {
    if (of == Of::source)
        return own_.explain() + in_place_.explain() + pullers_.explain() + sends_.explain();
    return own_.explain() + pads_.explain() + pulls_.explain() + receives_.explain();
}

void Link::begin_source(const FrameToSend &frame) {
    headers_.begin_source(frame.number, frame.closes);
    moving_.source = frame.origin;
    in_place_.begin(frame);
    sends_.begin(frame);
}

void Link::begin_sink(std::byte *buffer, int64_t shift) {
    moving_.sink = buffer + shift;
    moving_.pads = buffer;
    if (plan_->note_bytes)
        consensus_.begin();
    own_.begin();
    pads_.begin();
    pulls_.begin();
    in_place_.begin();
    headers_.begin_sink();
    receives_.set_origin(moving_.sink);
    receives_.begin();
}

bool Link::unpack_next() {
    return shape_.in_place ? in_place_.unpack_next(receives_, sends_, moving_.sink)
                           : receives_.unpack_next(moving_.sink, consensus_);
}

bool Link::post_next(SendAhead ahead) {
    if (!shape_.in_place)
        return sends_.post_next(moving_.source, ahead);
    if (sends_.left())
        return in_place_.post_next(sends_, moving_.source, ahead);
    return sends_.holds_buffer() && !receives_.left() && sends_.lets_go(); // looks for messages move sends, too
}

bool Link::fill_pad() { return !(shape_.in_place && sends_.left()) && pads_.fill_next(moving_.pads); }

// The offset is observed once, before the first copy of the frame.
bool Link::copy_next(const std::byte *source, const WindowOffset *offset) {
    if (shape_.in_place && !own_.left())
        return in_place_.scatter(sends_, receives_, moving_.sink);
    if (offset && own_.at_begin())
        consensus_.observe(plan_->rank, offset->offset);
    return own_.copy_next(source, moving_.sink);
}

bool Link::left(Of of) {
    if (of == Of::source)
        return headers_.has_to_send() || sends_.left() || sends_.holds_buffer();
    return pads_.left() || own_.left() || pulls_.left() || receives_.left() || in_place_.left() ||
           headers_.has_to_receive();
}

// A blocked header is reported before blocked messages.
std::optional<BlockingReceiver> Link::blocking_receiver(const Among &among) const {
    const auto of_header = headers_.blocking_receiver();
    auto blocking =
        of_header ? std::optional(BlockingReceiver{*of_header, headers_.slots()}) : sends_.blocking_receiver();
    if (!blocking || among(blocking->peer))
        return blocking;
    const auto by_header = headers_.receiver(among);
    const auto other = by_header ? by_header : sends_.receiver(among);
    if (!other)
        return std::nullopt;
    blocking->peer = *other;
    return blocking;
}

std::optional<int> Link::pending_sender(const Among &among) const {
    if (const auto peer = shape_.in_place ? in_place_.pending(receives_, among) : receives_.pending(among))
        return peer;
    return headers_.has_to_receive() && among(headers_.first()) ? std::optional(headers_.first()) : std::nullopt;
}

// One exchange polls for all exchanges of the transport.
bool Link::poll_departures(transport::Look look) {
    if (receives_.any())
        receives_.poll_departures(look);
    else if (sends_.any())
        sends_.poll_departures(look);
    else
        return headers_.poll_departures(look);
    return true;
}

// Headers are sent to all processes of the sink, even those that take nothing else, so they alone count if there
// are any. Otherwise the last of the pullers and receivers counts. Almost always the first puller is still there.
std::optional<transport::Departure> Link::all_receivers_left() const {
    if (headers_.sends())
        return headers_.all_receivers_left();
    if (pullers_.first_is_there())
        return std::nullopt;
    std::optional<transport::Departure> puller, receiver;
    if (pullers_.any() && !(puller = pullers_.all_left()))
        return std::nullopt;
    if (sends_.any() && !(receiver = sends_.departures().of_all_receivers()))
        return std::nullopt;
    const bool is_receiver = !puller || (receiver && receiver->frames > puller->frames);
    return is_receiver ? receiver : puller;
}

std::optional<transport::Departure> Link::receiver_at_end() const {
    if (const auto puller = pullers_.any() ? pullers_.at_end() : std::nullopt)
        return puller;
    return sends_.any() ? sends_.departures().complete_receiver() : std::nullopt;
}

// Messages to a process that has left cannot leave; see refuse_slots() in flow/waiting.hpp. A transfer ends in the
// same way for both ways.
std::optional<transport::Departure> Link::receiver_left(int64_t frame) const {
    if (!shape_.in_place)
        return std::nullopt;
    const auto receiver = sends_.receiver_left(frame);
    return receiver ? receiver : pullers_.left_before(frame);
}

// Looks at pulls, headers and messages, in this order. Headers never report the end of the stream in this way.
std::optional<transport::Departure> Link::sender_left(int64_t frame) const {
    const auto pulled = pulls_.lost(frame);
    if (!shape_.has_messages || (pulled && !pulled->complete()))
        return pulled;
    const int64_t last = departures_.end({frame}).count - 1;
    if (const auto left = headers_.sender_left(last))
        return left;
    const auto received = receives_.lost(last);
    return received && !(pulled && received->complete()) ? received : pulled;
}

void Link::report_end_of_stream(int64_t frames) {
    if (sink_ended_)
        return;
    pulls_.end(frames); // cannot fail
    receives_.end(frames);
    sink_ended_ = true;
}

// The close is a header of its own, for whatever frame a sink expects next.
void Link::leave_source(int64_t frames, transport::Leave how) {
    sends_.leave(frames, how);
    headers_.leave_source(frames + (how == transport::Leave::complete ? departures_.period : 0));
    pullers_.leave();
}

// After report_end_of_stream() the peers have been notified.
void Link::leave_sink(int64_t arrays) {
    const int64_t frames = departures_.through({arrays}).count;
    receives_.leave(frames);
    headers_.leave_sink(frames);
    pulls_.leave(frames);
}

} // namespace dri::exec
