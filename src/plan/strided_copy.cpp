// Brings strided copies into canonical form, and measures and prints them.
#include "plan/strided_copy.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <tuple>

namespace dri::plan {

namespace {

// Whether a * b equals c. A product that overflows equals nothing.
bool is_product(int64_t a, int64_t b, int64_t c) {
    int64_t r;
    return !__builtin_mul_overflow(a, b, &r) && r == c;
}

bool copies_nothing(const StridedCopy &copy) {
    return copy.run_bytes == 0 ||
           std::any_of(copy.loops.begin(), copy.loops.end(), [](const Loop &l) { return l.count == 0; }) ||
           std::any_of(copy.tables.begin(), copy.tables.end(), [](const Table &t) { return table_steps(t) == 0; });
}

// If all entries have the same number of steps, these steps become a loop.
void split_even_counts(StridedCopy &copy, Table &table) {
    const int64_t count = table.entries.front().count;
    const auto same = [&](const TableEntry &e) { return e.count == count; };
    if (!std::all_of(table.entries.begin(), table.entries.end(), same))
        return;
    if (count > 1)
        copy.loops.push_back({count, table.src_stride, table.dst_stride});
    table.src_stride = table.dst_stride = 0;
    if (count > 1)
        table.entries = Entries(table.entries.size(), [&table](const auto &take) {
            for (const TableEntry &entry : table.entries)
                take({entry.src_offset, entry.dst_offset, 1});
        });
}

// Whether all entries have equal counts and lie at equal distances. Such a table is a plain loop.
bool has_strides(const Table &table) {
    const Entries &e = table.entries;
    for (size_t i = 1; i < e.size(); ++i)
        if (e[i].count != e[0].count ||
            e[i].src_offset - e[i - 1].src_offset != e[1].src_offset - e[0].src_offset ||
            e[i].dst_offset - e[i - 1].dst_offset != e[1].dst_offset - e[0].dst_offset)
            return false;
    return true;
}

bool lies_before(const TableEntry &a, const TableEntry &b) {
    return std::tie(a.dst_offset, a.src_offset) < std::tie(b.dst_offset, b.src_offset);
}

// Removes empty entries, sorts the others by destination, and turns tables with regular offsets into loops.
void reduce_tables(StridedCopy &copy) {
    std::vector<Table> kept;
    for (Table &table : copy.tables) {
        // Entries that are already in order are not changed, so that copies keep sharing them.
        const Entries &entries = table.entries;
        const auto is_empty = [](const TableEntry &e) { return e.count == 0; };
        if (std::any_of(entries.begin(), entries.end(), is_empty) ||
            !std::is_sorted(entries.begin(), entries.end(), lies_before)) {
            Entries::List changed = entries.list();
            std::erase_if(changed, is_empty);
            std::sort(changed.begin(), changed.end(), lies_before);
            table.entries = changed;
        }
        split_even_counts(copy, table);
        if (!has_strides(table)) {
            kept.push_back(std::move(table));
            continue;
        }
        const TableEntry first = entries.front();
        copy.src_offset = checked_add(copy.src_offset, first.src_offset);
        copy.dst_offset = checked_add(copy.dst_offset, first.dst_offset);
        if (entries.size() > 1)
            copy.loops.push_back({static_cast<int64_t>(entries.size()), entries[1].src_offset - first.src_offset,
                                  entries[1].dst_offset - first.dst_offset});
    }
    std::stable_sort(kept.begin(), kept.end(),
                     [](const Table &a, const Table &b) { return table_dst_step(a) > table_dst_step(b); });
    copy.tables = std::move(kept);
}

// Walks a loop with a negative destination stride from its last step, so that all destination strides are
// positive.
void walk_upwards(StridedCopy &copy) {
    for (Loop &l : copy.loops) {
        if (l.dst_stride >= 0)
            continue;
        copy.src_offset = checked_add(copy.src_offset, checked_mul(l.count - 1, l.src_stride));
        copy.dst_offset = checked_add(copy.dst_offset, checked_mul(l.count - 1, l.dst_stride));
        l.src_stride = checked_mul(l.src_stride, -1);
        l.dst_stride = checked_mul(l.dst_stride, -1);
    }
}

// The order of loops. It must be total: otherwise equal copies could have their loops in different orders.
bool is_outer(const Loop &a, const Loop &b) {
    return std::tie(a.dst_stride, a.src_stride, a.count) > std::tie(b.dst_stride, b.src_stride, b.count);
}

// Merges a loop whose steps follow each other without gaps on both sides into the run.
bool merge_into_run(StridedCopy &copy) {
    const int64_t dst_run = dst_run_bytes(copy);
    for (Loop &l : copy.loops) {
        if (l.src_stride != copy.run_bytes || l.dst_stride != dst_run)
            continue;
        copy.run_bytes = checked_mul(copy.run_bytes, l.count);
        copy.loops.erase(&l);
        return true;
    }
    return false;
}

// Merges two loops if the outer one continues the inner one on both sides.
bool merge_two_loops(StridedCopy &copy) {
    for (Loop &outer : copy.loops) {
        for (Loop &inner : copy.loops) {
            if (&inner == &outer)
                continue;
            if (!is_product(inner.count, inner.src_stride, outer.src_stride))
                continue;
            if (!is_product(inner.count, inner.dst_stride, outer.dst_stride))
                continue;
            inner.count = checked_mul(inner.count, outer.count);
            copy.loops.erase(&outer);
            return true;
        }
    }
    return false;
}

} // namespace

int64_t copy_bytes(const StridedCopy &copy) {
    if (copies_nothing(copy))
        return 0;
    int64_t bytes = copy.run_bytes;
    for (const Loop &l : copy.loops)
        bytes = checked_mul(bytes, l.count);
    for (const Table &table : copy.tables)
        bytes = checked_mul(bytes, table_steps(table));
    return bytes;
}

int64_t dst_run_bytes(const StridedCopy &copy) {
    if (!copy.conversion)
        return copy.run_bytes;
    return checked_mul(copy.run_bytes / scalar_bytes(copy.conversion.from), scalar_bytes(copy.conversion.to));
}

int64_t table_steps(const Table &table) {
    int64_t steps = 0;
    for (const TableEntry &entry : table.entries)
        steps = checked_add(steps, entry.count);
    return steps;
}

int64_t table_dst_step(const Table &table) {
    if (table.dst_stride != 0)
        return std::abs(table.dst_stride);
    int64_t min_distance = INT64_MAX;
    for (size_t i = 1; i < table.entries.size(); ++i)
        min_distance =
            std::min(min_distance, std::abs(table.entries[i].dst_offset - table.entries[i - 1].dst_offset));
    return min_distance;
}

StridedCopy canonical(StridedCopy copy) {
    if (copies_nothing(copy))
        return {};
    Loops kept;
    for (const Loop &l : copy.loops)
        if (l.count != 1)
            kept.push_back(l);
    copy.loops = kept;
    if (!copy.tables.empty())
        reduce_tables(copy);
    walk_upwards(copy);
    // Sorting first makes the result independent of the order of the given loops.
    std::sort(copy.loops.begin(), copy.loops.end(), is_outer);
    while (merge_into_run(copy) || merge_two_loops(copy))
        std::sort(copy.loops.begin(), copy.loops.end(), is_outer);
    return copy;
}

std::string to_text(const StridedCopy &copy) {
    std::string text =
        fmt::format("{}B{} @{}->@{}", copy.run_bytes, to_text(copy.conversion), copy.src_offset, copy.dst_offset);
    for (const Loop &l : copy.loops)
        text += fmt::format(" x[{}: {}->{}]", l.count, l.src_stride, l.dst_stride);
    for (const Table &t : copy.tables) {
        text += fmt::format(" x{{{} of {} steps {}->{}:", t.entries.size(), table_steps(t), t.src_stride,
                            t.dst_stride);
        constexpr size_t shown = 3;
        for (size_t i = 0; i < std::min(shown, t.entries.size()); ++i)
            text +=
                fmt::format(" {}->{}*{}", t.entries[i].src_offset, t.entries[i].dst_offset, t.entries[i].count);
        text += t.entries.size() > shown ? " ...}" : "}";
    }
    return text;
}

} // namespace dri::plan
