// The memory of a link's lanes as a value. It is computed from a plan before anything is reserved, and the lanes
// are made from it. Therefore the bytes that are told beforehand are those that are reserved.
#pragma once

#include "plan/plan.hpp"
#include "transport/exchange.hpp"
#include "transport/transport.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace dri::exec {

// How many messages of a process's endpoints in one flow have memory at once.
struct StagingBudget {
    // Source: frames of which every message has its own slot. 0: less than one frame; then each receiver has
    // per_receiver slots, and the frame's other messages wait until those have left.
    int64_t frames = 1;
    int64_t per_receiver = transport::unlimited_credits;
    // Sink: messages of one sender that have memory at once. With two, one can arrive while another one is
    // unpacked.
    int64_t per_sender = 2;
    // Slots of less than a cache line are as long as their messages. They take the least memory; neighbours share
    // lines.
    bool dense = false;
    // In place, instead of the other counts: slots for messages to all receivers together, and from all senders
    // together. If all sends of a frame have a slot, each slot is only as long as its message.
    int64_t sends_in_place = 0, receives_in_place = 0;
    // In place, if nothing that is sent is overwritten: whether messages that are one stretch of the buffer are
    // sent from there, and received there. Only the others need slots. Received there: all others have one.
    bool sends_from_buffer = false, receives_into_buffer = false;
    // In place: bytes of the blocks in which a part is put in order; 0 if the plan does not do that.
    int64_t block_bytes = 0;
};

// The exchanges of one direction. All are alike; frames use them round-robin.
struct MessageLayout {
    transport::ExchangeSpec spec; // without its tag
    int64_t exchanges = 0;        // 0: there are no messages

    int64_t bytes() const;
    // The exchanges themselves. They share what is equal in all of them.
    std::vector<std::unique_ptr<transport::Exchange>> prepare(transport::Transport &transport, int64_t tag) const;
};

// The sends of a plan. An exchange sends all messages of one frame of the sink. If source frames are strips of a
// sink frame, one exchange serves several of them. There are enough exchanges for StagingBudget::frames
// consecutive frames of the source, whichever strip is the first.
struct SendLayout {
    MessageLayout messages;
    int64_t frames = 0; // as in StagingBudget
    // Frames of the source whose messages to a receiver have slots at once in an exchange; 0: less than one frame.
    int64_t credit_frames = 0;
    // Order of sending: one message to each peer, then the next one to each.
    bool round_robin = false;
    // In place: blocks in which a part is put in order. Their length, the memory in which they lie, and all memory
    // for that.
    int64_t block_bytes = 0, blocks_bytes = 0, arranging_bytes = 0;

    int64_t bytes() const;
};
// MPI sends a message of this length with the call that posts it, as far as its receiver has memory. Longer ones
// move while both processes look. Open MPI's limit is 4,096 bytes with its own header.
constexpr int64_t sent_at_once = 4032;

// In place: where in the buffer each message lies if it needs no staging, otherwise transport::in_staging. Empty
// if all are in staging. A send from the buffer holds it until the receiver has taken the message. A short one to
// a process that sends nothing back is therefore packed, so that its sender can go on.
std::vector<int64_t> sends_in_buffer(const plan::Plan &plan);
std::vector<int64_t> receives_in_buffer(const plan::Plan &plan);

SendLayout send_layout(const plan::Plan &plan, const StagingBudget &budget);
MessageLayout receive_layout(const plan::Plan &plan, const StagingBudget &budget);

// The memory of all messages of a link.
struct LinkLayout {
    SendLayout sends = {};
    MessageLayout receives = {};
};
LinkLayout link_layout(const plan::Plan &plan, const StagingBudget &budget);

// Scratch memory for the tiles of a plan's pulls. The pulls use it one after the other. reads_elsewhere: whether
// the buffers of a process are read with the system's help. threads, min_bytes: of the sink's team. Cost: the
// number of tiles.
int64_t tile_bytes(const plan::Plan &plan, const std::function<bool(int peer)> &reads_elsewhere, int64_t threads,
                   int64_t min_bytes);

} // namespace dri::exec
