// Transfers in place: which of two ways to plan them all their processes go.
#pragma once

#include "commit/decision.hpp"
#include "commit/prepare.hpp"

namespace dri {

// Whether the first way may not be the one, so that the other must be known.
bool is_in_doubt(const InPlaceCost &as_it_lies);
// The one that limits allow, or of which they lack less; where both do: as it lies, unless a process takes more
// than the mark then, and arranged none does, or the one that takes most takes less by a quarter.
InPlaceWay way_to_go(const InPlaceCost &as_it_lies, const InPlaceCost &arranged);
// Of the ways that limits allow the one whose smallest workspaces are less, added up. Where all ends have theirs
// as limits, the other way does not fit those with a byte less on any of them.
InPlaceWay way_of_min(const InPlaceCost &as_it_lies, const InPlaceCost &arranged);

// Plans those of the drafts that are in place the way that all their processes agree on, gives their messages room
// and says with which plans they take least. asked: names of which somebody wants to know that. Fails, by
// the outcome, with DRI_ERR_LIMIT where the draft does not fit into its limits. Collective over the scope: one
// step, and one more where some transfer is in doubt; patience: for each.
void choose_ways(Transport &transport, const Group &scope, int tag, std::span<DraftTransfer> drafts,
                 std::span<const std::string> asked, SharedPlans &plans, std::chrono::nanoseconds patience,
                 Outcome &outcome);

} // namespace dri
