// What a process asks DRI_dist_create for, before it has met the others of the group: all say the same about the
// GDO, the partition and the group, and each may bring a piece of its own.
#pragma once

#include "model/distribution.hpp"

namespace dri {

struct Request {
    Gdo gdo;
    Partition partition; // lists of indices: this process's own; exact: its own box
    Group group;
};

bool brings_pieces(const Request &request);
// What all must agree on, and what is the process's own.
Digest common_digest(const Request &request);
Bytes piece_of(const Request &request);
std::string to_text(const Request &request);

// Fails with DRI_ERR_ARG or DRI_ERR_CONSTRAINT, as the making of a distribution does, before the pieces are known.
void check_request(const Request &request);

// From the pieces of all group positions: the same everywhere. Fails with DRI_ERR_MISMATCH where processes with
// equal coordinates bring different lists, with DRI_ERR_ARG where a piece leaves the array, and as a distribution
// does.
Distribution assemble(const Request &request, std::span<const Bytes> pieces);

} // namespace dri
