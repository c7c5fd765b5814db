// Which processes have left a link, and how this process leaves it.
#include "exec/link.hpp"
#include "transport/departures.hpp"
#include "transport/shared_source.hpp"

#include <utility>

namespace dri::exec {

// One exchange polls for all exchanges of the transport.
bool Link::poll_departures() {
    if (!incoming_ && outgoing_.empty())
        return headers_.poll_departures();
    (incoming_ ? *incoming_ : *outgoing_.front()).poll_departures();
    return true;
}

// Headers are sent to all processes of the sink, even those that take nothing else, so they alone count if there
// are any. Otherwise the last of the pullers and receivers counts.
std::optional<transport::Departure> Link::all_receivers_left() const {
    if (headers_.sends())
        return headers_.all_receivers_left();
    std::optional<transport::Departure> last;
    for (size_t i = 0; i < plan_->pullers.size(); ++i) {
        const auto left = puller_left(i);
        if (!left)
            return std::nullopt;
        if (!last || left->frames > last->frames)
            last = left;
    }
    if (!outgoing_.empty()) {
        const auto by_messages = outgoing_.front()->departures().of_all_receivers();
        if (!by_messages)
            return std::nullopt;
        if (!last || by_messages->frames > last->frames)
            last = by_messages;
    }
    return last ? std::optional(of_source(*last)) : std::nullopt;
}

std::optional<transport::Departure> Link::puller_left(size_t i) const {
    const int64_t puller = direct_.first_puller + static_cast<int64_t>(i);
    const auto frames = direct_.source->left(puller);
    if (!frames)
        return std::nullopt;
    return transport::Departure{plan_->pullers[i].peer, *frames,
                                transport::complete_if(direct_.source->is_complete(puller))};
}

std::optional<transport::Departure> Link::receiver_at_end() const {
    for (size_t i = 0; direct_.source && i < plan_->pullers.size(); ++i)
        if (const auto left = puller_left(i); left && left->complete())
            return left;
    return outgoing_.empty() ? std::nullopt : outgoing_.front()->departures().complete_receiver();
}

// Takes frames of the sink for frames of the source, because a stream has no strips.
void Link::report_end_of_stream(int64_t frames) {
    if (std::exchange(sink_ended_, true))
        return;
    if (incoming_)
        incoming_->leave(frames, transport::Leave::complete);
    for (transport::SourceView &view : direct_.views)
        view.leave(frames, transport::Leave::complete);
    left_to_pull_ = 0;
}

transport::Departure Link::of_source(transport::Departure departure) const {
    departure.frames *= strips_;
    return departure;
}

// A source that closed the stream is at fault only if the frame exists (header_arrived). Another departure always
// is.
std::optional<transport::Departure> Link::lost_pull(int64_t frame, bool header_arrived) const {
    for (size_t i = 0; i < direct_.views.size(); ++i) {
        const transport::SourceView &view = direct_.views[i];
        const auto frames = view.left();
        if (frames && *frames < (frame + 1) * strips_ && (header_arrived || !view.is_complete()))
            return transport::Departure{plan_->pulls[pull_at(i, 0)].peer, *frames,
                                        transport::complete_if(view.is_complete())};
    }
    return std::nullopt;
}

// Looks at pulls, headers and messages, in this order.
std::optional<transport::Departure> Link::sender_left(int64_t frame, bool header_arrived) const {
    if (const auto left = lost_pull(frame, header_arrived))
        return left;
    if (const auto left = headers_.sender_left(frame))
        return left;
    if (incoming_ && incoming_->departures().any())
        for (size_t i = 0; i < unpacks_.size(); ++i)
            if (const auto left = incoming_->departures().before(frame, i);
                left && (header_arrived || !left->complete()))
                return of_source(*left);
    return std::nullopt;
}

// Peers note the departure in all their exchanges with this tag, so one exchange reports it. Messages under way
// still arrive: a destroyed exchange keeps its sends until they are done.
void Link::leave_source(int64_t frames, bool ended) {
    if (!outgoing_.empty())
        outgoing_.front()->leave(frames / strips_, transport::complete_if(ended));
    outgoing_.clear();
    headers_.leave_source(frames + (ended ? 1 : 0));
    direct_.source.reset();
}

// After report_end_of_stream() the peers have been notified.
void Link::leave_sink(int64_t frames) {
    if (incoming_ && !sink_ended_)
        incoming_->leave(frames, transport::Leave::early);
    incoming_.reset();
    headers_.leave_sink(frames);
    for (transport::SourceView &view : direct_.views)
        if (!sink_ended_)
            view.leave(frames, transport::Leave::early);
    direct_.views.clear();
}

} // namespace dri::exec
