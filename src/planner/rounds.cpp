// Divides in-place exchanges between two processes into rounds, and weighs saved staging against repeated tables.
#include "planner/rounds.hpp"

#include "base/checked.hpp"
#include "plan/plan.hpp"
#include "planner/cutting.hpp"

#include <algorithm>

namespace dri::planner {

namespace {

// Minimum bytes of a slab and of a tile. Smaller pieces are not worth a message of their own.
constexpr int64_t slab_bytes = 1024, min_tile_bytes = 64;
// Slabs per member of the group. A few slabs of the sends and of the receives need staging at once.
constexpr int64_t slabs_for_each = 4, min_slabs = 16, max_slabs = 256;
constexpr int64_t tiles_along = 4;
// Rounds of one pairing. Pairs with different numbers of pieces spread them over the same rounds.
constexpr int64_t moments = int64_t{1} << 16;

// Bytes of a repeated table entry. The plan, the bound copy and the walk of its kernel share one table.
constexpr int64_t entry_bytes = sizeof(plan::TableEntry);
// Tables that are repeated for speed alone may use this fraction (1/8) of the exchanged bytes, on both sides
// together.
constexpr int64_t part_for_speed = 8;
// A piece is a single message if tables use more than this fraction (1/24) of a message. Two messages of uneven
// length would need two slots of the longer length.
constexpr int64_t part_in_messages = 24;

// Bytes of repeated entries, for both directions of a pair.
int64_t lists_bytes(int64_t entries) { return checked_mul(entries, 2 * entry_bytes); }

// Whether half as many slabs would still keep a process at 1/P of its part in workspace. It needs two slabs of
// what it sends to all peers, because incoming data may reach a little into the next slab. It needs one slab of
// what arrives from one process.
bool half_would_do(int64_t slabs, const PeerPair &pair) { return slabs >= 2 * (2 * pair.members + 1); }

// Staging that is saved if data are exchanged in `pieces` pieces instead of one.
int64_t saved_by(int64_t bytes, int64_t pieces) { return bytes - bytes / pieces; }

int64_t entries_again(const std::vector<plan::StridedCopy> &copies, const Cutting &cutting) {
    int64_t entries = 0;
    for (const plan::StridedCopy &copy : copies)
        entries = checked_add(entries, entries_again_in_slabs(copy, cutting));
    return entries;
}

// Prepares copies for a cut by offset, which applies as soon as one of them has a table.
std::vector<plan::StridedCopy> steps_by_offset(const std::vector<plan::StridedCopy> &copies) {
    if (std::all_of(copies.begin(), copies.end(),
                    [](const plan::StridedCopy &copy) { return copy.tables.empty(); }))
        return copies;
    std::vector<plan::StridedCopy> all;
    for (const plan::StridedCopy &copy : copies)
        for (plan::StridedCopy &step : distant_steps(copy))
            all.push_back(std::move(step));
    return all;
}

// Chooses the number of slabs. The wanted number is halved until the repeated tables use no more memory than the
// slabs save.
Cutting cutting_into_slabs(const std::vector<plan::StridedCopy> &copies, const PeerPair &pair) {
    const int64_t bytes = plan::copies_bytes(copies);
    const int64_t wanted = std::clamp(slabs_for_each * pair.members, min_slabs, max_slabs);
    Cutting cutting{std::clamp<int64_t>(bytes / slab_bytes, 1, wanted)};
    for (const plan::StridedCopy &copy : copies)
        cutting.add(copy);
    // Slabs that only make frames faster may repeat fewer tables than slabs that save workspace.
    const auto max_list_bytes = [&] {
        if (half_would_do(cutting.parts, pair))
            return bytes / part_for_speed;
        return saved_by(bytes + bytes / pair.members, cutting.parts);
    };
    while (cutting.parts > 1 && lists_bytes(entries_again(copies, cutting)) > max_list_bytes())
        cutting.parts /= 2;
    return cutting;
}

// Appends a piece made of part `number` of every copy, unless it is empty.
void add(std::vector<RoundPiece> &pieces, int64_t round, const std::vector<std::vector<plan::StridedCopy>> &parts,
         int64_t number) {
    RoundPiece out{round, {}};
    for (const std::vector<plan::StridedCopy> &parts_of_one : parts) {
        plan::StridedCopy part = plan::canonical(parts_of_one[static_cast<size_t>(number)]);
        if (part.run_bytes > 0)
            out.copies.push_back(std::move(part));
    }
    if (!out.copies.empty())
        pieces.push_back(std::move(out));
}

// Number of pieces that a pair exchanges if all pairs exchange equally much. There are 8 pieces; more if they
// would exceed 1 MB, and at most 64.
constexpr int64_t min_pieces = 8, max_pieces = 64, piece_bytes_wanted = int64_t{1} << 20;

// Length of a run on one side, if runs that follow each other there count as one.
int64_t long_run(const plan::StridedCopy &copy, int64_t plan::Loop::*stride, int64_t run_bytes) {
    std::vector<std::pair<int64_t, int64_t>> steps;
    for (const plan::Loop &loop : copy.loops)
        steps.emplace_back(loop.*stride, loop.count);
    std::sort(steps.begin(), steps.end());
    for (const auto &[step, count] : steps)
        if (step == run_bytes)
            run_bytes *= count;
    return run_bytes;
}

// The shorter of the runs of both sides.
int64_t shorter_run(const plan::StridedCopy &copy) {
    return std::min(long_run(copy, &plan::Loop::src_stride, copy.run_bytes),
                    long_run(copy, &plan::Loop::dst_stride, plan::dst_run_bytes(copy)));
}

// Length of the longest part, in quarters of an even part.
int64_t longest_part(int64_t count, int64_t parts) { return ceil_div(count, parts) * parts * 4 / count; }

// The loop to cut into `parts` parts. Its parts are about even; among such loops it leaves the longest runs.
size_t loop_for_pieces(const plan::StridedCopy &copy, int64_t parts) {
    size_t best = no_loop;
    std::pair<int64_t, int64_t> best_rank;
    for (size_t i = 0; i < copy.loops.size(); ++i) {
        const plan::Loop &loop = copy.loops[i];
        if (loop.count < 2 || loop.src_stride == 0)
            continue;
        plan::StridedCopy part = copy;
        part.loops[i].count = std::max<int64_t>(loop.count / parts, 1);
        const std::pair rank(-longest_part(loop.count, parts), shorter_run(plan::canonical(part)));
        if (best == no_loop || rank > best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

// Appends up to `parts` parts that together are the copy.
void add_parts(const plan::StridedCopy &copy, int64_t parts, std::vector<plan::StridedCopy> &out) {
    const size_t at = parts > 1 ? loop_for_pieces(copy, parts) : no_loop;
    if (at == no_loop) {
        for (plan::StridedCopy &part : parts_of(copy, no_loop, Cutting{parts}))
            if (part.run_bytes > 0)
                out.push_back(std::move(part));
        return;
    }
    const int64_t along = std::min(copy.loops[at].count, parts);
    for (plan::StridedCopy &part : parts_of(copy, at, Cutting{along}))
        add_parts(plan::canonical(std::move(part)), parts / along, out);
}

// Number of parts, near `bytes / piece_bytes`. A power of two gives pairs that exchange about equally much the
// same number of pieces, and gives all pairs rounds in common.
int64_t power_near(int64_t bytes, int64_t piece_bytes, int64_t max_parts) {
    int64_t parts = 1;
    while (2 * parts <= max_parts && bytes / parts > piece_bytes + piece_bytes / 2)
        parts *= 2;
    return parts;
}

// Tiles along one dimension. A process finishes with one peer before it meets the next one. Tiles therefore save
// staging of one peer pair at a time, while the repeated tables of all pairs use memory.
int64_t tiles_along_for(const std::vector<plan::StridedCopy> &copies, const PeerPair &pair) {
    const int64_t bytes = plan::copies_bytes(copies);
    const auto are_worth_it = [&](int64_t along) {
        if (bytes / along / along < min_tile_bytes)
            return false;
        int64_t entries = 0;
        for (const plan::StridedCopy &copy : copies)
            entries = checked_add(entries, entries_again_in_tiles(copy, along));
        return checked_mul(lists_bytes(entries), pair.members) <= saved_by(bytes, along * along);
    };
    int64_t along = tiles_along;
    while (along > 1 && !are_worth_it(along))
        along /= 2;
    return along;
}

// Number of parts for add_parts, at most `parts`. It is halved until the repeated tables use no more memory than
// the parts save. Tables are never cut here.
int64_t pieces_worth_lists(const std::vector<plan::StridedCopy> &copies, int64_t parts) {
    const auto repeated_bytes = [&] {
        int64_t entries = 0;
        for (const plan::StridedCopy &copy : copies) {
            int64_t steps = 1;
            for (const plan::Loop &loop : copy.loops)
                steps = std::min(parts, steps) * std::min(parts, loop.count);
            entries = checked_add(entries, checked_mul(entries_of(copy), std::min(parts, steps) - 1));
        }
        return lists_bytes(entries);
    };
    while (parts > 1 && repeated_bytes() > saved_by(plan::copies_bytes(copies), parts))
        parts /= 2;
    return parts;
}

// The pairs of a group form `members` pairings. A process is in one pair at most of each pairing, so the pairs of
// a pairing can exchange at the same time.
int64_t pairing_of(const PeerPair &pair) { return (pair.a + pair.b) % pair.members; }

} // namespace

std::vector<RoundPiece> cut_into_rounds(const std::vector<plan::StridedCopy> &copies, const PeerPair &pair) {
    const int64_t pairing = pairing_of(pair);
    std::vector<RoundPiece> pieces;
    std::vector<std::vector<plan::StridedCopy>> parts; // per copy
    if (std::all_of(copies.begin(), copies.end(), is_slab)) {
        const std::vector<plan::StridedCopy> all = steps_by_offset(copies);
        const Cutting cutting = cutting_into_slabs(all, pair);
        for (const plan::StridedCopy &copy : all)
            parts.push_back(slabs_of(copy, cutting));
        for (int64_t k = 0; k < cutting.parts; ++k)
            add(pieces, k * moments / cutting.parts * pair.members + pairing, parts, k);
        return pieces;
    }
    // Tile (i, j) is sent next to tile (j, i): in a square corner turn each lies where the other one was.
    const int64_t along = tiles_along_for(copies, pair), tiles = along * along;
    for (const plan::StridedCopy &copy : copies)
        parts.push_back(tiles_of(copy, along));
    int64_t k = 0;
    const auto add_tile = [&](int64_t i, int64_t j) {
        add(pieces, pairing * moments + k++ * moments / tiles, parts, i * along + j);
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

int64_t min_message_limit(const std::vector<plan::StridedCopy> &copies) {
    int64_t entries = 0;
    for (const plan::StridedCopy &copy : copies)
        if (!copy.tables.empty())
            entries = checked_add(entries, entries_of(copy) - std::ssize(copy.tables.front().entries));
    return checked_mul(lists_bytes(entries), part_in_messages);
}

std::vector<RoundPiece> cut_into_pieces(const std::vector<plan::StridedCopy> &copies, const PeerPair &pair,
                                        int64_t array_bytes) {
    const int64_t bytes = plan::copies_bytes(copies), pairing = pairing_of(pair);
    const int64_t even = array_bytes / pair.members / pair.members;
    const int64_t wanted = std::max(std::min(even / min_pieces, piece_bytes_wanted), even / max_pieces);
    const int64_t parts =
        pieces_worth_lists(copies, power_near(bytes, std::max(wanted, slab_bytes), max_pieces * pair.members));
    std::vector<RoundPiece> pieces(static_cast<size_t>(parts));
    for (int64_t k = 0; k < parts; ++k)
        pieces[static_cast<size_t>(k)].round = k * moments / parts * pair.members + pairing;
    for (const plan::StridedCopy &copy : copies) {
        std::vector<plan::StridedCopy> all;
        add_parts(copy, parts, all);
        const int64_t n = std::ssize(all);
        for (int64_t i = 0; i < n; ++i)
            pieces[static_cast<size_t>(i * parts / n)].copies.push_back(
                plan::canonical(all[static_cast<size_t>(i)]));
    }
    std::erase_if(pieces, [](const RoundPiece &piece) { return piece.copies.empty(); });
    return pieces;
}

} // namespace dri::planner
