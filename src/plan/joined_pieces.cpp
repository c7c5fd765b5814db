// Joins pieces that together have runs of one length at even distances.
#include "plan/piece.hpp"

#include <algorithm>
#include <span>

namespace dri::plan {

namespace {

bool follows(const Piece &piece, const Piece &next) { return piece.offset + piece_bytes(piece) == next.offset; }

// These make one piece of two whose sections follow each other. They return false and change nothing if the two
// cannot be one piece.

// Two runs that are one longer run.
bool lengthen(Piece &piece, const Piece &next) {
    if (!follows(piece, next) || !piece.loops.empty() || !next.loops.empty() ||
        next.first != piece.first + piece.run_bytes)
        return false;
    piece.run_bytes += next.run_bytes;
    return true;
}

using PieceLoops = std::span<const PieceLoop>;

bool equal_loops(PieceLoops a, PieceLoops b) { return std::ranges::equal(a, b); }

// A piece and further steps of its outer loop; or a step and the loop that goes on with it; or two steps.
bool repeat(Piece &piece, const Piece &next) {
    const int64_t distance = next.first - piece.first;
    if (!follows(piece, next) || piece.run_bytes != next.run_bytes)
        return false;
    const PieceLoops loops(piece.loops.begin(), piece.loops.end()), others(next.loops.begin(), next.loops.end());
    if (!loops.empty() && distance == loops[0].count * loops[0].stride) {
        const bool one_step = equal_loops(loops.subspan(1), others);
        if (one_step || (!others.empty() && others[0].stride == loops[0].stride &&
                         equal_loops(loops.subspan(1), others.subspan(1)))) {
            piece.loops[0].count += one_step ? 1 : others[0].count;
            return true;
        }
    }
    const bool goes_on = !others.empty() && distance == others[0].stride && equal_loops(loops, others.subspan(1));
    const bool two_steps = equal_loops(loops, others) && loops.size() < max_loops && distance >= hull_bytes(piece);
    if (goes_on || two_steps)
        piece.loops.insert(piece.loops.begin(), PieceLoop{goes_on ? others[0].count + 1 : 2, distance});
    return goes_on || two_steps;
}

// Joins each piece to those before it, as long as this makes the list shorter.
void join_by(bool (*join)(Piece &, const Piece &), std::vector<Piece> &pieces) {
    for (size_t before = 0; before != pieces.size();) {
        before = pieces.size();
        size_t kept = 0;
        for (const Piece &piece : pieces)
            if (kept == 0 || !join(pieces[kept - 1], piece))
                pieces[kept++] = piece;
        pieces.resize(kept);
    }
}

} // namespace

// Longer runs come first: they may then be equal, and repeat each other.
void join_pieces(std::vector<Piece> &pieces) {
    join_by(lengthen, pieces);
    join_by(repeat, pieces);
    pieces.shrink_to_fit();
}

} // namespace dri::plan
