// Transfers in place: all processes of a transfer choose one of two ways to plan it. See
// docs/in_place_planning.md.
#pragma once

#include "commit/decision.hpp"
#include "commit/prepare.hpp"
#include "model/group.hpp"
#include "transport/collective.hpp"
#include "transport/transport.hpp"

namespace dri::commit {

// Whether the cost of the as-it-lies way does not settle the choice, so that the arranged way must be planned,
// too.
bool is_in_doubt(const InPlaceCost &as_it_lies);
// The way to use:
// - If limits forbid a way, the one that exceeds its limits by less. It is as-it-lies if both exceed them equally.
// - Otherwise as-it-lies, if no process exceeds the mark with it.
// - Otherwise arranged, if no process exceeds the mark with that one, or if its largest workspace is less than
//   three quarters of the other's.
// - Otherwise as-it-lies.
InPlaceWay way_to_go(const InPlaceCost &as_it_lies, const InPlaceCost &arranged);
// The way for which minima are reported. If limits allow both, it is the one whose smallest workspaces have the
// smaller sum; otherwise that of way_to_go(). Endpoints that have these minima as limits fit. If one of these
// limits is a byte less, neither way fits, because the sum of the limits is below the sum of minima of either way.
InPlaceWay way_of_min_workspace(const InPlaceCost &as_it_lies, const InPlaceCost &arranged);

// For each draft that is in place: replans it in the way that all its processes agree on, sets its staging budget,
// and sets DraftTransfer::smallest to the plans of the way for which minima are reported. asked: names whose
// minima this process queries. If a draft does not fit into its limits, the outcome becomes DRI_ERR_LIMIT.
// Collective over the scope: one step, and a second one if any transfer is in doubt. patience: for each step.
void choose_ways(const Party &party, std::span<DraftTransfer> drafts, std::span<const std::string> asked,
                 SharedPlans &plans, transport::Outcome &outcome);

} // namespace dri::commit
