// Transfers whose source and sink share their buffers: which buffers those are, and how much memory their messages
// get.
#pragma once

#include "commit/prepare.hpp"

namespace dri {

bool in_place(const DraftTransfer &draft);

// Fails with DRI_ERR_ARG where this process's ends do not have the same buffers.
void check_shared_buffers(const DraftTransfer &draft);
// Makes both ends. Fails where memory is short.
void reserve_in_place(DraftTransfer &draft);
// Of the buffers that the library provides to both ends.
int64_t shared_buffer_bytes(const DraftTransfer &draft);

// The larger part of its process.
int64_t larger_part_bytes(const DraftTransfer &draft);
// Gives its messages what they need at once, and more where that stays within half of the process's share of its
// data and the workspace limits of its ends; false where those do not allow what is needed at once. Cost: a few
// walks over the messages.
bool fit_in_place(DraftTransfer &draft);
// What they need at once.
void give_min_staging_in_place(DraftTransfer &draft);
// Of both ends, with the room that the draft gives.
int64_t workspace_in_place(const DraftTransfer &draft);

} // namespace dri
