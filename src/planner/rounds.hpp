// In place: the pieces in which two processes exchange what they have for one another, and when.
#pragma once

#include "plan/strided_copy.hpp"

#include <vector>

namespace dri {

// The positions of two processes in a group of `members`, which they share. The same for both.
struct PeerPair {
    int64_t a = 0, b = 0, members = 1;
};

// What goes from one of them to the other in one round.
struct RoundPiece {
    int64_t round = 0;
    std::vector<StridedCopy> copies;
};

// In rising order of rounds. What goes the other way is cut alike where it has the same shape turned: then what
// comes in a round, or in the next one, lies where something of these rounds came from. Copies that step through
// source and sink in one order are cut into slabs: in each round everybody exchanges a slab with everybody. Others
// are cut into tiles, in pairs that mirror each other; everybody is done with one process before the next one.
// Lists along further dimensions are not cut, and each piece has them again: there are as many pieces as save more
// workspace than that takes, and of those that only make frames faster, as many as take an eighth of what is
// exchanged.
std::vector<RoundPiece> cut_into_rounds(const std::vector<StridedCopy> &copies, const PeerPair &pair);

// No shorter are the messages of pieces: shorter ones save nothing, and their lists would take more than a part of
// them.
int64_t min_message_limit(const std::vector<StridedCopy> &copies);

// As cut_into_rounds where what comes has a place in order, whatever its shape: in each round everybody exchanges
// a piece with everybody, so that each part empties as evenly as it fills. Pieces are a small part of what a
// process has if all have as much, and are cut so that the runs that a piece is gathered from, and goes to, stay
// long.
std::vector<RoundPiece> cut_into_pieces(const std::vector<StridedCopy> &copies, const PeerPair &pair,
                                        int64_t array_bytes);

} // namespace dri
