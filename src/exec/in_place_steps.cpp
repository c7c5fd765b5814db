// Holds received messages back and puts parts in order, for frames in place.
#include "exec/in_place_steps.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <tuple>

namespace dri::exec {

// Gathering and scattering share the blocks, because they never happen at the same time.
InPlaceSteps::InPlaceSteps(std::shared_ptr<const plan::Plan> plan, int64_t block_bytes) : plan_(std::move(plan)) {
    held_.reserve(plan_->receives.size());
    const auto &[before, after] = std::tie(plan_->in_place->before, plan_->in_place->after);
    if (!before.empty())
        gatherer_ = std::make_unique<kernel::Arranger>(before, block_bytes);
    if (!after.empty())
        scatterer_ = std::make_unique<kernel::Arranger>(after, block_bytes);
    blocks_bytes_ = plan::arranging_bytes(before, after, block_bytes);
    if (gatherer_ || scatterer_)
        blocks_ = AlignedBuffer((std::max(std::ssize(before), std::ssize(after)) + 1) * block_bytes);
}

void InPlaceSteps::gather(std::byte *source) {
    if (!has_to_gather_)
        return;
    gatherer_->gather(source, blocks_.data());
    has_to_gather_ = false;
}

void InPlaceSteps::scatter(std::byte *sink) {
    scatterer_->scatter(sink, blocks_.data());
    has_to_scatter_ = false;
}

// packed: messages of this frame that are packed. Their bytes in the buffer may be overwritten.
bool InPlaceSteps::may_unpack(size_t message, size_t packed) const {
    return !has_to_gather_ && packed >= plan_->in_place->packed_before[message];
}

bool InPlaceSteps::holds(size_t message) const {
    return std::find(held_.begin(), held_.end(), message) != held_.end();
}

// Releases the message that arrived first among those that may be unpacked.
std::optional<size_t> InPlaceSteps::release_ready(size_t packed) {
    const auto ready = std::find_if(held_.begin(), held_.end(), [&](size_t i) { return may_unpack(i, packed); });
    if (ready == held_.end())
        return std::nullopt;
    const size_t message = *ready;
    held_.erase(ready);
    return message;
}

std::string InPlaceSteps::text() const {
    const std::vector<size_t> &before = plan_->in_place->packed_before;
    const auto waiting = std::count_if(before.begin(), before.end(), [](size_t sends) { return sends > 0; });
    std::string text =
        fmt::format("  in place: {} bytes stay where they are; {} of {} received messages wait until "
                    "the data they overwrite are packed, and {} sends need memory at the same time\n",
                    plan::self_bytes(*plan_), waiting, before.size(), plan_->in_place->sends_at_once);
    for (const auto &[arranger, what] : {std::pair(gatherer_.get(), "put in order before the first message"),
                                         std::pair(scatterer_.get(), "put where they belong after the last one")})
        if (arranger)
            text += fmt::format("  in place: {} pieces of {} bytes are {}, in blocks of {} bytes\n",
                                arranger->pieces().size(), plan::pieces_bytes(arranger->pieces()), what,
                                arranger->block_bytes());
    return text;
}

} // namespace dri::exec
