// In place: the pieces into which a process's part is put in order, so that each message is one contiguous
// section.
#pragma once

#include "plan/strided_copy.hpp"

#include <optional>
#include <vector>

namespace dri::plan {

// One loop over the runs of a piece; stride in bytes.
struct PieceLoop {
    int64_t count = 1, stride = 0;
    friend bool operator==(const PieceLoop &, const PieceLoop &) = default;
};

// Runs of one length that are scattered over a part, in rising order, and the one section in which they lie one
// behind the other. All offsets are in bytes of the same buffer.
struct Piece {
    // Start of the contiguous section.
    int64_t offset = 0;
    int64_t first = 0, run_bytes = 0;          // offset and length of the first run
    FixedVector<PieceLoop, max_loops> loops{}; // outermost first; all runs inside a step lie before the next step
};

// Which side of a copy holds the scattered runs. The other side is the contiguous section.
enum class RunsAt { source, destination };

// Describes one side of a copy as a piece. Returns nothing in three cases:
// - the runs do not rise in the order of the section;
// - an element has several addresses, or a table lists the offsets;
// - the copy converts scalars.
std::optional<Piece> piece_of(const StridedCopy &copy, RunsAt runs);

int64_t piece_bytes(const Piece &piece);
int64_t pieces_bytes(const std::vector<Piece> &pieces);
// From the start of the first run to the end of the last one.
int64_t hull_bytes(const Piece &piece);
// Whether every piece already lies in its section.
bool are_in_place(const std::vector<Piece> &pieces);

// Makes few pieces of many, where runs of one length follow each other at even distances in the buffer as in their
// sections. The pieces are in the order of their sections, before and afterwards. The runs and the place of each
// in the sections stay the same.
void join_pieces(std::vector<Piece> &pieces);

// Workspace to put pieces in order before and after an exchange (kernel/arranger.hpp) with blocks of block_bytes.
// One of the lists may be empty. 0 if there are no pieces.
int64_t arranging_bytes(const std::vector<Piece> &before, const std::vector<Piece> &after, int64_t block_bytes);
// The part of it in which the blocks themselves lie; the rest are their numbers.
int64_t arranging_blocks_bytes(const std::vector<Piece> &before, const std::vector<Piece> &after,
                               int64_t block_bytes);
// The longest useful block length for which arranging_bytes is at most max_bytes. If there is none, the length
// that needs least. 0 if there are no pieces.
int64_t arranging_block(const std::vector<Piece> &before, const std::vector<Piece> &after, int64_t max_bytes);
constexpr int64_t min_arranging_block = 64;

} // namespace dri::plan
