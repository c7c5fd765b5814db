#include "planner/rounds.hpp"

#include "base/checked.hpp"
#include "plan/plan.hpp"
#include "planner/cutting.hpp"

#include <algorithm>

namespace dri {

namespace {

// So small a piece is not worth a message of its own.
constexpr int64_t slab_bytes = 1024, tile_bytes_least = 64;
// Nor one for which lists are kept again: for each entry a piece has that many bytes, or a plan takes more memory
// than the pieces save.
constexpr int64_t bytes_for_entry = 1024;
// Slabs for each member: of the sends and of the receives some slabs have memory at once.
constexpr int64_t slabs_for_each = 4, fewest_slabs = 16, most_slabs = 256;
constexpr int64_t tiles_along = 4;
// Rounds of one encounter, so that pieces in different numbers meet at the same time.
constexpr int64_t moments = int64_t{1} << 16;

template <class Count> int64_t bytes_for_lists(const std::vector<StridedCopy> &copies, Count entries) {
    int64_t all = 0;
    for (const StridedCopy &copy : copies)
        all = checked_add(all, entries(copy));
    return checked_mul(all, bytes_for_entry);
}

// The parts of that number of all copies.
void add(std::vector<RoundPiece> &pieces, int64_t round, const std::vector<std::vector<StridedCopy>> &parts,
         int64_t number) {
    RoundPiece out{round, {}};
    for (const std::vector<StridedCopy> &parts_of_one : parts) {
        StridedCopy part = canonical(parts_of_one[static_cast<size_t>(number)]);
        if (part.run_bytes > 0)
            out.copies.push_back(std::move(part));
    }
    if (!out.copies.empty())
        pieces.push_back(std::move(out));
}

// Pieces of what two processes exchange if all exchange as much: so many, or more, as long as they are long.
constexpr int64_t fewest_pieces = 8, most_pieces = 64, piece_bytes_wanted = int64_t{1} << 20;

// Runs of a copy's source, or destination, that follow each other there are one.
int64_t long_run(const StridedCopy &copy, int64_t Loop::*stride, int64_t run_bytes) {
    std::vector<std::pair<int64_t, int64_t>> steps;
    for (const Loop &loop : copy.loops)
        steps.emplace_back(loop.*stride, loop.count);
    std::sort(steps.begin(), steps.end());
    for (const auto &[step, count] : steps)
        if (step == run_bytes)
            run_bytes *= count;
    return run_bytes;
}

// The shorter of the runs of both sides.
int64_t shorter_run(const StridedCopy &copy) {
    return std::min(long_run(copy, &Loop::src_stride, copy.run_bytes),
                    long_run(copy, &Loop::dst_stride, dst_run_bytes(copy)));
}

// How much longer than an even part the longest one is, in quarters of the even part.
int64_t longest_part(int64_t count, int64_t parts) { return ceil_div(count, parts) * parts * 4 / count; }

// The loop to cut into so many parts: one whose parts are about even, and that leaves long runs.
size_t loop_for_pieces(const StridedCopy &copy, int64_t parts) {
    size_t best = no_loop;
    std::pair<int64_t, int64_t> most;
    for (size_t i = 0; i < copy.loops.size(); ++i) {
        const Loop &loop = copy.loops[i];
        if (loop.count < 2 || loop.src_stride == 0)
            continue;
        StridedCopy part = copy;
        part.loops[i].count = std::max<int64_t>(loop.count / parts, 1);
        const std::pair rank(-longest_part(loop.count, parts), shorter_run(canonical(part)));
        if (best == no_loop || rank > most) {
            best = i;
            most = rank;
        }
    }
    return best;
}

// Appends up to `parts` parts that together are the copy.
void add_parts(const StridedCopy &copy, int64_t parts, std::vector<StridedCopy> &out) {
    const size_t at = parts > 1 ? loop_for_pieces(copy, parts) : no_loop;
    if (at == no_loop) {
        for (StridedCopy &part : parts_of(copy, no_loop, Cutting{parts}))
            if (part.run_bytes > 0)
                out.push_back(std::move(part));
        return;
    }
    const int64_t along = std::min(copy.loops[at].count, parts);
    for (StridedCopy &part : parts_of(copy, at, Cutting{along}))
        add_parts(canonical(std::move(part)), parts / along, out);
}

// A power of two, so that pairs that exchange about as much have as many pieces, and others have rounds in common.
int64_t power_near(int64_t bytes, int64_t piece_bytes, int64_t most) {
    int64_t parts = 1;
    while (2 * parts <= most && bytes / parts > piece_bytes + piece_bytes / 2)
        parts *= 2;
    return parts;
}

int64_t tiles_for(int64_t bytes, int64_t least) {
    int64_t along = tiles_along;
    while (along > 1 && bytes / along / along < least)
        along /= 2;
    return along;
}

} // namespace

std::vector<RoundPiece> cut_into_rounds(const std::vector<StridedCopy> &copies, const Encounter &pair) {
    const int64_t bytes = copies_bytes(copies), encounter = (pair.a + pair.b) % pair.members;
    const int64_t for_lists = bytes_for_lists(copies, repeated_entries);
    std::vector<RoundPiece> pieces;
    std::vector<std::vector<StridedCopy>> parts; // of each copy
    if (std::all_of(copies.begin(), copies.end(), is_slab)) {
        const int64_t wanted = std::clamp(slabs_for_each * pair.members, fewest_slabs, most_slabs);
        const int64_t slabs = std::clamp<int64_t>(bytes / std::max(slab_bytes, for_lists), 1, wanted);
        Cutting cutting{slabs};
        for (const StridedCopy &copy : copies)
            cutting.add(copy);
        for (const StridedCopy &copy : copies)
            parts.push_back(slabs_of(copy, cutting));
        for (int64_t k = 0; k < slabs; ++k)
            add(pieces, k * moments / slabs * pair.members + encounter, parts, k);
        return pieces;
    }
    const int64_t along = tiles_for(bytes, std::max(tile_bytes_least, for_lists)), tiles = along * along;
    for (const StridedCopy &copy : copies)
        parts.push_back(tiles_of(copy, along));
    int64_t k = 0;
    const auto add_tile = [&](int64_t i, int64_t j) {
        add(pieces, encounter * moments + k++ * moments / tiles, parts, i * along + j);
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

int64_t least_message_limit(const std::vector<StridedCopy> &copies) {
    return bytes_for_lists(copies, [](const StridedCopy &copy) { return entries_from(copy, 1); });
}

std::vector<RoundPiece> cut_into_pieces(const std::vector<StridedCopy> &copies, const Encounter &pair,
                                        int64_t array_bytes) {
    const int64_t bytes = copies_bytes(copies), encounter = (pair.a + pair.b) % pair.members;
    const int64_t even = array_bytes / pair.members / pair.members;
    const int64_t wanted = std::max(std::min(even / fewest_pieces, piece_bytes_wanted), even / most_pieces);
    const int64_t for_lists =
        bytes_for_lists(copies, [](const StridedCopy &copy) { return entries_from(copy, 0); });
    const int64_t parts = power_near(bytes, std::max({wanted, slab_bytes, for_lists}), most_pieces * pair.members);
    std::vector<RoundPiece> pieces(static_cast<size_t>(parts));
    for (int64_t k = 0; k < parts; ++k)
        pieces[static_cast<size_t>(k)].round = k * moments / parts * pair.members + encounter;
    for (const StridedCopy &copy : copies) {
        std::vector<StridedCopy> all;
        add_parts(copy, parts, all);
        const int64_t n = std::ssize(all);
        for (int64_t i = 0; i < n; ++i)
            pieces[static_cast<size_t>(i * parts / n)].copies.push_back(canonical(all[static_cast<size_t>(i)]));
    }
    std::erase_if(pieces, [](const RoundPiece &piece) { return piece.copies.empty(); });
    return pieces;
}

} // namespace dri
