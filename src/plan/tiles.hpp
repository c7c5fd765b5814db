// A copy from memory that can only be read in long pieces, such as another process's memory. The pieces of a tile
// are read into scratch memory that stays in cache, and a strided copy moves them on from there. Long runs need no
// scratch memory: they are read directly to their destination.
#pragma once

#include "plan/strided_copy.hpp"

#include <optional>
#include <span>
#include <vector>

namespace dri::plan {

struct TiledCopy {
    bool straight = false; // pieces are read directly to the destination
    int64_t piece_bytes = 0;
    Loops pieces; // of a whole tile: source strides, and strides in scratch memory (straight: in the destination)
    int64_t rest_count = 0; // count of pieces[0] in a shortened tile; 0: no tile is shortened
    StridedCopy whole,
        rest; // from scratch memory to the tile's first destination byte, for whole and for shortened tiles
    int64_t scratch_bytes = 0;
    struct Tile {
        int64_t src_offset, dst_offset;
        bool is_rest;
    };
    std::vector<Tile> tiles;
};

// Length of a tile, so that it stays in the cache of a core. A tile is at most four times as long if a shorter one
// would write parts of cache lines.
constexpr int64_t tile_bytes = int64_t{256} << 10, max_tile_bytes = 4 * tile_bytes;
// Minimum length of a piece in bytes. Requesting a shorter piece costs more than copying it.
constexpr int64_t long_piece_bytes = 4096;

// Calls f(source offset, destination offset) for every step of the loops, starting from the given offsets.
template <class F> void for_each_step(std::span<const Loop> loops, int64_t src, int64_t dst, const F &f) {
    if (loops.empty())
        return f(src, dst);
    for (int64_t i = 0; i < loops[0].count; ++i)
        for_each_step(loops.subspan(1), src + i * loops[0].src_stride, dst + i * loops[0].dst_stride, f);
}

// Divides a copy into tiles. Returns nothing if pieces would be short, or if more than half of their bytes would
// be unwanted. `copy` must be in canonical form. Cost: the number of tiles.
std::optional<TiledCopy> tile(const StridedCopy &copy);

// Divides a copy in two, so that the second part starts at a cache line of the destination and its tiles end at
// cache lines. Returns the whole copy if its tiles do so anyway, or if no such cut exists. past_line: offset of
// the destination's first byte in its cache line. `copy` must be in canonical form.
std::vector<StridedCopy> cut_at_line(const StridedCopy &copy, int64_t past_line);

// Whether all copies can be tiled. Both processes of a pair compute the same answer.
bool reads_in_long_pieces(const std::vector<StridedCopy> &copies);

} // namespace dri::plan
