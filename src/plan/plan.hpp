// What one process does in each frame between one source side and one sink side of a transfer. Plain
// data: made by the planner, printed, checked pair by pair, run by exec.
#pragma once

#include "plan/piece.hpp"
#include "plan/strided_copy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dri {

// The bytes that go from one process to another in one message. Send: copies go from the source buffer
// into the message; receive: from the message into the sink buffer. Offsets inside the message start at 0.
struct Message {
    int peer = 0; // rank of the world
    int64_t bytes = 0;
    std::vector<StridedCopy> copies;
    int64_t round = 0; // in place: see InPlaceOrder
};

// What a process keeps to where its source and its sink share a buffer. Rounds are numbers that both ends of a
// message know; all processes send, and receive, in their rising order.
struct InPlaceOrder {
    // Per receive: before it is written, so many of the sends, in their order, must be packed.
    std::vector<size_t> packed_before;
    // Sends that need memory at once, so that a receive never waits for a send of a later round to leave.
    int64_t sends_at_once = 0;
    // Where the messages are not cut from the part as it lies: its pieces are put in order, place by place, before
    // anything is packed, and the sink's go from their places to where they belong when all is received. Empty:
    // nothing is moved.
    std::vector<Piece> before = {}, after = {};
};

// What goes to a sink's process straight from the source buffer of another process, whose memory it can read.
struct Pull {
    int peer = 0;
    std::vector<StridedCopy> copies; // the peer's source buffer to the own sink buffer
};

// The other end of a pull: who takes, and how much, in the source's type.
struct Puller {
    int peer = 0;
    int64_t bytes = 0;
    bool long_pieces = false; // as reads_in_long_pieces says of the pull
    friend bool operator==(const Puller &, const Puller &) = default;
};

// What note_bytes are where there is a note: one number per dimension, and how many there are.
constexpr int64_t window_note_bytes = sizeof(Dims);

struct Plan {
    int rank = 0;
    std::vector<StridedCopy> self; // source buffer to sink buffer of the same process
    std::vector<Message> sends;    // in the order of posting; messages to one peer arrive in this order
    std::vector<Message> receives;
    std::vector<Pull> pulls;        // one per peer, or per peer and strip, in the order of strips, some of nothing
    std::vector<Puller> pullers;    // at most one per peer
    std::vector<StridedCopy> zeros; // pads of the sink buffer to fill; their source does not count
    // Where a frame of the sink comes in several of the source: up to where the lists above are each one's.
    struct Strip {
        size_t self = 0, sends = 0, receives = 0;
        int64_t taken = 0; // bytes of the pullers
    };
    std::vector<Strip> strips; // empty: there is one
    // Behind the data of each message, where the source's window slides: how far it is from where it was planned.
    int64_t note_bytes = 0;
    // In place: `self` is then what stays where it is, and zeros come when all sends are packed.
    std::optional<InPlaceOrder> in_place;
};

int64_t count_strips(const Plan &plan);
// Where strip k ends.
Plan::Strip strip_end(const Plan &plan, int64_t k);

int64_t copies_bytes(const std::vector<StridedCopy> &copies); // in the source's type
int64_t self_bytes(const Plan &plan);
int64_t send_bytes(const Plan &plan);
int64_t receive_bytes(const Plan &plan);
int64_t pull_bytes(const Plan &plan); // all pulls; in the source's type
int64_t pull_bytes(const Pull &pull);
int64_t puller_bytes(const Plan &plan);

// What the first `strips` strips of the source, all or less of a sink's frame, take together.
struct PlanBytes {
    int64_t self = 0, sent = 0, taken = 0, sends = 0; // sends: a number of messages
};
PlanBytes bytes_of_strips(const Plan &plan, int64_t strips);

// Faults of a set of plans, one per process of the job: a send without its receive or of another length, a
// pull whose peer knows of no puller, a copy that leaves its buffer or message. Empty if there are none. buffers:
// bytes of each process's source and sink buffer.
struct BufferBytes {
    int64_t source = 0, sink = 0;
};
std::string check_plans(const std::vector<Plan> &plans, const std::vector<BufferBytes> &buffers);

std::string to_text(const Plan &plan);

} // namespace dri
