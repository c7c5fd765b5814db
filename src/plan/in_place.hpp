// In-place transfers: which sends must be packed before a receive may be written into the shared buffer. A pure
// function of the plan.
#pragma once

#include "plan/plan.hpp"

namespace dri::plan {

// Whether all bytes of the copy keep their address if source and sink are one buffer.
bool is_identity_in_place(const StridedCopy &copy);
// Bytes of the copies of `self` that keep their address. The plan is one in place.
int64_t bytes_that_stay(const Plan &plan);

// Whether the bytes that one copy reads and another one writes may overlap. The answer is exact for boxes of one
// array and for cyclic cuts; in doubt it is true.
bool may_meet(const StridedCopy &read, const StridedCopy &written);

// Derives the order of packing and unpacking. Sends and receives must be in rising order of rounds. Cost: per
// message as many comparisons as a tree of the sends has levels, if ranges of memory, or of rows of some pitch,
// distinguish the messages. `comparisons`, if not null, receives the number of comparisons.
InPlaceOrder in_place_order(const std::vector<Message> &sends, const std::vector<Message> &receives,
                            int64_t *comparisons = nullptr);

} // namespace dri::plan
