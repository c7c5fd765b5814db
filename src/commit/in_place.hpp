// Transfers whose source and sink share their buffers: which buffers those are, and how much memory their messages
// get.
#pragma once

#include "commit/prepare.hpp"

namespace dri {

bool in_place(const DraftTransfer &draft);

// The ways to plan in place, as numbers of halvings: all processes agree on the greatest that one of them needs.
// The last one is the first again, for those that get by with that alone.
enum InPlaceWay : int { as_it_lies = 0, arranged = 1, as_it_lies_at_last = 2 };
// Whether the draft, planned as it lies, takes more than 1/P of its data, and would take less arranged: within
// that mark, or by a quarter. Limits of both ends stand in for that mark.
bool prefers_arranged(const DraftTransfer &draft, SharedPlans &plans);

// Fails with DRI_ERR_ARG where this process's ends do not have the same buffers.
void check_shared_buffers(const DraftTransfer &draft);
// Makes both ends. Fails where memory is short.
void reserve_in_place(DraftTransfer &draft);
// Of the buffers that the library provides to both ends.
int64_t shared_buffer_bytes(const DraftTransfer &draft);

// All that its messages need at once, and more where that stays within half of a process's share of the data.
void give_room_in_place(DraftTransfer &draft);
// As much of that as the workspace limits of its ends allow; false where they do not allow what is needed at once.
bool fit_in_place(DraftTransfer &draft);
// What they need at once.
void give_least_room_in_place(DraftTransfer &draft);

} // namespace dri
