// Cuts copies into slices for threads, so that the kernel of the whole copy suits each slice.
#include "plan/slices.hpp"

#include "base/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace dri::plan {

namespace {

// Minimum steps of a slice, because kernels work in tiles of this many steps. A loop over the two parts of a
// complex number has fewer steps and is not cut.
constexpr int64_t enough_steps = 16;

// What a copy can be cut along: a loop, a table between its entries, or the run, which is innermost.
struct Level {
    enum class Kind { loop, table, run } kind;
    size_t index = 0;
    int64_t dst_step = 0;
    int64_t units = 0; // of `unit` each; a cut is only between units
    int64_t unit = 1;  // steps, entries or bytes
};

// Bytes of a run that fill whole cache lines of the destination, whatever type they are converted to.
int64_t run_unit(const StridedCopy &copy) {
    return copy.conversion ? cache_line_bytes * scalar_bytes(copy.conversion.from) : cache_line_bytes;
}

std::vector<Level> levels(const StridedCopy &copy, int64_t parts) {
    std::vector<Level> out;
    for (size_t i = 0; i < copy.loops.size(); ++i) {
        const Loop &l = copy.loops[i];
        const int64_t steps =
            cache_line_bytes / std::gcd(cache_line_bytes, l.dst_stride); // steps after which a cache line starts
        const int64_t unit = l.count / steps >= enough_steps * parts ? steps : 1;
        out.push_back({Level::Kind::loop, i, std::abs(l.dst_stride), l.count / unit, unit});
    }
    for (size_t i = 0; i < copy.tables.size(); ++i)
        out.push_back({Level::Kind::table, i, table_dst_step(copy.tables[i]),
                       static_cast<int64_t>(copy.tables[i].entries.size()), 1});
    std::stable_sort(out.begin(), out.end(),
                     [](const Level &a, const Level &b) { return a.dst_step > b.dst_step; });
    out.push_back({Level::Kind::run, 0, 0, copy.run_bytes / run_unit(copy), run_unit(copy)});
    return out;
}

// The outermost level with enough units for all slices, otherwise the level with the most units.
Level choose(const StridedCopy &copy, int64_t parts) {
    const auto all = levels(copy, parts);
    const auto enough =
        std::find_if(all.begin(), all.end(), [&](const Level &l) { return l.units >= enough_steps * parts; });
    if (enough != all.end())
        return *enough;
    return *std::max_element(all.begin(), all.end(),
                             [](const Level &a, const Level &b) { return a.units < b.units; });
}

// Units [first, end) of a level. The last part also includes what remains of an incomplete unit.
StridedCopy part_of(const StridedCopy &copy, const Level &level, int64_t first, int64_t end) {
    StridedCopy part = copy;
    const bool last = end == level.units;
    const int64_t skipped = first * level.unit;
    const auto taken = [&](int64_t all) { return (last ? all : end * level.unit) - skipped; };
    switch (level.kind) {
    case Level::Kind::loop: {
        Loop &l = part.loops[level.index];
        part.src_offset += skipped * l.src_stride;
        part.dst_offset += skipped * l.dst_stride;
        l.count = taken(l.count);
        break;
    }
    case Level::Kind::table: {
        const Entries &entries = copy.tables[level.index].entries;
        part.tables[level.index].entries = entries.list(static_cast<size_t>(first), static_cast<size_t>(end));
        break;
    }
    case Level::Kind::run: {
        part.run_bytes = skipped;
        part.dst_offset += dst_run_bytes(part);
        part.src_offset += skipped;
        part.run_bytes = taken(copy.run_bytes);
        break;
    }
    }
    return canonical(part);
}

// End of each part of a level, in units. A table is divided so that the parts have about equal numbers of steps.
std::vector<int64_t> ends(const StridedCopy &copy, const Level &level, int64_t parts) {
    std::vector<int64_t> out;
    if (level.kind != Level::Kind::table) {
        for (int64_t i = 1; i <= parts; ++i)
            out.push_back(level.units / parts * i + std::min(i, level.units % parts));
        return out;
    }
    const Table &table = copy.tables[level.index];
    const int64_t all = table_steps(table);
    int64_t steps = 0;
    for (size_t e = 0; e < table.entries.size(); ++e) {
        steps += table.entries[e].count;
        while (std::ssize(out) + 1 < parts && steps >= all / parts * (std::ssize(out) + 1))
            out.push_back(static_cast<int64_t>(e) + 1);
    }
    out.push_back(level.units);
    return out;
}

int64_t bytes_of(const StridedCopy &copy) { return copy_bytes(copy); }

int64_t bytes_of(const TiledCopy &copy) {
    int64_t pieces = copy.piece_bytes;
    for (const Loop &l : copy.pieces)
        pieces *= l.count;
    return pieces * std::ssize(copy.tiles);
}

// Divides a tiled copy between its tiles. A straight copy has no tiles and is cut like a strided copy.
std::vector<TiledCopy> cut(const TiledCopy &copy, int64_t parts) {
    std::vector<TiledCopy> out;
    if (copy.straight) {
        const auto &[src, dst, is_rest] = copy.tiles.front();
        for (const StridedCopy &piece : cut(canonical({copy.piece_bytes, src, dst, copy.pieces}), parts)) {
            out.push_back(copy);
            out.back().piece_bytes = piece.run_bytes;
            out.back().pieces = piece.loops;
            out.back().tiles = {{piece.src_offset, piece.dst_offset, false}};
        }
        return out;
    }
    const int64_t tiles = std::ssize(copy.tiles);
    for (int64_t i = 0; i < parts; ++i) {
        const int64_t first = tiles * i / parts, end = tiles * (i + 1) / parts;
        if (first == end)
            continue;
        out.push_back(copy);
        out.back().tiles.assign(copy.tiles.begin() + first, copy.tiles.begin() + end);
    }
    return out;
}

StridedCopy uncut(const StridedCopy &copy) { return canonical(copy); }
const TiledCopy &uncut(const TiledCopy &copy) { return copy; }

// Assigns each slice to the thread with the fewest bytes so far. A copy below a 16th of a thread's bytes is not
// cut.
template <class Copy> std::vector<std::vector<Copy>> deal_any(const std::vector<Copy> &copies, int64_t threads) {
    int64_t all = 0;
    for (const Copy &copy : copies)
        all += bytes_of(copy);
    std::vector<std::vector<Copy>> lists(static_cast<size_t>(threads));
    std::vector<int64_t> bytes(lists.size(), 0);
    const auto give = [&](Copy copy) {
        const auto emptiest = std::min_element(bytes.begin(), bytes.end());
        *emptiest += bytes_of(copy);
        lists[static_cast<size_t>(emptiest - bytes.begin())].push_back(std::move(copy));
    };
    for (const Copy &copy : copies) {
        const bool small = bytes_of(copy) < all / threads / 16;
        for (Copy &piece : small ? std::vector<Copy>{uncut(copy)} : cut(uncut(copy), threads))
            give(std::move(piece));
    }
    return lists;
}

} // namespace

std::vector<StridedCopy> cut(const StridedCopy &copy, int64_t parts) {
    if (copy.run_bytes == 0)
        return {};
    const Level level = choose(copy, parts);
    if (parts <= 1 || level.units <= 1)
        return {copy};
    std::vector<StridedCopy> out;
    int64_t first = 0;
    for (const int64_t end : ends(copy, level, std::min(parts, level.units))) {
        if (end > first)
            out.push_back(part_of(copy, level, first, end));
        first = end;
    }
    return out;
}

std::vector<std::vector<StridedCopy>> deal(const std::vector<StridedCopy> &copies, int64_t threads) {
    return deal_any(copies, threads);
}

std::vector<std::vector<TiledCopy>> deal(const std::vector<TiledCopy> &copies, int64_t threads) {
    return deal_any(copies, threads);
}

} // namespace dri::plan
