// Transfers in place, whose source and sink share their buffers: both endpoints move together.
#include "base/error.hpp"
#include "exec/transfer.hpp"
#include "plan/plan.hpp"
#include "transport/departures.hpp"
#include "transport/transport.hpp"

namespace dri::exec {

// One exchange is enough: a frame is complete before the next frame of its buffer is handed over. All peers share
// the slots (pooled).
void Link::prepare_in_place(const StagingBudget &budget, transport::Transport &transport, int64_t tag) {
    const plan::Plan &plan = *plan_;
    if (!plan.sends.empty())
        outgoing_.push_back(transport.prepare({.sends = specs(plan.sends),
                                               .tag = tag,
                                               .send_credits = send_credits_in_place(plan, budget.sends_in_place),
                                               .pooled = true}));
    if (!plan.receives.empty())
        incoming_ = transport.prepare({.receives = specs(plan.receives),
                                       .tag = tag,
                                       .receive_credits = budget.receives_in_place,
                                       .pooled = true});
}

// Moves received pieces to where they belong, once nothing of the frame is left to receive or to send.
bool Link::scatter(std::byte *sink) {
    if (!in_place_->has_to_scatter() || has_to_receive() || has_messages_to_send())
        return false;
    in_place_->scatter(sink);
    return true;
}

// Messages to a process that has left cannot leave; see check_receivers().
std::optional<transport::Departure> Link::receiver_left(int64_t frame) const {
    if (!in_place() || outgoing_.empty())
        return std::nullopt;
    const transport::Departures &departures = outgoing_.front()->departures();
    for (size_t i = 0; departures.any() && i < packs_.size(); ++i)
        if (const auto left = departures.of_receiver(i); left && left->frames <= frame)
            return left;
    return std::nullopt;
}

// Refuses calls for one endpoint alone: neither endpoint can move a frame without the other.
void LocalTransfer::check_together(const EndpointSet &endpoints) const {
    if (!features_.in_place)
        return;
    if (!endpoints.all_sinks)
        fail(DRI_ERR_ARG,
             "transfer '{}' is in place: source and sink share their buffers, so only DRI_do, DRI_start, DRI_test "
             "and DRI_wait move frames, for both endpoints by name",
             name_);
    if (source_->destroyed || flows_.front().sink->destroyed)
        fail(DRI_ERR_STATE, "transfer '{}' is in place, and its {} is destroyed on this process", name_,
             source_->destroyed ? "source" : "sink");
}

// A departed receiver never frees its slots, and in place there are no spare ones.
void LocalTransfer::check_receivers(bool begins) const {
    if (!features_.in_place || !(begins || source_->moving))
        return;
    for (const Flow &flow : flows_)
        if (const auto left = flow.link.receiver_left(source_->moved))
            fail(DRI_ERR_STATE,
                 "transfer '{}' is in place, and process {} has destroyed its endpoints after {} frames", name_,
                 left->peer, left->frames);
}

} // namespace dri::exec
