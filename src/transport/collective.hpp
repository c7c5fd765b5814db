// Collective steps over any ordered set of processes, made of set-up messages alone: no communicator is
// created, so any number of groups may be used, and steps of disjoint groups do not disturb each other.
//
// A step that fails on a member (a deadline, another group or operation at the other end, a transport error)
// throws on all members that it can still reach, with the same code and message. So it does on processes that wait
// for a member in a step of another group, where what they say tells that this one keeps that one from ending:
// each step ends with a stamp above those that its members began with. What a failed step leaves behind is
// dropped, so when all have given up they may try again; one that comes late waits for their next step. While a
// failure travels, a step may outlast its deadline by a fraction of a second. One thread at a time may use a tag.
#pragma once

#include "transport/transport.hpp"

#include <string>

namespace dri {

// Everybody's bytes, in the order of `members` (ranks of the world, the caller among them). Collective
// over the members. O(log P) steps.
std::vector<Bytes> all_gather(Transport &transport, std::span<const int> members, int tag, Bytes mine,
                              Deadline deadline);

struct Outcome {
    DRI_Code code = DRI_SUCCESS;
    std::string message;
    int rank = -1; // who found it
};

// The outcome that all members share: that of the first member, in their order, whose code is not DRI_SUCCESS.
// Collective over the members. O(log P) steps.
Outcome agree(Transport &transport, std::span<const int> members, int tag, const Outcome &mine, Deadline deadline);

} // namespace dri
