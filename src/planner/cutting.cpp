// Cuts copies into slabs and tiles for in-place exchanges, and counts the table entries that cutting repeats.
#include "planner/cutting.hpp"

#include "base/checked.hpp"
#include "plan/region.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace dri::planner {

namespace {

// Start of a part if `count` steps are divided as evenly as possible. The formula avoids count * part, which could
// overflow.
int64_t part_begin(int64_t count, int64_t part, int64_t parts) {
    return count / parts * part + count % parts * part / parts;
}

// Loops have the numbers 0 to loops.size() - 1. The next number stands for the first table.
size_t table_number(const plan::StridedCopy &copy) { return copy.loops.size(); }

// Shortest distance between two steps of a table, in bytes.
int64_t min_step(const plan::Table &table, int64_t stride, int64_t plan::TableEntry::*offset) {
    int64_t min_distance = stride == 0 ? INT64_MAX : std::abs(stride);
    for (size_t i = 1; i < table.entries.size(); ++i)
        min_distance = std::min(min_distance, std::abs(table.entries[i].*offset - table.entries[i - 1].*offset));
    return min_distance;
}

// Number of the loop or table with the longest steps. Those with more than two steps come first, because only they
// are worth cutting. Loops with source stride 0 send one element to several addresses and are not cut.
size_t longest(const plan::StridedCopy &copy, int64_t plan::Loop::*stride, int64_t plan::Table::*table_stride,
               int64_t plan::TableEntry::*offset) {
    size_t best = no_loop;
    std::pair<bool, int64_t> best_rank;
    const auto consider = [&](size_t number, int64_t count, int64_t step) {
        const std::pair rank(count > 2, step);
        if (best != no_loop && rank <= best_rank)
            return;
        best = number;
        best_rank = rank;
    };
    for (size_t i = 0; i < copy.loops.size(); ++i)
        if (copy.loops[i].src_stride != 0)
            consider(i, copy.loops[i].count, std::abs(copy.loops[i].*stride));
    if (!copy.tables.empty()) {
        const plan::Table &table = copy.tables.front();
        consider(table_number(copy), plan::table_steps(table), min_step(table, table.*table_stride, offset));
    }
    return best;
}

size_t longest_in_source(const plan::StridedCopy &copy) {
    return longest(copy, &plan::Loop::src_stride, &plan::Table::src_stride, &plan::TableEntry::src_offset);
}
size_t longest_in_sink(const plan::StridedCopy &copy) {
    return longest(copy, &plan::Loop::dst_stride, &plan::Table::dst_stride, &plan::TableEntry::dst_offset);
}

// `begin` and `end` count scalars if the copy converts, otherwise bytes.
plan::StridedCopy stretch_of_run(const plan::StridedCopy &copy, int64_t begin, int64_t end) {
    if (begin == end)
        return {};
    const plan::Conversion &c = copy.conversion;
    const int64_t src_unit = c ? scalar_bytes(c.from) : 1, dst_unit = c ? scalar_bytes(c.to) : 1;
    plan::StridedCopy piece = copy;
    piece.src_offset += begin * src_unit;
    piece.dst_offset += begin * dst_unit;
    piece.run_bytes = (end - begin) * src_unit;
    return piece;
}

plan::StridedCopy stretch_of_loop(const plan::StridedCopy &copy, size_t at, int64_t begin, int64_t end) {
    if (begin == end)
        return {};
    plan::StridedCopy piece = copy;
    piece.src_offset += begin * copy.loops[at].src_stride;
    piece.dst_offset += begin * copy.loops[at].dst_stride;
    piece.loops[at].count = end - begin;
    return piece;
}

// The end of each part, as a number of steps. The first step lies at `at`.
std::vector<int64_t> ends_of_steps(const Cutting &cutting, int64_t count, int64_t at, int64_t step) {
    std::vector<int64_t> ends;
    int64_t last = 0;
    for (int64_t k = 0; k + 1 < cutting.parts; ++k) {
        last = cutting.by_offset
                   ? std::clamp(ceil_div(std::max<int64_t>(cutting.end_of(k) - at, 0), std::max<int64_t>(step, 1)),
                                last, count)
                   : part_begin(count, k + 1, cutting.parts);
        ends.push_back(last);
    }
    ends.push_back(count);
    return ends;
}

// Divides the first table between its steps. An entry that belongs to two parts is split.
std::vector<plan::StridedCopy> parts_of_table(const plan::StridedCopy &copy, const Cutting &cutting) {
    const plan::Table &table = copy.tables.front();
    std::vector<plan::StridedCopy> all(static_cast<size_t>(cutting.parts));
    plan::Entries::List of_part; // the entries of number `part`
    const int64_t steps = plan::table_steps(table), step = std::max<int64_t>(table.dst_stride, 1);
    int64_t part = 0, taken = 0;
    const auto steps_of_part = [&](const plan::TableEntry &from) {
        if (part + 1 == cutting.parts)
            return from.count;
        const int64_t at = copy.dst_offset + from.dst_offset;
        return cutting.by_offset ? ceil_div(std::max<int64_t>(cutting.end_of(part) - at, 0), step)
                                 : part_begin(steps, part + 1, cutting.parts) - taken;
    };
    const auto finish_part = [&] {
        if (of_part.empty())
            return;
        plan::StridedCopy &piece = all[static_cast<size_t>(part)];
        piece = copy;
        piece.tables.front().entries = of_part;
        of_part.clear();
    };
    for (plan::TableEntry left : table.entries)
        while (left.count > 0) {
            for (; steps_of_part(left) == 0; ++part)
                finish_part();
            const int64_t some = std::min(left.count, steps_of_part(left));
            of_part.push_back({left.src_offset, left.dst_offset, some});
            left.src_offset += some * table.src_stride;
            left.dst_offset += some * table.dst_stride;
            left.count -= some;
            taken += some;
        }
    finish_part();
    return all;
}

// Number of table entries that the parts have in excess of the copy's own. `cut` is called without the tables that
// are not cut; each part repeats those whole.
template <class Cut> int64_t entries_again(const plan::StridedCopy &copy, const Cut &cut) {
    if (copy.tables.empty())
        return 0;
    const size_t table = table_number(copy);
    const bool cuts_table = longest_in_source(copy) == table || longest_in_sink(copy) == table;
    plan::StridedCopy of_loops = copy;
    of_loops.tables.resize(cuts_table ? 1 : 0);
    const int64_t whole = entries_of(copy) - entries_of(of_loops);
    int64_t entries = 0;
    for (const plan::StridedCopy &part : cut(of_loops))
        if (part.run_bytes > 0)
            entries += whole + entries_of(part);
    return entries - entries_of(copy);
}

} // namespace

void Cutting::add(const plan::StridedCopy &copy) {
    const plan::Region region = plan::region_of(copy, true);
    by_offset = by_offset || !copy.tables.empty();
    begin = std::min(begin, region.begin);
    end = std::max(end, region.begin + plan::hull_bytes(region));
}

int64_t Cutting::end_of(int64_t part) const { return begin + part_begin(end - begin, part + 1, parts); }

std::vector<plan::StridedCopy> parts_of(const plan::StridedCopy &copy, size_t number, const Cutting &cutting) {
    if (number == table_number(copy))
        return parts_of_table(copy, cutting);
    std::vector<plan::StridedCopy> all;
    const auto cut = [&](int64_t count, int64_t step, const auto &stretch) {
        int64_t begin = 0;
        for (const int64_t end : ends_of_steps(cutting, count, copy.dst_offset, step))
            all.push_back(stretch(std::exchange(begin, end), end));
    };
    if (number != no_loop) {
        const plan::Loop &loop = copy.loops[number];
        cut(loop.count, loop.dst_stride,
            [&](int64_t begin, int64_t end) { return stretch_of_loop(copy, number, begin, end); });
    } else if (copy.loops.empty() && copy.tables.empty()) {
        const int64_t unit = copy.conversion ? scalar_bytes(copy.conversion.to) : 1;
        cut(plan::dst_run_bytes(copy) / unit, unit,
            [&](int64_t begin, int64_t end) { return stretch_of_run(copy, begin, end); });
    } else {
        all.resize(static_cast<size_t>(cutting.parts));
        all.front() = copy;
    }
    return all;
}

std::vector<plan::StridedCopy> distant_steps(const plan::StridedCopy &copy) {
    const size_t number = longest_in_sink(copy);
    for (size_t i = 0; number < copy.loops.size() && i < copy.loops.size(); ++i) {
        const plan::Loop &loop = copy.loops[i], &cut = copy.loops[number];
        if (loop.count != 2 || cut.count == 2 || std::abs(loop.src_stride) <= std::abs(cut.src_stride) ||
            std::abs(loop.dst_stride) <= std::abs(cut.dst_stride))
            continue;
        std::vector<plan::StridedCopy> steps;
        for (plan::StridedCopy &step : parts_of(copy, i, Cutting{2}))
            for (plan::StridedCopy &one : distant_steps(plan::canonical(std::move(step))))
                steps.push_back(std::move(one));
        return steps;
    }
    return {copy};
}

int64_t entries_of(const plan::StridedCopy &copy) {
    int64_t entries = 0;
    for (const plan::Table &table : copy.tables)
        entries += std::ssize(table.entries);
    return entries;
}

int64_t entries_again_in_slabs(const plan::StridedCopy &copy, const Cutting &cutting) {
    return entries_again(copy, [&](const plan::StridedCopy &cut) { return slabs_of(cut, cutting); });
}

int64_t entries_again_in_tiles(const plan::StridedCopy &copy, int64_t parts) {
    return entries_again(copy, [&](const plan::StridedCopy &cut) { return tiles_of(cut, parts); });
}

bool is_slab(const plan::StridedCopy &copy) { return longest_in_source(copy) == longest_in_sink(copy); }

std::vector<plan::StridedCopy> slabs_of(const plan::StridedCopy &copy, const Cutting &cutting) {
    return parts_of(copy, longest_in_source(copy), cutting);
}

std::vector<plan::StridedCopy> tiles_of(const plan::StridedCopy &copy, int64_t parts) {
    const bool slabs = is_slab(copy);
    Cutting cutting{slabs ? parts * parts : parts};
    cutting.add(copy);
    if (slabs)
        return slabs_of(copy, cutting);
    cutting.by_offset = false; // the steps along the source interleave with those along the sink
    const size_t across = longest_in_sink(copy);
    std::vector<plan::StridedCopy> all;
    for (const plan::StridedCopy &row : slabs_of(copy, cutting)) {
        const std::vector<plan::StridedCopy> tiles =
            row.run_bytes == 0 ? std::vector(static_cast<size_t>(parts), row) : parts_of(row, across, cutting);
        all.insert(all.end(), tiles.begin(), tiles.end());
    }
    return all;
}

} // namespace dri::planner
