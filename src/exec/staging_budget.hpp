// How much memory the messages of a process's ends in one flow get, and how many bytes that is.
#pragma once

#include "plan/plan.hpp"
#include "transport/transport.hpp"

#include <vector>

namespace dri {

struct StagingBudget {
    // A source: frames all of whose messages have a place of their own. 0: not even one; so many messages of each
    // receiver have one, and the others of the frame wait until those are away.
    int64_t frames = 1;
    int64_t per_receiver = Transport::unlimited_credits;
    // A sink: messages of one sender that have memory at once: one that comes while the one before it is unpacked.
    int64_t per_sender = 2;
    // In place, and then instead of the others: messages of all receivers, or senders, together that have a place.
    // Where all sends of a frame have one, those are as long as they must be.
    int64_t sends_in_place = 0, receives_in_place = 0;
    // And of the blocks in which its part is put in order; 0 where the plan does not.
    int64_t block_bytes = 0;
};

// Of the sends of a plan that is in place.
int64_t send_credits_in_place(const Plan &plan, int64_t slots);

// note_bytes: as of Plan.
std::vector<MessageSpec> specs(const std::vector<Message> &messages, int64_t note_bytes = 0);

// How the sends of a plan are prepared: in how many exchanges, used by turns, and with how many messages of each
// receiver at once. An exchange is that of a frame of the sink. Where that comes in strips, the room for `frames`
// of the source is a part of one, and one more is there for each sink's frame that they reach into.
struct SendStaging {
    int64_t exchanges = 1;
    int64_t credits = Transport::unlimited_credits;
};
SendStaging send_staging(const Plan &plan, const StagingBudget &budget);

// What prepared exchanges will hold for the sends, or the receives, of a plan.
int64_t send_staging_bytes(const Plan &plan, const StagingBudget &budget);
int64_t receive_staging_bytes(const Plan &plan, const StagingBudget &budget);

} // namespace dri
