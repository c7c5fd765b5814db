// Collective steps over any ordered set of processes, made of set-up messages alone. No communicator is created.
// Therefore any number of groups may be used, and steps of disjoint groups do not disturb each other.
//
// A step can fail on a member: a deadline passes, a peer takes part with another group or makes another call, or
// the transport reports an error. The failure is thrown on all members that can still be reached, with the same
// code and message.
//
// Messages that a failed step leaves behind are dropped. When all members have returned, they may try again; a
// member that comes late waits for their next step. While a failure travels, a step may outlast its deadline by a
// fraction of a second. Two threads may take steps at once if their groups have only this process in common.
#pragma once

#include "transport/agreement.hpp"
#include "transport/step.hpp"

namespace dri::transport {

// The bytes of all members, in the order of step.members. Collective over the members. O(log P) steps.
std::vector<Bytes> all_gather(Transport &transport, const Step &step, Bytes mine);

struct Outcome {
    DRI_Code code = DRI_SUCCESS;
    std::string message;
    int rank = -1; // the process that found the failure
    friend bool operator==(const Outcome &, const Outcome &) = default;
    template <class F> static void fields(F f) { // for agreement.hpp
        f(&Outcome::code, Keep{});
        f(&Outcome::message, Keep{});
        f(&Outcome::rank, Keep{});
    }
};

// The one outcome that all members take over: that of the first member, in their order, whose code is not
// DRI_SUCCESS; success if there is none. Collective over the members. O(log P) steps.
Outcome agree(Transport &transport, const Step &step, const Outcome &mine);

} // namespace dri::transport
