// The steps of a frame in a buffer that source and sink share, in addition to packing and unpacking. Received
// messages wait until the bytes that lie at their destination are packed. A part may be put in order before and
// after the exchange. Nothing is allocated after it is made.
#pragma once

#include "base/memory.hpp"
#include "kernel/arranger.hpp"
#include "plan/plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dri::exec {

class InPlaceSteps {
public:
    // block_bytes: as in Arranger; 0 if the plan puts nothing in order.
    InPlaceSteps(std::shared_ptr<const plan::Plan> plan, int64_t block_bytes);

    int64_t workspace_bytes() const { return blocks_bytes_; }
    void begin_source() { has_to_gather_ = gatherer_ != nullptr; }
    void begin_sink() { has_to_scatter_ = scatterer_ != nullptr; }

    // Call before the first message is packed.
    void gather(std::byte *source);
    // Call after the last message is unpacked.
    bool has_to_scatter() const { return has_to_scatter_; }
    void scatter(std::byte *sink);

    // Whether a received message may be unpacked after `packed` sends of the frame are packed. Otherwise hold()
    // keeps it.
    bool may_unpack(size_t message, size_t packed) const;
    void hold(size_t message) { held_.push_back(message); }
    bool holds_any() const { return !held_.empty(); }
    bool holds(size_t message) const;
    // Returns a held message that may be unpacked now, and no longer holds it.
    std::optional<size_t> release_ready(size_t packed);

    std::string text() const;

private:
    std::shared_ptr<const plan::Plan> plan_;
    std::vector<size_t> held_; // indices of messages
    // They put the source's part in order, and move the sink's to where it belongs; null if the plan has no such
    // step. The flags say whether that is still to be done in this frame.
    std::unique_ptr<kernel::Arranger> gatherer_, scatterer_;
    AlignedBuffer blocks_;
    int64_t blocks_bytes_ = 0;
    bool has_to_gather_ = false, has_to_scatter_ = false;
};

} // namespace dri::exec
