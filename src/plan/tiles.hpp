// A copy from memory that can only be read in long pieces: a tile's pieces are read into scratch memory that stays
// in cache, and a copy moves them on from there. Long runs need no scratch memory: they are read into their
// places.
#pragma once

#include "plan/strided_copy.hpp"

#include <optional>
#include <span>
#include <vector>

namespace dri {

struct TiledCopy {
    bool straight = false; // each piece goes to its place in the destination
    int64_t piece_bytes = 0;
    Loops pieces;           // of a whole tile: source strides, and strides in scratch memory, or the destination's
    int64_t rest_count = 0; // of pieces[0] in tiles that are cut short; 0: there are none
    StridedCopy whole, rest; // from scratch memory to the destination, as from the tile's first place on
    int64_t scratch_bytes = 0;
    struct Tile {
        int64_t src_offset, dst_offset;
        bool is_rest;
    };
    std::vector<Tile> tiles;
};

// Tiles of about that many bytes, to stay in the cache of a core; at most four times as many where fewer would
// write parts of lines.
constexpr int64_t tile_bytes = int64_t{256} << 10, max_tile_bytes = 4 * tile_bytes;
// Shorter pieces cost more to ask for than to copy.
constexpr int64_t long_piece_bytes = 4096;

// Calls f(source offset, destination offset) for every step of the loops, from the given offsets on.
template <class F> void for_each_step(std::span<const Loop> loops, int64_t src, int64_t dst, const F &f) {
    if (loops.empty())
        return f(src, dst);
    for (int64_t i = 0; i < loops[0].count; ++i)
        for_each_step(loops.subspan(1), src + i * loops[0].src_stride, dst + i * loops[0].dst_stride, f);
}

// Nothing where pieces would be short, or half of what they hold unwanted. copy: in canonical form. Cost: the
// number of tiles.
std::optional<TiledCopy> tile(const StridedCopy &copy);

// The same copy in two parts, the second of which begins at a cache line of the destination, so that its tiles end
// at lines: where tiles would else end inside them. past_line: of the destination's first byte. copy: in canonical
// form.
std::vector<StridedCopy> cut_at_line(const StridedCopy &copy, int64_t past_line);

// Whether all copies can be tiled: both ends of a pair ask, and come to the same answer.
bool reads_in_long_pieces(const std::vector<StridedCopy> &copies);

} // namespace dri
