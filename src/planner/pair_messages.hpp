// The messages between two processes. They depend only on what both know, so both compute the same ones.
#pragma once

#include "plan/plan.hpp"
#include "planner/in_place_method.hpp"
#include "planner/messages.hpp"
#include "planner/node_map.hpp"
#include "planner/plan_options.hpp"
#include "planner/side.hpp"

#include <vector>

namespace dri::planner {

// Process `rank`, which plans, and its peer. One of them is in the source, the other one in the sink; they may be
// the same process.
struct Pair {
    const Side &source, &sink;
    const PlanOptions &options;
    const NodeMap &nodes;
    int rank, peer;
    InPlaceMethod method;
};

// Cuts the copies into messages as split_messages(), which lead from buffer to buffer.
std::vector<plan::Message> messages_of(const Pair &pair, const std::vector<plan::StridedCopy> &copies);

// to_one: all messages from the pair's source to its sink.
ReorderAt reorder_at(const Pair &pair, const std::vector<plan::Message> &to_one);

} // namespace dri::planner
