// Reads sources where they lie, and knows which pullers have left.
#include "exec/pull_lane.hpp"

#include "base/error.hpp"
#include "exec/window.hpp"
#include "flow/refusal.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace dri::exec {

namespace {

constexpr int64_t long_copy = int64_t{64} << 10; // takes some 10 us

} // namespace

// A sink that does not take the source's first frames needs none of their buffers.
PullLane::PullLane(const LinkContext &context, const flow::SourcePattern &pattern,
                   std::vector<transport::SourceView> views, int64_t tile_bytes)
    : plan_(context.plan), strips_(plan::count_strips(*plan_)), pattern_(pattern), views_(std::move(views)),
      scratch_(tile_bytes) {
    for (transport::SourceView &view : views_)
        view.take(pattern_.first({}).count);
    const Team &team = context.teams.sink;
    const FirstBuffers &first = context.first;
    const int64_t written = context.written();
    for (const plan::Pull &pull : plan_->pulls) {
        is_long_.push_back(plan::copies_bytes(pull.copies) >= long_copy);
        transport::SourceView &view = views_[pulls_.size() / static_cast<size_t>(strips_)];
        auto &remote = remote_.emplace_back();
        if (view.reads())
            remote = TeamRemoteCopies(pull.copies, team, context.chooser.isa(), written, first.sink);
        if (remote.scratch_bytes() > tile_bytes)
            fail(DRI_ERR_INTERNAL, "tiles from process {} need {} bytes, but {} are reserved", pull.peer,
                 remote.scratch_bytes(), tile_bytes);
        pulls_.emplace_back(
            pull.copies, team,
            context.bind(written, view.memory(0).mapped, first.sink, first.sink_measures && !view.reads()));
    }
    pulled_.assign(views_.size(), strips_);
}

void PullLane::begin() {
    std::fill(pulled_.begin(), pulled_.end(), 0);
    left_ = pulls_.size();
    next_ = 0;
}

size_t PullLane::pull_at(size_t view, int64_t strip) const {
    return view * static_cast<size_t>(strips_) + static_cast<size_t>(strip);
}

// Takes the processes round-robin, so that none is always the last to be pulled from. With the frame, the sink is
// done with those that follow it up to its next one.
bool PullLane::pull_next(int64_t frame, std::byte *sink, OffsetConsensus &consensus) {
    const int64_t first = pattern_.first({frame}).count;
    for (size_t tries = left_ > 0 ? views_.size() : 0; tries > 0; --tries) {
        const size_t i = next_;
        next_ = i + 1 < views_.size() ? i + 1 : 0;
        transport::SourceView &view = views_[i];
        const int64_t strip = pulled_[i], from = first + strip;
        if (strip == strips_ || !view.has(from))
            continue;
        const size_t pull = pull_at(i, strip);
        pull_from(i, pull, from, sink, consensus);
        if (is_long_[pull])
            require_still_there(i, pull, from);
        pulled_[i] = strip + 1;
        view.take(strip + 1 == strips_ ? first + pattern_.period : from + 1);
        --left_;
        return true;
    }
    return false;
}

// An abandoned source takes back what nobody has pulled, and waits for a copy only a moment. Its user may change
// the data then. Copies that are shorter than that moment by far need no look.
void PullLane::require_still_there(size_t at, size_t pull, int64_t frame) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!views_[at].has(frame))
        flow::refuse_in_lane(
            {.reason = flow::Reason::frame_abandoned, .peer = plan_->pulls[pull].peer, .frame = frame});
}

// Reads mapped memory where it lies, or another process's buffer with the system's help.
void PullLane::pull_from(size_t at, size_t pull, int64_t frame, std::byte *sink, OffsetConsensus &consensus) {
    const int64_t source_bytes = plan_->note_bytes ? observe_offset(at, frame, consensus) : 0;
    try {
        const transport::FrameMemory from = views_[at].memory(frame); // may open more of the source's memory
        if (from.mapped)
            pulls_[pull].run(from.mapped + source_bytes, sink);
        else
            remote_[pull].run(views_[at].pid(), from.address + static_cast<uint64_t>(source_bytes), sink,
                              scratch_.data());
    } catch (const Error &error) {
        fail_to_read(pull, frame, error);
    }
}

void PullLane::fail_to_read(size_t pull, int64_t frame, const Error &error) const {
    if (error.code() != DRI_ERR_PEER)
        throw;
    flow::refuse_in_lane(
        {.reason = flow::Reason::source_unreadable, .peer = plan_->pulls[pull].peer, .frame = frame},
        {.one = error.what()});
}

// The offset is beside the shared buffer. Returns it in bytes, to be added to the planned source addresses.
int64_t PullLane::observe_offset(size_t view, int64_t frame, OffsetConsensus &consensus) {
    WindowOffset noted;
    std::memcpy(&noted, views_[view].note(frame), sizeof noted);
    consensus.observe(plan_->pulls[pull_at(view, 0)].peer, noted.offset);
    return noted.bytes;
}

std::string PullLane::explain() const {
    std::string text;
    for (size_t i = 0; i < pulls_.size(); ++i)
        text += fmt::format("  direct from {}: {} bytes\n{}", plan_->pulls[i].peer,
                            plan::pull_bytes(plan_->pulls[i]), pulls_[i].text());
    return text;
}

std::optional<int> PullLane::pending(int64_t frame, const Among &among) const {
    for (size_t i = 0; i < pulled_.size(); ++i)
        if (const int peer = plan_->pulls[pull_at(i, 0)].peer;
            pulled_[i] < strips_ && !views_[i].has(pattern_.first({frame}).count + pulled_[i]) && among(peer))
            return peer;
    return std::nullopt;
}

std::optional<transport::Departure> PullLane::lost_source(int64_t frame) const {
    std::optional<transport::Departure> ended;
    for (size_t i = 0; i < views_.size(); ++i) {
        const transport::SourceView &view = views_[i];
        const auto frames = view.left();
        if (!frames || *frames >= pattern_.end({frame}).count)
            continue;
        const transport::Departure left{plan_->pulls[pull_at(i, 0)].peer, *frames,
                                        transport::complete_if(view.is_complete())};
        if (!left.complete())
            return left;
        if (!ended)
            ended = left;
    }
    return ended;
}

void PullLane::end(int64_t frames) {
    for (transport::SourceView &view : views_)
        view.leave(frames, transport::Leave::complete);
    ended_ = true;
    left_ = 0;
}

void PullLane::leave(int64_t frames) {
    for (transport::SourceView &view : views_)
        if (!ended_)
            view.leave(frames, transport::Leave::early);
    views_.clear();
}

Pullers::Pullers(std::shared_ptr<const plan::Plan> plan, std::shared_ptr<transport::SharedSource> source,
                 int64_t first)
    : plan_(std::move(plan)), source_(std::move(source)), first_(first), end_(first + std::ssize(plan_->pullers)) {
}

int Pullers::peer(int64_t puller) const { return plan_->pullers[static_cast<size_t>(puller - first_)].peer; }

std::optional<int> Pullers::lagging(int64_t frames, const Among &among) const {
    if (!source_)
        return std::nullopt;
    for (int64_t at = first_; (at = source_->find_lagging(at, end_, frames)) < end_; ++at)
        if (among(peer(at)))
            return peer(at);
    return std::nullopt;
}

std::optional<transport::Departure> Pullers::left(size_t i) const {
    const int64_t puller = first_ + static_cast<int64_t>(i);
    const auto frames = source_->left(puller);
    if (!frames)
        return std::nullopt;
    return transport::Departure{plan_->pullers[i].peer, *frames,
                                transport::complete_if(source_->is_complete(puller))};
}

std::optional<transport::Departure> Pullers::all_left() const {
    std::optional<transport::Departure> last;
    for (size_t i = 0; source_ && i < plan_->pullers.size(); ++i) {
        const auto one = left(i);
        if (!one)
            return std::nullopt;
        if (!last || one->frames > last->frames)
            last = one;
    }
    return last;
}

std::optional<transport::Departure> Pullers::left_before(int64_t frame) const {
    for (size_t i = 0; source_ && i < plan_->pullers.size(); ++i)
        if (const auto one = left(i); one && one->frames <= frame)
            return one;
    return std::nullopt;
}

std::optional<transport::Departure> Pullers::at_end() const {
    for (size_t i = 0; source_ && i < plan_->pullers.size(); ++i)
        if (const auto one = left(i); one && one->complete())
            return one;
    return std::nullopt;
}

std::string Pullers::explain() const {
    std::string text;
    for (size_t i = 0; any() && i < plan_->pullers.size(); ++i)
        text += fmt::format("  direct to {}: {} bytes\n", plan_->pullers[i].peer, plan_->pullers[i].bytes);
    return text;
}

} // namespace dri::exec
