// In place: cuts what two processes exchange into pieces, and assigns each piece to a round.
#pragma once

#include "plan/strided_copy.hpp"

#include <vector>

namespace dri::planner {

// Two processes, by their positions in a group of `members`. Both processes compute the same value.
struct PeerPair {
    int64_t a = 0, b = 0, members = 1;
};

// What one process of the pair sends to the other in one round.
struct RoundPiece {
    int64_t round = 0;
    std::vector<plan::StridedCopy> copies;
};

// Cuts copies for the as-it-lies method, in rising order of rounds. The opposite direction is cut in the same way
// if it has the same shape transposed. Data that arrive in a round, or in the next one, then go where data lay
// that were sent in these rounds.
// - Slabs: if copies step through source and sink in the same order. In each round every process exchanges one
//   slab with every process.
// - Tiles: otherwise, in pairs that mirror each other. A process finishes with one peer before it meets the next
//   one.
// Lists along further dimensions are not cut; each piece repeats them. The number of pieces is limited
// accordingly: pieces save more workspace than the repeated lists use. Pieces that only make frames faster may
// repeat lists of at most an eighth of the exchanged bytes.
std::vector<RoundPiece> cut_into_rounds(const std::vector<plan::StridedCopy> &copies, const PeerPair &pair);

// Minimum length of the messages of a piece. Shorter messages save nothing, because their repeated lists would use
// more than 1/24 of them.
int64_t min_message_limit(const std::vector<plan::StridedCopy> &copies);

// Cuts copies for the arranged method, in which incoming data fill a section in order whatever their shape. In
// each round every process exchanges one piece with every process. Each part therefore empties as evenly as it
// fills. Pieces are a small fraction of a part if all processes hold equally much. They are cut so that the runs
// of both sides stay long.
std::vector<RoundPiece> cut_into_pieces(const std::vector<plan::StridedCopy> &copies, const PeerPair &pair,
                                        int64_t array_bytes);

} // namespace dri::planner
