// The messages of a collective step: contents and failures that go up and down a tree.
#pragma once

#include "transport/step.hpp"

namespace dri::transport {

// Identifies the step that a process takes part in. Two processes take part in the same step if their labels are
// equal.
struct Label {
    Digest group; // digest of the members, in their order
    int64_t members = 0;
    std::string call, purpose; // as in Step
    friend bool operator==(const Label &, const Label &) = default;
};

Label label_of(const Step &step);

enum class Direction : uint8_t {
    up,      // the content of a subtree; its sender now waits for the answer
    down,    // the answer to a packet that went up
    gone,    // the sender no longer waits for an answer
    refused, // the sender has refused the call of the label; it takes part in no step with this packet
};

struct Packet {
    Label label;
    Direction direction{};
    uint64_t sequence = 0; // sequence of the process that sends up; the answer has the same one
    bool failed = false;
    Bytes content; // the content of the step, the encoded failure if `failed`, or the reason of a refusal
};

Bytes encode(const Packet &packet);
// Fails with DRI_ERR_MISMATCH if the bytes are not a packet.
Packet decode_packet(const Bytes &bytes, int peer);

// Why a step fails. It is the same on all processes that receive it.
struct Failure {
    DRI_Code code = DRI_ERR_INTERNAL;
    std::string message;      // empty if the missing ranks say it all
    std::vector<int> missing; // if the code is DRI_ERR_TIMEOUT: the ranks that were waited for in vain
    std::string reason = {};  // why some of the missing do not come, or where they are
};

Bytes encode(const Failure &failure);
Failure decode_failure(const Bytes &bytes);

} // namespace dri::transport
