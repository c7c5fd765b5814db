// Joins pieces that together have runs of one length at even distances.
#include "plan/piece.hpp"

#include <algorithm>
#include <utility>

namespace dri::plan {

namespace {

// From the start of a piece's first run to the end of its last one.
int64_t hull_of(const Piece &piece) {
    int64_t hull = piece.run_bytes;
    for (const PieceLoop &loop : piece.loops)
        hull += (loop.count - 1) * loop.stride;
    return hull;
}

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

// A piece and its repetition further up, or steps of one outer loop.
bool repeat(Piece &piece, const Piece &next) {
    const int64_t distance = next.first - piece.first;
    if (!follows(piece, next) || piece.run_bytes != next.run_bytes)
        return false;
    const auto &loops = piece.loops, &others = next.loops;
    if (std::equal(loops.begin(), loops.end(), others.begin(), others.end()) && distance >= hull_of(piece) &&
        loops.size() < max_loops && (loops.empty() || distance != loops[0].count * loops[0].stride)) {
        piece.loops.insert(piece.loops.begin(), PieceLoop{2, distance});
        return true;
    }
    if (loops.size() + 1 == others.size() && distance == others[0].stride &&
        std::equal(loops.begin(), loops.end(), others.begin() + 1, others.end())) {
        piece.loops.insert(piece.loops.begin(), PieceLoop{others[0].count + 1, distance});
        return true;
    }
    if (loops.empty() || distance != loops[0].count * loops[0].stride)
        return false;
    const auto inner = loops.begin() + 1;
    const bool has_loop = loops.size() == others.size();
    if (has_loop && others[0].stride != loops[0].stride)
        return false;
    if (!std::equal(inner, loops.end(), others.begin() + (has_loop ? 1 : 0), others.end()))
        return false;
    piece.loops[0].count += has_loop ? others[0].count : 1;
    return true;
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
