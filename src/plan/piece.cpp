// Describes the runs of a message as a piece, and computes the memory for arranging pieces.
#include "plan/piece.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>
#include <numeric>

namespace dri::plan {

namespace {

// Maximum length of a block. Longer blocks are not faster, and the blocks that are being filled should stay in
// cache.
constexpr int64_t max_block = int64_t{32} << 10;
// Blocks have numbers of 31 bits.
constexpr int64_t max_blocks = int64_t{1} << 31;

// Bytes of the block numbers of all pieces.
int64_t number_bytes(const std::vector<Piece> &pieces, int64_t block_bytes) {
    int64_t blocks = 0;
    for (const Piece &piece : pieces)
        blocks += piece_bytes(piece) / block_bytes;
    return round_up(blocks * static_cast<int64_t>(sizeof(uint32_t)), cache_line_bytes);
}

// A block length near `bytes` that divides the lengths of all pieces, or 0. With such a
// length, pieces need not move up behind each other.
int64_t even_block(const std::vector<Piece> &before, const std::vector<Piece> &after, int64_t bytes) {
    int64_t all = 0;
    for (const auto *pieces : {&before, &after})
        for (const Piece &piece : *pieces)
            all = std::gcd(all, piece_bytes(piece));
    if (all == 0 || all % cache_line_bytes != 0)
        return 0;
    constexpr int64_t max_tries = 1024; // bounds the time of planning, whatever the length of the array
    const int64_t lines = all / cache_line_bytes, min_parts = ceil_div(all, bytes);
    const int64_t max_parts = std::min({8 * min_parts, lines, min_parts + max_tries});
    for (int64_t parts = min_parts; parts <= max_parts; ++parts)
        if (lines % parts == 0)
            return all / parts;
    return 0;
}

} // namespace

std::optional<Piece> piece_of(const StridedCopy &copy, RunsAt runs) {
    if (copy.conversion || !copy.tables.empty())
        return std::nullopt;
    const bool from_source = runs == RunsAt::source;
    const auto run_stride = [&](const Loop &loop) { return from_source ? loop.src_stride : loop.dst_stride; };
    const auto section_stride = [&](const Loop &loop) { return from_source ? loop.dst_stride : loop.src_stride; };
    Loops loops = copy.loops; // by falling strides of the runs
    std::sort(loops.begin(), loops.end(),
              [&](const Loop &a, const Loop &b) { return run_stride(a) > run_stride(b); });
    int64_t inner_bytes = copy.run_bytes;
    for (size_t i = loops.size(); i-- > 0; inner_bytes *= loops[i].count)
        if (section_stride(loops[i]) != inner_bytes)
            return std::nullopt;
    Piece piece{from_source ? copy.dst_offset : copy.src_offset, from_source ? copy.src_offset : copy.dst_offset,
                copy.run_bytes};
    for (const Loop &loop : loops)
        piece.loops.push_back({loop.count, run_stride(loop)});
    while (!piece.loops.empty() && piece.loops.back().stride == piece.run_bytes) {
        piece.run_bytes *= piece.loops.back().count;
        piece.loops.pop_back();
    }
    for (size_t i = piece.loops.size(); i-- > 1;) {
        const PieceLoop inner = piece.loops[i];
        if (piece.loops[i - 1].stride != inner.count * inner.stride)
            continue;
        piece.loops[i - 1] = {piece.loops[i - 1].count * inner.count, inner.stride};
        piece.loops.erase(&piece.loops[i]);
    }
    int64_t hull = piece.run_bytes;
    for (size_t i = piece.loops.size(); i-- > 0;) {
        if (piece.loops[i].stride < hull)
            return std::nullopt;
        hull += (piece.loops[i].count - 1) * piece.loops[i].stride;
    }
    return piece;
}

int64_t piece_bytes(const Piece &piece) {
    int64_t bytes = piece.run_bytes;
    for (const PieceLoop &loop : piece.loops)
        bytes *= loop.count;
    return bytes;
}

int64_t hull_bytes(const Piece &piece) {
    int64_t bytes = piece.run_bytes;
    for (const PieceLoop &loop : piece.loops)
        bytes += (loop.count - 1) * loop.stride;
    return bytes;
}

int64_t pieces_bytes(const std::vector<Piece> &pieces) {
    int64_t bytes = 0;
    for (const Piece &piece : pieces)
        bytes += piece_bytes(piece);
    return bytes;
}

bool are_in_place(const std::vector<Piece> &pieces) {
    return std::all_of(pieces.begin(), pieces.end(),
                       [](const Piece &piece) { return piece.loops.empty() && piece.offset == piece.first; });
}

int64_t arranging_blocks_bytes(const std::vector<Piece> &before, const std::vector<Piece> &after,
                               int64_t block_bytes) {
    const int64_t pieces = std::max(std::ssize(before), std::ssize(after));
    return pieces == 0 ? 0 : round_up(checked_mul(pieces + 1, block_bytes), cache_line_bytes);
}

int64_t arranging_bytes(const std::vector<Piece> &before, const std::vector<Piece> &after, int64_t block_bytes) {
    const int64_t blocks = arranging_blocks_bytes(before, after, block_bytes);
    if (blocks == 0)
        return 0;
    return checked_add(blocks, number_bytes(before, block_bytes) + number_bytes(after, block_bytes));
}

int64_t arranging_block(const std::vector<Piece> &before, const std::vector<Piece> &after, int64_t max_bytes) {
    if (before.empty() && after.empty())
        return 0;
    const int64_t bytes = std::max(pieces_bytes(before), pieces_bytes(after));
    const int64_t min_block =
        round_up(std::max(min_arranging_block, ceil_div(bytes, max_blocks)), cache_line_bytes);
    int64_t best = 0, best_bytes = INT64_MAX;
    for (int64_t block = std::max(max_block, min_block); block >= min_block; block /= 2)
        for (const int64_t length : {even_block(before, after, block), block}) {
            const int64_t needed = length < min_block ? INT64_MAX : arranging_bytes(before, after, length);
            if (needed < best_bytes) { // shorter blocks may need more: each block has a number
                best = length;
                best_bytes = needed;
            }
            if (needed <= max_bytes)
                return length;
        }
    return best;
}

} // namespace dri::plan
