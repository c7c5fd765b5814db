// The lane of a buffer that source and sink share. It drives the lanes of messages in an order that loses no byte:
// received messages wait until the bytes that lie at their destination are packed. A part may be put in order
// before and after the exchange.
#pragma once

#include "base/memory.hpp"
#include "exec/lane.hpp"
#include "exec/lane_layout.hpp"
#include "exec/message_lane.hpp"
#include "exec/offset_consensus.hpp"
#include "kernel/arranger.hpp"
#include "plan/plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dri::exec {

class InPlaceLane {
public:
    InPlaceLane() = default;
    // The plan is one in place.
    InPlaceLane(std::shared_ptr<const plan::Plan> plan, const SendLayout &layout);

    bool any() const { return plan_ != nullptr; } // whether the buffers are shared at all
    // The frame of the source starts before that of the sink in the same buffer.
    void begin(const FrameToSend &) { has_to_gather_ = gatherer_ != nullptr; }
    void begin() { has_to_scatter_ = scatterer_ != nullptr; }
    // As in SendLane. The first call puts the source's part in order.
    bool post_next(SendLane &sends, std::byte *source, SendAhead ahead);
    // As in ReceiveLane, but a message that may not be unpacked yet is held.
    bool unpack_next(ReceiveLane &receives, const SendLane &sends, std::byte *sink);
    // Moves the received pieces to where they belong, once nothing is left to send or to receive.
    bool scatter(SendLane &sends, const ReceiveLane &receives, std::byte *sink);
    // Of the sink's frame: whether messages are held, or pieces not where they belong yet.
    bool left() const { return !held_.empty() || has_to_scatter_; }
    // The sender of a message that has not arrived.
    std::optional<int> pending(const ReceiveLane &receives, const Among &among = anybody) const;
    std::string explain() const;

private:
    bool may_unpack(size_t message, const SendLane &sends) const;

    std::shared_ptr<const plan::Plan> plan_;
    std::vector<size_t> held_; // indices of messages, in the order of their arrival
    // They put the source's part in order, and move the sink's to where it belongs; null if the plan has no such
    // step. The flags say whether that is still to be done in this frame.
    std::unique_ptr<kernel::Arranger> gatherer_, scatterer_;
    AlignedBuffer blocks_;
    bool has_to_gather_ = false, has_to_scatter_ = false;
    OffsetConsensus no_windows_; // windows do not slide in place
};
static_assert(SourceLane<InPlaceLane> && SinkLane<InPlaceLane>);

} // namespace dri::exec
