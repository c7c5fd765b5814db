// Transfers whose source and sink share their buffers: what waits for what.
#include "base/error.hpp"
#include "exec/transfer.hpp"

namespace dri {

// One frame at a time has messages: it is over before its buffer's next one is handed over.
void Link::prepare_in_place(const StagingBudget &budget, Transport &transport, int64_t tag) {
    const Plan &plan = *plan_;
    constexpr bool pooled = true;
    if (!plan.sends.empty())
        outgoing_.push_back(transport.prepare(specs(plan.sends), {}, tag, Transport::unlimited_credits,
                                              send_credits_in_place(plan, budget.sends_in_place), pooled));
    if (!plan.receives.empty())
        incoming_ = transport.prepare({}, specs(plan.receives), tag, budget.receives_in_place,
                                      Transport::unlimited_credits, pooled);
}

// When nothing of the frame is left to come, or to go.
bool Link::scatter(std::byte *sink) {
    if (!in_place_->has_to_scatter() || has_to_receive() || has_messages_to_send())
        return false;
    in_place_->scatter(sink);
    return true;
}

std::optional<Departure> Link::receiver_left(int64_t frame) const {
    if (!in_place() || outgoing_.empty())
        return std::nullopt;
    const Departures &departures = outgoing_.front()->departures();
    for (size_t i = 0; departures.any() && i < packs_.size(); ++i)
        if (const auto left = departures.of_receiver(i); left && left->frames <= frame)
            return left;
    return std::nullopt;
}

void LocalTransfer::check_together(const EndpointSet &endpoints) const {
    if (!features_.in_place)
        return;
    if (!endpoints.all_sinks)
        fail(DRI_ERR_ARG,
             "transfer '{}' is in place: source and sink share their buffers, so DRI_do, DRI_start, DRI_test and "
             "DRI_wait take both by name, and no other call moves a frame",
             name_);
    if (source_->destroyed || flows_.front().sink->destroyed)
        fail(DRI_ERR_STATE, "transfer '{}' is in place, and its {} is destroyed on this process", name_,
             source_->destroyed ? "source" : "sink");
}

// Its messages would keep their memory for ever, which has no room to spare.
void LocalTransfer::check_receivers(bool begins) const {
    if (!features_.in_place || !(begins || source_->moving))
        return;
    for (const Flow &flow : flows_)
        if (const auto left = flow.link.receiver_left(source_->moved))
            fail(DRI_ERR_STATE, "transfer '{}' is in place, and process {} has destroyed its ends after {} frames",
                 name_, left->peer, left->frames);
}

} // namespace dri
