// Holds received messages back and puts parts in order, for frames in place.
#include "exec/in_place_lane.hpp"

#include "base/error.hpp"
#include "plan/in_place.hpp"
#include "plan/piece.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dri::exec {

// Gathering and scattering share the blocks, because they never happen at the same time.
InPlaceLane::InPlaceLane(std::shared_ptr<const plan::Plan> plan, const SendLayout &layout)
    : plan_(std::move(plan)) {
    held_.reserve(plan_->receives.size());
    const auto &[before, after] = std::tie(plan_->in_place->before, plan_->in_place->after);
    if (!before.empty())
        gatherer_ = std::make_unique<kernel::Arranger>(before, layout.block_bytes);
    if (!after.empty())
        scatterer_ = std::make_unique<kernel::Arranger>(after, layout.block_bytes);
    if (gatherer_ || scatterer_)
        blocks_ = AlignedBuffer(layout.blocks_bytes);
}

bool InPlaceLane::post_next(SendLane &sends, std::byte *source, SendAhead ahead) {
    if (!sends.left())
        return false;
    const bool gathers = std::exchange(has_to_gather_, false);
    if (gathers)
        gatherer_->gather(source, blocks_.data());
    return sends.post_next(source, ahead) || gathers;
}

// The bytes of packed messages in the buffer may be overwritten.
bool InPlaceLane::may_unpack(size_t message, const SendLane &sends) const {
    return !has_to_gather_ && sends.packed() >= plan_->in_place->packed_before[message];
}

// Held messages come first, in the order of their arrival.
bool InPlaceLane::unpack_next(ReceiveLane &receives, const SendLane &sends, std::byte *sink) {
    const auto ready = std::find_if(held_.begin(), held_.end(), [&](size_t i) { return may_unpack(i, sends); });
    if (ready != held_.end()) {
        const size_t message = *ready;
        held_.erase(ready);
        receives.unpack(message, sink, no_windows_);
        return true;
    }
    const auto message = receives.next_arrival();
    if (!message)
        return false;
    if (may_unpack(*message, sends))
        receives.unpack(*message, sink, no_windows_);
    else
        held_.push_back(*message);
    return true;
}

bool InPlaceLane::scatter(SendLane &sends, const ReceiveLane &receives, std::byte *sink) {
    if (!has_to_scatter_ || !held_.empty() || receives.left() || sends.left())
        return false;
    scatterer_->scatter(sink, blocks_.data());
    has_to_scatter_ = false;
    return true;
}

std::optional<int> InPlaceLane::pending(const ReceiveLane &receives, const Among &among) const {
    for (size_t i = 0; i < receives.size(); ++i)
        if (receives.awaits(i) && std::find(held_.begin(), held_.end(), i) == held_.end() &&
            among(receives.sender(i)))
            return receives.sender(i);
    return std::nullopt;
}

std::string InPlaceLane::explain() const {
    if (!plan_)
        return "";
    const std::vector<size_t> &before = plan_->in_place->packed_before;
    const auto waiting = std::count_if(before.begin(), before.end(), [](size_t sends) { return sends > 0; });
    std::string text =
        fmt::format("  in place: {} bytes stay where they are; {} of {} received messages wait until "
                    "the data they overwrite are packed, and {} sends need memory at the same time\n",
                    plan::bytes_that_stay(*plan_), waiting, before.size(), plan_->in_place->sends_at_once);
    for (const auto &[arranger, what] : {std::pair(gatherer_.get(), "put in order before the first message"),
                                         std::pair(scatterer_.get(), "put where they belong after the last one")})
        if (arranger)
            text += fmt::format("  in place: {} pieces of {} bytes are {}, in blocks of {} bytes\n",
                                arranger->pieces().size(), plan::pieces_bytes(arranger->pieces()), what,
                                arranger->block_bytes());
    return text;
}

} // namespace dri::exec
