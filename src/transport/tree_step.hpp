// One collective step: contents go up a binomial tree to its root and are combined on the way; the result goes
// down the same tree. The tree uses the members in ascending order. Therefore members that disagree about the
// order of their group still communicate, and find out.
#pragma once

#include "transport/step.hpp"

namespace dri::transport {

// Combines two contents: adds `following` to `content`. The members of `following` come after those of `content`
// in ascending order.
using Combine = void (*)(Bytes &content, Bytes &&following);

// Computes a member's answer from two things: the answer of a member before it (its parent), and the combined
// content of the members from that one on that come before it. With it each member can receive a prefix of all
// contents.
using Downsweep = Bytes (*)(const Bytes &answer, const Bytes &before);

// Without a downsweep, returns the combined content of all members, which is the same on all of them. With a
// downsweep, the first member receives that content, and each other one what the downsweep computes. Throws if the
// step fails; see collective.hpp.
Bytes tree_step(Transport &transport, const Step &step, Bytes mine, Combine combine,
                Downsweep downsweep = nullptr);

// Sends to the processes that may wait for this one in the call of `refused` why it takes no part in that call.
// They continue to wait, because the call may be repeated here. Their timeout then names the reason. Only
// processes of `may_send_to` are informed, which is in rising order: no other thread of this process exchanges
// set-up messages with them now. Never waits.
void announce_refusal(Transport &transport, const Step &refused, std::string_view reason,
                      std::span<const int> may_send_to);

} // namespace dri::transport
