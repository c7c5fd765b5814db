// What a process requests from DRI_dist_create, before it has communicated with the others of the group. All
// processes state the same GDO, partition and group. Each may bring a piece of its own.
#pragma once

#include "model/distribution.hpp"

namespace dri::model {

struct Request {
    Gdo gdo;
    Partition partition; // kind indices: this process's own lists; kind exact: its own box
    Group group;
};

bool brings_pieces(const Request &request);
// common_digest() covers what all processes must agree on; piece_of() is what belongs to this process alone.
Digest common_digest(const Request &request);
Bytes piece_of(const Request &request);
std::string to_text(const Request &request);

// Fails with DRI_ERR_ARG or DRI_ERR_CONSTRAINT, as making the distribution does, as far as the pieces are not
// needed.
void check_request(const Request &request);

// Makes the distribution from the pieces of all group positions; it is the same on every process. Fails with
// DRI_ERR_MISMATCH if processes with equal coordinates bring different lists, with DRI_ERR_ARG if a piece is not
// inside the array, and in the same cases as a distribution.
Distribution assemble(const Request &request, std::span<const Bytes> pieces);

} // namespace dri::model
