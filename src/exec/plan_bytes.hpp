// How much memory a plan takes, and what is bound to it.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>

namespace dri::exec {

// Bytes that one endpoint's part of a plan holds: its lists of messages, its copies with their tables, the kernels
// bound to them, and what the exchanges keep for each message. Copies inside the process count for the sink. A
// list that several messages share counts once, and so does what the exchanges of the sends share.
struct HeldBytes {
    int64_t source = 0, sink = 0;
};
// send_exchanges: how many exchanges send the plan's messages.
HeldBytes plan_bytes(const plan::Plan &plan, int64_t send_exchanges, bool in_order);

} // namespace dri::exec
