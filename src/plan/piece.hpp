// In place: the pieces into which a process's part is put in order, so that each message is in one piece.
#pragma once

#include "plan/strided_copy.hpp"

#include <optional>
#include <vector>

namespace dri {

struct PieceLoop {
    int64_t count = 1, stride = 0;
};

// Runs of one length that lie all over a part, in rising order, and the one place where they lie one behind the
// other. Offsets in bytes, of the same buffer.
struct Piece {
    int64_t offset = 0;
    int64_t first = 0, run_bytes = 0; // the first run
    FixedVector<PieceLoop, max_loops>
        loops{}; // outermost first; what is inside of a step lies before the next one
};

// Which side of a copy has the runs; the other one is the place.
enum class RunsAt { source, destination };

// None where the runs are not in rising order while the place is gone through, have more than one place, or are
// converted.
std::optional<Piece> piece_of(const StridedCopy &copy, RunsAt runs);

int64_t piece_bytes(const Piece &piece);
int64_t pieces_bytes(const std::vector<Piece> &pieces);
// Whether all runs are where they belong.
bool are_in_place(const std::vector<Piece> &pieces);

// Memory to put pieces in order and back (kernel/arranger.hpp) in blocks of so many bytes, where both lists are,
// or one is empty; 0 for none.
int64_t arranging_bytes(const std::vector<Piece> &before, const std::vector<Piece> &after, int64_t block_bytes);
// The best length of blocks for which that is at most max_bytes, or the one that takes least; 0 for no pieces.
int64_t arranging_block(const std::vector<Piece> &before, const std::vector<Piece> &after, int64_t max_bytes);
constexpr int64_t min_arranging_block = 64;

} // namespace dri
