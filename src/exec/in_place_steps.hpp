// What a frame does in a buffer that source and sink share, beside packing and unpacking: messages that have come
// wait for the place of what is not packed yet, and a part may be put in order before and after. Allocates nothing
// after it is made.
#pragma once

#include "base/memory.hpp"
#include "kernel/arranger.hpp"
#include "plan/plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dri {

class InPlaceSteps {
public:
    // block_bytes: as of Arranger; 0 where the plan puts nothing in order.
    InPlaceSteps(std::shared_ptr<const Plan> plan, int64_t block_bytes);

    int64_t workspace_bytes() const { return blocks_bytes_; }
    void begin_source() { has_to_gather_ = gatherer_ != nullptr; }
    void begin_sink() { has_to_scatter_ = scatterer_ != nullptr; }

    // Before the first message is packed.
    void gather(std::byte *source);
    // After the last one is unpacked.
    bool has_to_scatter() const { return has_to_scatter_; }
    void scatter(std::byte *sink);

    // Whether a message that has come may be unpacked when so many are packed; else it is held.
    bool may_unpack(size_t message, size_t packed) const;
    void hold(size_t message) { held_.push_back(message); }
    bool holds_any() const { return !held_.empty(); }
    bool holds(size_t message) const;
    // One that is held and may be unpacked; it is held no longer.
    std::optional<size_t> release_ready(size_t packed);

    std::string text() const;

private:
    std::shared_ptr<const Plan> plan_;
    std::vector<size_t> held_; // messages
    // What puts the source's part in order, and the sink's, where the plan says so; and whether that is still to
    // be done in this frame.
    std::unique_ptr<Arranger> gatherer_, scatterer_;
    AlignedBuffer blocks_;
    int64_t blocks_bytes_ = 0;
    bool has_to_gather_ = false, has_to_scatter_ = false;
};

} // namespace dri
