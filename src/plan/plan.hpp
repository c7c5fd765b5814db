// What one process does in each frame between one source side and one sink side of a transfer. Plain data: the
// planner makes it, the checker compares it with other plans, and exec runs it.
#pragma once

#include "plan/copy_list.hpp"
#include "plan/piece.hpp"
#include "plan/strided_copy.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dri::plan {

// The bytes that one process sends to another in one message. The copies of a send lead from the source buffer
// into the message; those of a receive lead from the message into the sink buffer. Offsets inside a message start
// at 0.
struct Message {
    Message() = default;
    Message(int with, int64_t length, CopyList list, int64_t in_round = 0)
        : peer(with), bytes(length), copies(std::move(list)), round(in_round) {}

    int peer = 0; // rank of the world
    // In a plan for lengths (planner::PlanFor): the number of messages with this peer and length. Otherwise 1.
    int32_t alike = 1;
    int64_t bytes = 0;
    CopyList copies;
    int64_t round = 0; // in place: see InPlaceOrder
};

// Ordering rule for in-place transfers, whose source and sink share a buffer. A round is a number that both
// processes of a message know. All processes send in rising order of rounds, and receive in the same order.
struct InPlaceOrder {
    // Per receive: the number of sends, in their order, that must be packed before it is written.
    std::vector<size_t> packed_before;
    // Send slots needed so that no receive waits for a send of a later round.
    int64_t sends_at_once = 0;
    // Set if a part is arranged. `before`: pieces that are moved to their sections before anything is packed.
    // `after`: pieces that are moved from their sections to their final addresses when everything is received.
    // Empty: nothing is moved.
    std::vector<Piece> before = {}, after = {};
    bool keeps_sent = false; // nothing that is sent is overwritten in the frame
};

// What a sink's process reads directly from the source buffer of another process, whose memory it can read.
struct Pull {
    int peer = 0;
    std::vector<StridedCopy> copies; // from the peer's source buffer to the own sink buffer
};

// The source's record of a pull: the process that pulls, and the bytes, counted in the source's type.
struct Puller {
    int peer = 0;
    int64_t bytes = 0;
    bool long_pieces = false; // the result of reads_in_long_pieces for the pull
    friend bool operator==(const Puller &, const Puller &) = default;
};

// Value of Plan::note_bytes if messages carry the window's offset: max_dims integers, then the number that is
// used.
constexpr int64_t window_note_bytes = sizeof(Dims);

struct Plan {
    int rank = 0;
    std::vector<StridedCopy> self; // from source buffer to sink buffer of the same process
    std::vector<Message> sends;    // in the order of posting; messages to one peer arrive in this order
    std::vector<Message> receives;
    std::vector<Pull> pulls;     // one per peer, or per peer and strip in the order of strips; some may be empty
    std::vector<Puller> pullers; // at most one per peer
    std::vector<StridedCopy> zeros; // pads of the sink buffer to fill; their sources have no meaning
    // If a frame of the sink consists of several frames of the source: where each strip's range in the lists above
    // ends.
    struct Strip {
        size_t self = 0, sends = 0, receives = 0;
        int64_t taken = 0; // bytes that the pullers read
    };
    std::vector<Strip> strips; // empty: the whole plan is one strip
    // Bytes behind the data of each message if the source's window slides. They hold the distance of the window
    // from its planned position.
    int64_t note_bytes = 0;
    // In place: `self` lists also what keeps its address, and zeros are filled after all sends are packed.
    std::optional<InPlaceOrder> in_place;
};

// Where the bytes of a send are read in the source's buffer, or those of a receive written in the sink's, if they
// are one stretch that is not converted: no packing is needed.
enum class BufferUse { read, written };
std::optional<int64_t> stretch_in_buffer(const Message &message, BufferUse use);

int64_t count_strips(const Plan &plan);
// Where strip k ends in the plan's lists.
Plan::Strip strip_end(const Plan &plan, int64_t k);

int64_t copies_bytes(const std::vector<StridedCopy> &copies); // in the source's type
int64_t self_bytes(const Plan &plan);
int64_t send_bytes(const Plan &plan);
int64_t receive_bytes(const Plan &plan);
int64_t pull_bytes(const Plan &plan); // all pulls; in the source's type
int64_t pull_bytes(const Pull &pull);
int64_t puller_bytes(const Plan &plan);

} // namespace dri::plan
