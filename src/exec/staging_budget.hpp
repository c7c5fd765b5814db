// How many messages of a process's endpoints in one flow have memory at once, and how many bytes that is.
#pragma once

#include "plan/plan.hpp"
#include "transport/transport.hpp"

#include <vector>

namespace dri::exec {

struct StagingBudget {
    // Source: frames of which every message has its own slot. 0: less than one frame; then each receiver has
    // per_receiver slots, and the frame's other messages wait until those have left.
    int64_t frames = 1;
    int64_t per_receiver = transport::unlimited_credits;
    // Sink: messages of one sender that have memory at once. With two, one can arrive while another one is
    // unpacked.
    int64_t per_sender = 2;
    // In place, instead of the other counts: slots for messages to all receivers together, and from all senders
    // together. If all sends of a frame have a slot, each slot is only as long as its message.
    int64_t sends_in_place = 0, receives_in_place = 0;
    // In place: bytes of the blocks in which a part is put in order; 0 if the plan does not do that.
    int64_t block_bytes = 0;
};

// Credits for the sends of a plan in place that has so many slots.
int64_t send_credits_in_place(const plan::Plan &plan, int64_t slots);

// note_bytes: as in Plan.
std::vector<transport::MessageSpec> specs(const std::vector<plan::Message> &messages, int64_t note_bytes = 0);

// The exchanges for the sends of a plan. An exchange sends all messages of one frame of the sink; frames use the
// exchanges round-robin. If source frames are strips of a sink frame, one exchange serves several of them. There
// are enough exchanges for StagingBudget::frames consecutive frames of the source, whichever strip is the first.
struct SendStaging {
    int64_t exchanges = 1;
    int64_t credits = transport::unlimited_credits; // messages to one receiver that an exchange holds at once
};
SendStaging send_staging(const plan::Plan &plan, const StagingBudget &budget);

// Bytes that the prepared exchanges hold for the sends, or the receives, of a plan.
int64_t send_staging_bytes(const plan::Plan &plan, const StagingBudget &budget);
int64_t receive_staging_bytes(const plan::Plan &plan, const StagingBudget &budget);

} // namespace dri::exec
