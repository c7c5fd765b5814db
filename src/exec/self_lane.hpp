// The lane of data that stay in the process: copies from the source's buffer to the sink's, and zeros for pads.
#pragma once

#include "exec/lane.hpp"
#include "exec/link_context.hpp"
#include "exec/team_copies.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <vector>

namespace dri::exec {

class SelfLane {
public:
    SelfLane() = default;
    explicit SelfLane(const LinkContext &context);

    // Whether some data move. Without any, the lane never has steps.
    bool any() const { return end_ > 0; }
    // Starts a frame of the sink.
    void begin();
    bool left() const { return next_ < end_; }
    // Whether the next copy is the first of the frame.
    bool at_begin() const { return next_ == 0 && any(); }
    // Two numbers of strips of the frame. copied_strips: strips that the sink no longer needs from the source of
    // its process. next_strip: the strip that the next copy belongs to.
    int64_t copied_strips() const;
    int64_t next_strip() const { return next_strip_; }
    // Runs the next copy. A null source means that its frame is not there yet. Returns whether there was a step.
    bool copy_next(const std::byte *source, std::byte *sink);

    std::string explain() const;

private:
    void skip_strips_without_copies();

    std::vector<TeamCopies> copies_; // one list per copy, or one per strip if threads share its copies
    std::vector<size_t> ends_;       // per strip: its end in copies_
    size_t next_ = 0, end_ = 0;      // in copies_
    int64_t strips_ = 1, next_strip_ = 0;
};
static_assert(SinkLane<SelfLane>);

// The pads of the sink's buffer, which are filled with zeros.
class PadLane {
public:
    PadLane() = default;
    explicit PadLane(std::shared_ptr<const plan::Plan> plan);

    void begin() { next_ = 0; }
    bool left() const { return next_ < pads_; }
    bool fill_next(std::byte *sink_buffer);
    std::string explain() const;

private:
    std::shared_ptr<const plan::Plan> plan_;
    size_t pads_ = 0, next_ = 0;
};
static_assert(SinkLane<PadLane>);

} // namespace dri::exec
