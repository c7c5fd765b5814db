// The lane of data that a sink's process reads directly from the buffers of other processes, and the source's view
// of the processes that do so.
#pragma once

#include "base/error.hpp"
#include "base/memory.hpp"
#include "exec/lane.hpp"
#include "exec/link_context.hpp"
#include "exec/offset_consensus.hpp"
#include "exec/team_copies.hpp"
#include "flow/frames.hpp"
#include "plan/plan.hpp"
#include "transport/departures.hpp"
#include "transport/shared_source.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace dri::exec {

class PullLane {
public:
    PullLane() = default;
    // pattern: which frames of the source are pulled. views: one per process that the plan pulls from, in the
    // plan's order. tile_bytes: for tiles of buffers that are not all shared.
    PullLane(const LinkContext &context, const flow::SourcePattern &pattern,
             std::vector<transport::SourceView> views, int64_t tile_bytes);

    void begin();
    bool left() const { return left_ > 0; }
    // Pulls from any process that has handed over this frame of the flow, or the next strip of it. Returns whether
    // there was one.
    bool pull_next(int64_t frame, std::byte *sink, OffsetConsensus &consensus);
    std::string explain() const;

    // A process that has not handed over the frame, or not all of its strips.
    std::optional<int> pending(int64_t frame, const Among &among = anybody) const;
    // A process that has left before it handed over all of the frame. One that has ended the stream only if there
    // is no other.
    std::optional<transport::Departure> lost(int64_t frame) const {
        return any_left() ? lost_source(frame) : std::nullopt;
    }
    // Whether some process has left that this one pulls from. Almost always none has.
    bool any_left() const {
        return std::any_of(views_.begin(), views_.end(),
                           [](const transport::SourceView &view) { return view.has_left(); });
    }
    // The sink has reached the end of the stream (end), or leaves (leave), after so many frames of
    // the source.
    void end(int64_t frames);
    void leave(int64_t frames);

private:
    std::optional<transport::Departure> lost_source(int64_t frame) const;
    size_t pull_at(size_t view, int64_t strip) const;
    inline void pull_from(size_t view, size_t pull, int64_t frame, std::byte *sink, OffsetConsensus &consensus);
    [[noreturn, gnu::cold]] void fail_to_read(size_t pull, int64_t frame, const Error &error) const;
    void require_still_there(size_t view, size_t pull, int64_t frame) const;
    int64_t observe_offset(size_t view, int64_t frame, OffsetConsensus &consensus);

    std::shared_ptr<const plan::Plan> plan_;
    int64_t strips_ = 1;
    flow::SourcePattern pattern_;
    std::vector<transport::SourceView> views_;
    std::vector<TeamCopies> pulls_;        // one list per pull
    std::vector<TeamRemoteCopies> remote_; // the same, for processes whose buffers are not all shared
    AlignedBuffer scratch_;                // for tiles of remote pulls
    std::vector<char> is_long_;            // per pull: whether its copy takes long
    std::vector<int64_t> pulled_;          // per view: strips of this frame that are pulled
    size_t left_ = 0, next_ = 0;           // pulls of this frame; the view to look at next
    bool ended_ = false;
};
static_assert(SinkLane<PullLane>);

// The processes that pull from this process's source in one flow.
class Pullers {
public:
    Pullers() = default;
    // first: the number of the plan's first puller in `source`; the others follow.
    Pullers(std::shared_ptr<const plan::Plan> plan, std::shared_ptr<transport::SharedSource> source,
            int64_t first);

    bool any() const { return plan_ && !plan_->pullers.empty(); }
    bool first_is_there() const { return source_ && !source_->has_left(first_); } // false if there are none
    // A process that is still there and has not pulled all of the first `frames` frames.
    std::optional<int> lagging(int64_t frames) const {
        const int64_t at = source_ ? source_->find_lagging(first_, end_, frames) : end_;
        return at == end_ ? std::nullopt : std::optional(peer(at));
    }
    std::optional<int> lagging(int64_t frames, const Among &among) const;
    // If there are pullers and all have left: the one that had the most frames. Frames of the source.
    std::optional<transport::Departure> all_left() const;
    // A process that has left before it had that frame.
    std::optional<transport::Departure> left_before(int64_t frame) const;
    // A process that has left because the stream has ended.
    std::optional<transport::Departure> at_end() const;
    void leave() { source_.reset(); }
    std::string explain() const;

private:
    std::optional<transport::Departure> left(size_t i) const; // of the plan's puller i
    int peer(int64_t puller) const;                           // by its number in `source`

    std::shared_ptr<const plan::Plan> plan_;
    std::shared_ptr<transport::SharedSource> source_; // set if the plan has pullers
    int64_t first_ = 0, end_ = 0;                     // the numbers of the plan's pullers in it
};

} // namespace dri::exec
