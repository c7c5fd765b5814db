// Transfers whose source and sink share a buffer: what must have left a place before something else may be written
// there. A pure function of the plan.
#pragma once

#include "plan/plan.hpp"

namespace dri {

// Whether all bytes of the copy stay where they are when source and sink are one buffer.
bool is_identity_in_place(const StridedCopy &copy);

// Whether what the one reads and the other one writes may have bytes in common. Boxes of one array, and what is
// cut in cycles, are told apart exactly.
bool may_meet(const StridedCopy &read, const StridedCopy &written);

// The plan's sends and receives are in rising order of rounds. Cost: for each message as many comparisons as a
// tree of the sends has levels, where their stretches, in memory or in rows of some pitch, tell them apart;
// comparisons, if given, is how many there were.
InPlaceOrder rule_in_place(const std::vector<Message> &sends, const std::vector<Message> &receives,
                           int64_t *comparisons = nullptr);

} // namespace dri
