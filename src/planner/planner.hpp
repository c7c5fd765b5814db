// Planning: a pure function of what all agreed on and of a rank. No communication, clock, environment or
// addresses. The cost grows with the partners of that rank and with the block patterns, not with the array.
#pragma once

#include "plan/plan.hpp"
#include "planner/node_map.hpp"
#include "planner/pieces.hpp"
#include "planner/side.hpp"

namespace dri {

// Messages of 4 KB; shorter ones cost more to send than to pack.
constexpr int max_halvings = 9;

struct PlanOptions {
    int64_t message_bytes = int64_t{1} << 30; // larger pieces are split
    bool self_way = true;                     // off: what stays in a process goes as messages, too
    bool direct_way = false; // on: a sink's process pulls from those whose memory it can read, see NodeMap
    Gathering gathering;
    int64_t chunk_bytes = int64_t{2} << 20; // of messages: see message_limit
    int halvings = 0;                       // of the messages' length, to take less memory: up to max_halvings
    bool in_place = false; // on: source and sink of every process share a buffer; their groups have the same
                           // ranks, and all but what stays where it is goes by messages, which are not halved
    bool arranges = false; // in place: parts are put in order before and after; see arrange
    bool notes = false;    // on: the source's window slides, and messages tell where it is
    friend bool operator==(const PlanOptions &, const PlanOptions &) = default;
};

// What the process `rank` does in each frame between a source side and a sink side. Processes that are in
// neither group get an empty plan. nodes: which copy of a replicated source is near, and whose memory can be read.
Plan make_plan(const Side &source, const Side &sink, const PlanOptions &options, int rank,
               const NodeMap &nodes = {});

} // namespace dri
