// Divides a copy into tiles whose source is a few long sections and fits a core's cache.
#include "plan/tiles.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>

namespace dri::plan {

namespace {

// Pitch of rows in scratch memory. Rows a multiple of a page apart would compete for the same lines of the cache.
int64_t pitch_of(int64_t piece_bytes) {
    const int64_t pitch = round_up(piece_bytes, cache_line_bytes);
    return pitch % page_bytes == 0 ? pitch + cache_line_bytes : pitch;
}

// Rounds the steps of a tile's outermost loop so that they write whole cache lines, if each step continues a line
// of the destination. Whole lines can be written past the cache. Four lines are preferred: if a tile starts inside
// a line, one of them is written in parts. max_steps: as many as fit a tile.
int64_t with_whole_lines(int64_t steps, int64_t dst_stride, int64_t max_steps) {
    const int64_t stride = std::abs(dst_stride);
    for (int64_t bytes = 4 * cache_line_bytes; stride != 0 && bytes >= cache_line_bytes; bytes /= 2) {
        const int64_t whole = (bytes + stride - 1) / stride;
        const int64_t nearest = std::max((steps + whole / 2) / whole, int64_t{1}) * whole;
        if (nearest <= max_steps)
            return nearest;
    }
    return steps;
}

// The loops of a copy in the order of its source, longest steps first. The loops from `outer` on lie inside a
// piece.
struct Order {
    std::vector<Loop> loops;
    size_t outer = 0; // index of the first loop inside a piece
    int64_t piece_bytes = 0;
};

// Chooses the longest dense sections of the source as pieces. Returns nothing if pieces would be too short to
// read.
std::optional<Order> order(const StridedCopy &copy) {
    Order o{{copy.loops.begin(), copy.loops.end()}, 0, 0};
    std::stable_sort(o.loops.begin(), o.loops.end(),
                     [](const Loop &a, const Loop &b) { return a.src_stride > b.src_stride; });
    if (!copy.tables.empty() || copy.run_bytes == 0 || (!o.loops.empty() && o.loops.back().src_stride < 0))
        return std::nullopt;
    int64_t span = copy.run_bytes, wanted = copy.run_bytes;
    o.outer = o.loops.size();
    o.piece_bytes = span;
    for (size_t i = o.loops.size(); i-- > 0;) {
        const Loop &loop = o.loops[i];
        span = checked_add(span, checked_mul(loop.count - 1, loop.src_stride));
        wanted *= loop.src_stride == 0 ? 1 : loop.count;
        // A short piece may grow until half of it is unwanted; a long one only until an eighth is.
        const bool dense = 8 * wanted >= 7 * span || (o.piece_bytes < long_piece_bytes && 2 * wanted >= span);
        if (span <= tile_bytes && dense) {
            o.outer = i;
            o.piece_bytes = span;
        }
    }
    const bool fits = !copy.conversion || o.piece_bytes <= tile_bytes; // a copy that converts needs scratch memory
    if (o.piece_bytes < long_piece_bytes || !fits)
        return std::nullopt;
    return o;
}

// The copy of a tile from scratch memory to the destination. Pieces have their offsets in scratch memory; loops
// inside a piece are unchanged.
StridedCopy from_scratch(const StridedCopy &copy, const Order &o, std::span<const Loop> outer,
                         const Loops &pieces) {
    StridedCopy out = copy;
    out.src_offset = out.dst_offset = 0;
    out.loops = {};
    for (size_t i = 0; i < pieces.size(); ++i)
        out.loops.push_back({pieces[i].count, pieces[i].dst_stride, outer[i].dst_stride});
    for (size_t i = o.outer; i < o.loops.size(); ++i)
        out.loops.push_back(o.loops[i]);
    return canonical(out);
}

} // namespace

std::optional<TiledCopy> tile(const StridedCopy &copy) {
    const auto o = order(copy);
    if (!o)
        return std::nullopt;
    TiledCopy tiled;
    tiled.piece_bytes = o->piece_bytes;
    if (o->outer == o->loops.size() && !copy.conversion) {
        tiled.straight = true;
        for (const Loop &loop : o->loops)
            tiled.pieces.push_back(loop);
        tiled.tiles = {{copy.src_offset, copy.dst_offset, false}};
        return tiled;
    }
    const int64_t pitch = pitch_of(o->piece_bytes);
    // A tile takes whole loops, starting from the innermost, as long as they fit; then some steps of the next
    // loop.
    int64_t pieces = 1;
    size_t first = o->outer;
    while (first > 0 && o->loops[first - 1].count <= tile_bytes / pitch / pieces)
        pieces *= o->loops[--first].count;
    int64_t steps = std::max<int64_t>(tile_bytes / pitch / pieces, 1);
    const bool cut = first > 0;
    if (cut) {
        --first;
        steps = with_whole_lines(steps, o->loops[first].dst_stride, max_tile_bytes / pitch / pieces);
    }
    const std::span<const Loop> outer(o->loops.data() + first, o->outer - first);
    for (const Loop &loop : outer)
        tiled.pieces.push_back({loop.count, loop.src_stride, 0});
    if (cut)
        tiled.pieces[0].count = std::min(steps, outer[0].count);
    int64_t at = pitch;
    for (size_t i = tiled.pieces.size(); i-- > 0; at *= tiled.pieces[i].count)
        tiled.pieces[i].dst_stride = at;
    tiled.scratch_bytes = pitch;
    for (const Loop &loop : tiled.pieces)
        tiled.scratch_bytes *= loop.count;
    tiled.whole = from_scratch(copy, *o, outer, tiled.pieces);
    const int64_t whole = cut ? tiled.pieces[0].count : 1, all = cut ? outer[0].count : 1;
    tiled.rest_count = all % whole;
    if (tiled.rest_count) {
        Loops fewer = tiled.pieces;
        fewer[0].count = tiled.rest_count;
        tiled.rest = from_scratch(copy, *o, outer, fewer);
    }
    for_each_step({o->loops.data(), first}, copy.src_offset, copy.dst_offset, [&](int64_t src, int64_t dst) {
        for (int64_t i = 0; i < all; i += whole)
            tiled.tiles.push_back({cut ? src + i * outer[0].src_stride : src,
                                   cut ? dst + i * outer[0].dst_stride : dst, i + whole > all});
    });
    return tiled;
}

std::vector<StridedCopy> cut_at_line(const StridedCopy &copy, int64_t past_line) {
    const auto keeps_line = [](const Loop &l) { return l.dst_stride % cache_line_bytes == 0; };
    const auto fills = std::find_if_not(copy.loops.begin(), copy.loops.end(), keeps_line);
    if (fills == copy.loops.end() || !std::all_of(fills + 1, copy.loops.end(), keeps_line))
        return {copy};
    const int64_t missing =
        (cache_line_bytes - (past_line + copy.dst_offset) % cache_line_bytes) % cache_line_bytes;
    const int64_t steps = fills->dst_stride > 0 ? missing / fills->dst_stride : 0;
    if (steps == 0 || steps * fills->dst_stride != missing || steps >= fills->count || !order(copy))
        return {copy};
    StridedCopy first = copy, second = copy;
    const auto at = static_cast<size_t>(fills - copy.loops.begin());
    first.loops[at].count = steps;
    second.loops[at].count -= steps;
    second.src_offset += steps * fills->src_stride;
    second.dst_offset += steps * fills->dst_stride;
    // If the loop lies inside pieces, one of the two copies may have no pieces that are long enough.
    if (!reads_in_long_pieces({first, second}))
        return {copy};
    return {canonical(first), canonical(second)};
}

bool reads_in_long_pieces(const std::vector<StridedCopy> &copies) {
    return std::all_of(copies.begin(), copies.end(),
                       [](const StridedCopy &copy) { return order(canonical(copy)).has_value(); });
}

} // namespace dri::plan
