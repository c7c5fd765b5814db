// Copies the own part, strip by strip, and fills pads.
#include "exec/self_lane.hpp"

#include "base/error.hpp"
#include "kernel/fill.hpp"
#include "plan/in_place.hpp"
#include "plan/plan.hpp"
#include "plan/strided_copy.hpp"

#include <utility>

namespace dri::exec {

// In place, what keeps its address needs no copy.
SelfLane::SelfLane(const LinkContext &context) : strips_(plan::count_strips(*context.plan)) {
    const plan::Plan &plan = *context.plan;
    const Team &team = context.teams.sink;
    const FirstBuffers &first = context.first;
    const auto bind =
        context.bind(context.written(), first.source, first.sink, first.source_measures || first.sink_measures);
    auto next = plan.self.begin();
    for (int64_t k = 0; k < strips_; ++k) {
        std::vector<plan::StridedCopy> own(next, plan.self.begin() +
                                                     static_cast<std::ptrdiff_t>(plan::strip_end(plan, k).self));
        next += std::ssize(own);
        if (plan.in_place)
            std::erase_if(own, plan::is_identity_in_place);
        if (team.workers && !own.empty())
            copies_.emplace_back(own, team, bind);
        else
            for (const plan::StridedCopy &copy : own)
                copies_.emplace_back(std::vector{copy}, team, bind);
        ends_.push_back(copies_.size());
    }
    end_ = copies_.size();
}

void SelfLane::begin() {
    next_ = 0;
    next_strip_ = 0;
    skip_strips_without_copies();
}

// Without strips, the count of whole frames counts this frame.
int64_t SelfLane::copied_strips() const { return strips_ == 1 ? 0 : next_ == end_ ? strips_ : next_strip_; }

bool SelfLane::copy_next(const std::byte *source, std::byte *sink) {
    if (next_ == end_ || !source)
        return false;
    copies_[next_++].run(source, sink);
    skip_strips_without_copies();
    return true;
}

// Moves on to the strip of the next copy. A strip may have no copies.
void SelfLane::skip_strips_without_copies() {
    while (next_strip_ + 1 < strips_ && next_ == ends_[static_cast<size_t>(next_strip_)])
        ++next_strip_;
}

std::string SelfLane::explain() const {
    std::string text = copies_.empty() ? "" : "  self\n";
    for (const TeamCopies &copies : copies_)
        text += copies.text();
    return text;
}

PadLane::PadLane(std::shared_ptr<const plan::Plan> plan)
    : plan_(std::move(plan)), pads_(plan_->zeros.size()), next_(pads_) {}

bool PadLane::fill_next(std::byte *sink_buffer) {
    if (!left())
        return false;
    kernel::fill_zeros(plan_->zeros[next_++], sink_buffer);
    return true;
}

std::string PadLane::explain() const {
    std::string text;
    for (size_t i = 0; i < pads_; ++i)
        text += fmt::format("  zeros into pads: {} bytes\n", plan::copy_bytes(plan_->zeros[i]));
    return text;
}

} // namespace dri::exec
