#include "planner/rounds.hpp"

#include "plan/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace dri {

namespace {

// So small a piece is not worth a message of its own.
constexpr int64_t slab_bytes = 1024, tile_bytes_least = 64;
// Slabs for each member: of the sends and of the receives some slabs have memory at once.
constexpr int64_t slabs_for_each = 4, fewest_slabs = 16, most_slabs = 256;
constexpr int64_t tiles_along = 4;
// Rounds of one encounter, so that pieces in different numbers meet at the same time.
constexpr int64_t moments = int64_t{1} << 16;

int64_t part_begin(int64_t count, int64_t part, int64_t parts) {
    return count / parts * part + count % parts * part / parts;
}

constexpr size_t no_loop = SIZE_MAX;

// The loop of the longest steps, of those that are worth cutting if there are any. What goes to many places from
// one is not cut.
template <class Stride> size_t longest(const StridedCopy &copy, const Stride &stride) {
    size_t best = no_loop;
    const auto rank = [&](const Loop &l) { return std::pair(l.count > 2, std::abs(stride(l))); };
    for (size_t i = 0; i < copy.loops.size(); ++i)
        if (copy.loops[i].src_stride != 0 && (best == no_loop || rank(copy.loops[i]) > rank(copy.loops[best])))
            best = i;
    return best;
}

size_t longest_in_source(const StridedCopy &copy) {
    return longest(copy, [](const Loop &l) { return l.src_stride; });
}
size_t longest_in_sink(const StridedCopy &copy) {
    return longest(copy, [](const Loop &l) { return l.dst_stride; });
}

bool is_slab(const StridedCopy &copy) { return longest_in_source(copy) == longest_in_sink(copy); }

StridedCopy part_of_run(const StridedCopy &copy, int64_t part, int64_t parts) {
    const Conversion &c = copy.conversion;
    const int64_t src_unit = c ? scalar_bytes(c.from) : 1, dst_unit = c ? scalar_bytes(c.to) : 1;
    const int64_t units = copy.run_bytes / src_unit, begin = part_begin(units, part, parts);
    StridedCopy piece = copy;
    piece.src_offset += begin * src_unit;
    piece.dst_offset += begin * dst_unit;
    piece.run_bytes = (part_begin(units, part + 1, parts) - begin) * src_unit;
    return piece;
}

// Run bytes 0: nothing.
StridedCopy part_of_loop(const StridedCopy &copy, size_t at, int64_t part, int64_t parts) {
    const Loop &loop = copy.loops[at];
    const int64_t begin = part_begin(loop.count, part, parts);
    StridedCopy piece = copy;
    piece.src_offset += begin * loop.src_stride;
    piece.dst_offset += begin * loop.dst_stride;
    piece.loops[at].count = part_begin(loop.count, part + 1, parts) - begin;
    if (piece.loops[at].count == 0)
        piece.run_bytes = 0;
    return piece;
}

StridedCopy slab_of(const StridedCopy &copy, int64_t part, int64_t parts) {
    const size_t at = longest_in_source(copy);
    if (at != no_loop)
        return part_of_loop(copy, at, part, parts);
    if (copy.loops.empty() && copy.tables.empty())
        return part_of_run(copy, part, parts);
    StridedCopy whole = copy; // in one piece
    if (part > 0)
        whole.run_bytes = 0;
    return whole;
}

// i: along the source's longest steps; j: along the sink's.
StridedCopy tile_of(const StridedCopy &copy, int64_t i, int64_t j, int64_t parts) {
    if (is_slab(copy))
        return slab_of(copy, i * parts + j, parts * parts);
    StridedCopy tile = part_of_loop(copy, longest_in_source(copy), i, parts);
    return tile.run_bytes == 0 ? tile : part_of_loop(tile, longest_in_sink(copy), j, parts);
}

template <class Piece>
void add(std::vector<RoundPiece> &pieces, int64_t round, const std::vector<StridedCopy> &copies,
         const Piece &piece) {
    RoundPiece out{round, {}};
    for (const StridedCopy &copy : copies) {
        StridedCopy part = canonical(piece(copy));
        if (part.run_bytes > 0)
            out.copies.push_back(std::move(part));
    }
    if (!out.copies.empty())
        pieces.push_back(std::move(out));
}

int64_t tiles_for(int64_t bytes) {
    int64_t along = tiles_along;
    while (along > 1 && bytes < tile_bytes_least * along * along)
        along /= 2;
    return along;
}

} // namespace

std::vector<RoundPiece> cut_into_rounds(const std::vector<StridedCopy> &copies, const Encounter &pair) {
    const int64_t bytes = copies_bytes(copies), encounter = (pair.a + pair.b) % pair.members;
    std::vector<RoundPiece> pieces;
    if (std::all_of(copies.begin(), copies.end(), is_slab)) {
        const int64_t wanted = std::clamp(slabs_for_each * pair.members, fewest_slabs, most_slabs);
        const int64_t slabs = std::clamp<int64_t>(bytes / slab_bytes, 1, wanted);
        for (int64_t k = 0; k < slabs; ++k)
            add(pieces, k * moments / slabs * pair.members + encounter, copies,
                [&](const StridedCopy &copy) { return slab_of(copy, k, slabs); });
        return pieces;
    }
    const int64_t along = tiles_for(bytes), tiles = along * along;
    int64_t k = 0;
    const auto add_tile = [&](int64_t i, int64_t j) {
        add(pieces, encounter * moments + k++ * moments / tiles, copies,
            [&](const StridedCopy &copy) { return tile_of(copy, i, j, along); });
    };
    for (int64_t i = 0; i < along; ++i) {
        add_tile(i, i);
        for (int64_t j = i + 1; j < along; ++j) {
            add_tile(i, j);
            add_tile(j, i);
        }
    }
    return pieces;
}

} // namespace dri
