// What the processes of a collective step tell each other: contents and failures going up and down a tree.
#pragma once

#include "transport/transport.hpp"
#include "transport/tree_step.hpp"

namespace dri {

// What a process takes part in. Two processes take part in the same if their labels are equal.
struct Label {
    Digest group; // of the members, in their order
    int64_t members = 0;
    Operation operation{};
    friend bool operator==(const Label &, const Label &) = default;
};

const char *name(Operation operation);

enum class Direction : uint8_t {
    up,   // the content of a subtree; its sender now waits for the way down
    down, // the answer to that
    gone, // the sender waits no longer
};

struct Packet {
    Label label;
    Direction direction{};
    uint64_t sequence = 0; // of the process that goes up; the answer bears the same
    uint64_t begun = 0;    // stamp that the sender began with
    Digest left;           // the group of the last step that failed on the sender
    // Going up, the greatest that anybody of the subtree began with; in an answer, what all go on with: one more.
    uint64_t stamp = 0;
    bool failed = false;
    Bytes content; // of the operation, or the failure
};

Bytes encode(const Packet &packet);
// Fails with DRI_ERR_MISMATCH on bytes that are no packet.
Packet decode_packet(const Bytes &bytes, int peer);

// Why a step ends badly, the same on all who hear of it.
struct Failure {
    DRI_Code code = DRI_ERR_INTERNAL;
    std::string message;      // empty where the missing ranks tell it
    std::vector<int> missing; // ranks waited for in vain, where the code is DRI_ERR_TIMEOUT
};

Bytes encode(const Failure &failure);
Failure decode_failure(const Bytes &bytes);

} // namespace dri
