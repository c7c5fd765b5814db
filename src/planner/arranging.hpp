// In-place plans that put a part in order before messages are packed from it, and put the received part in its
// final order afterwards.
#pragma once

#include "model/distribution.hpp"
#include "plan/plan.hpp"

namespace dri::planner {

struct Arranged {
    std::vector<plan::Piece> before, after;
};

// Whether each element is sent to exactly one address, judged by cuts and boxes. If a sink has elements that
// receive nothing, they keep their contents, and the sink's part cannot be put in order.
bool gives_each_once(const model::Distribution &source, const model::Distribution &sink);

// Turns the plan's sends and receives into packs and unpacks. They must be copies from buffer to buffer, in rising
// order of rounds.
//
// If the shapes allow, the pieces of the part are assigned offsets in the order of rounds. Each message is then
// one contiguous section of the buffer on either side, and at any time as much of the buffer is free as has left
// it. A side is packed or unpacked as it lies in two cases: a piece has no runs in rising order (tables, for
// example), or an element is sent to several addresses (`each_once` is false).
//
// The peer does not notice which case applies: both processes of a message see the same bytes in the same order.
Arranged arrange(plan::Plan &plan, bool each_once);

} // namespace dri::planner
