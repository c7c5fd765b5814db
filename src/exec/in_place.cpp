// Transfers whose source and sink share their buffers: what waits for what.
#include "base/error.hpp"
#include "exec/transfer.hpp"

#include <algorithm>
#include <tuple>

namespace dri {

// One frame at a time has messages: it is over before its buffer's next one is handed over.
void Link::prepare_in_place(const MessageRoom &room, Transport &transport, int64_t tag) {
    const Plan &plan = *plan_;
    constexpr bool together = true;
    if (!plan.sends.empty())
        outgoing_.push_back(transport.prepare(slots(plan.sends), {}, tag, Transport::no_window,
                                              send_window_in_place(plan, room.sends_in_place), together));
    if (!plan.receives.empty())
        incoming_ = transport.prepare({}, slots(plan.receives), tag, room.receives_in_place, Transport::no_window,
                                      together);
    held_.reserve(plan.receives.size());
    const auto &[before, after] = std::tie(plan.in_place->before, plan.in_place->after);
    if (!before.empty())
        gatherer_ = std::make_unique<Arranger>(before, room.block_bytes);
    if (!after.empty())
        scatterer_ = std::make_unique<Arranger>(after, room.block_bytes);
    arranging_bytes_ = arranging_bytes(before, after, room.block_bytes);
    if (gatherer_ || scatterer_)
        blocks_ = AlignedBuffer((std::max(std::ssize(before), std::ssize(after)) + 1) * room.block_bytes);
}

void Link::gather(std::byte *source) {
    if (!has_to_gather_)
        return;
    gatherer_->gather(source, blocks_.data());
    has_to_gather_ = false;
}

bool Link::scatter(std::byte *sink) {
    if (!has_to_scatter_ || has_to_receive() || has_messages_to_send())
        return false;
    scatterer_->scatter(sink, blocks_.data());
    has_to_scatter_ = false;
    return true;
}

bool Link::may_unpack(size_t message) const {
    return !in_place() || (!has_to_gather_ && next_send_ >= plan_->in_place->packed_before[message]);
}

bool Link::is_held(size_t message) const { return std::find(held_.begin(), held_.end(), message) != held_.end(); }

bool Link::unpack_held(std::byte *sink) {
    const auto ready = std::find_if(held_.begin(), held_.end(), [&](size_t i) { return may_unpack(i); });
    if (ready == held_.end())
        return false;
    const size_t message = *ready;
    held_.erase(ready);
    unpack(static_cast<int64_t>(message), sink);
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

std::string Link::explain_in_place() const {
    if (!in_place())
        return "";
    const std::vector<size_t> &before = plan_->in_place->packed_before;
    const auto waiting = std::count_if(before.begin(), before.end(), [](size_t sends) { return sends > 0; });
    std::string text =
        fmt::format("  in place: {} bytes stay where they are; {} of {} messages that come wait for "
                    "the place of others, of which {} need memory at once\n",
                    self_bytes(*plan_), waiting, before.size(), plan_->in_place->sends_at_once);
    for (const auto &[arranger, what] : {std::pair(gatherer_.get(), "put in order before the first message"),
                                         std::pair(scatterer_.get(), "put where they belong after the last one")})
        if (arranger)
            text += fmt::format("  in place: {} pieces of {} bytes are {}, in blocks of {} bytes\n",
                                arranger->pieces().size(), pieces_bytes(arranger->pieces()), what,
                                arranger->block_bytes());
    return text;
}

void Transfer::check_together(const EndSet &ends) const {
    if (!traits_.in_place)
        return;
    if (!ends.all_sinks)
        fail(DRI_ERR_ARG,
             "transfer '{}' is in place: source and sink share their buffers, so DRI_do, DRI_start, DRI_test and "
             "DRI_wait take both by name, and no other call moves a frame",
             name_);
    if (source_->destroyed || flows_.front().sink->destroyed)
        fail(DRI_ERR_STATE, "transfer '{}' is in place, and its {} is destroyed on this process", name_,
             source_->destroyed ? "source" : "sink");
}

// Its messages would keep their memory for ever, which has no room to spare.
void Transfer::check_receivers(bool begins) const {
    if (!traits_.in_place || !(begins || source_->moving))
        return;
    for (const Flow &flow : flows_)
        if (const auto left = flow.link.receiver_left(source_->moved))
            fail(DRI_ERR_STATE, "transfer '{}' is in place, and process {} has destroyed its ends after {} frames",
                 name_, left->peer, left->frames);
}

} // namespace dri
