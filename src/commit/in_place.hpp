// Transfers whose source and sink share their buffers: which buffers these are, and how much memory their messages
// receive.
#pragma once

#include "commit/prepare.hpp"

namespace dri::commit {

bool in_place(const DraftTransfer &draft);

// Fails with DRI_ERR_ARG if this process's source and sink do not have the same buffers.
void check_shared_buffers(const DraftTransfer &draft);
// Makes both endpoints. Fails if memory is short.
void reserve_in_place(DraftTransfer &draft);
// Bytes of the buffers that the library provides to both endpoints.
int64_t shared_buffer_bytes(const DraftTransfer &draft);

// Bytes of this process's part in the source or in the sink, whichever is larger. A shared buffer holds either.
int64_t larger_part_bytes(const DraftTransfer &draft);
// Sets the draft's staging budget. Messages receive the memory that they need at once. They receive more if it
// stays within the process's quota, half of it for sends and half for receives, and within the workspace limits of
// both endpoints. The quota is larger_part_bytes() divided by the number of processes. Returns false if the limits
// do not even allow what is needed at once. Cost: a few walks over the messages.
bool fit_in_place(DraftTransfer &draft);
// As fit_in_place(), but fails with DRI_ERR_LIMIT if the limits do not suffice.
void fit_in_place_or_fail(DraftTransfer &draft);
// Sets the staging budget to what the messages need at once.
void give_min_staging_in_place(DraftTransfer &draft);

} // namespace dri::commit
