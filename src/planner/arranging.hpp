// In-place plans that put a part in order before messages are packed from it, and put the received part in its
// final order afterwards.
#pragma once

#include "plan/plan.hpp"
#include "planner/side.hpp"

namespace dri::planner {

struct Arranged {
    std::vector<plan::Piece> before, after;
};

// Whether parts can be put in order, judged by what all processes know, so that all come to the same answer:
// - Each element is sent to exactly one address. If a sink has elements that receive nothing, they keep their
//   contents, and the sink's part cannot be put in order.
// - Numbers keep their type and their value.
// - The source has no long lists of indices. These become tables, while a piece has only loops.
// - Parts that exchange their places, as in a square corner turn, lie in order already.
bool can_be_arranged(const Side &source, const Side &sink);

// Turns the plan's sends and receives into packs and unpacks. They must be copies from buffer to buffer, in rising
// order of rounds.
//
// The pieces of the part are assigned offsets in the order of rounds, falling if the part grows. Each message is
// then one contiguous section of the buffer on either side, and at any time as much of the buffer is free as has
// left it. A side is packed or unpacked as it lies if a piece has no runs in rising order (tables, for example).
// can_be_arranged() must be true.
//
// The peer does not notice which case applies: both processes of a message see the same bytes in the same order.
Arranged arrange(plan::Plan &plan);

} // namespace dri::planner
