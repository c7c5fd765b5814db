// Decides in closed form whether two sets of bytes are disjoint.
#include "plan/region.hpp"

#include <algorithm>
#include <cstdlib>

namespace dri::plan {

namespace {

void add_steps(Region &region, int64_t count, int64_t stride) {
    region.begin += std::min<int64_t>(stride, 0) * (count - 1);
    if (count > 1 && stride != 0)
        region.steps.push_back({count, std::abs(stride)});
}

// Adds a table as one run without gaps, from its first byte to its last one.
void add_table(Region &region, const Table &table, bool written) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (const TableEntry &entry : table.entries) {
        const int64_t first = written ? entry.dst_offset : entry.src_offset;
        const int64_t last = first + (entry.count - 1) * (written ? table.dst_stride : table.src_stride);
        low = std::min({low, first, last});
        high = std::max({high, first, last});
    }
    if (table.entries.empty())
        return;
    region.begin += low;
    region.run_bytes += high - low;
}

int64_t offset_in_row(int64_t at, int64_t pitch) {
    const int64_t rest = at % pitch;
    return rest < 0 ? rest + pitch : rest;
}

// Folds memory into rows of `pitch` bytes and tests whether the regions are disjoint inside such a row.
bool are_apart_in_rows(const Region &a, const Region &b, int64_t pitch) {
    const Region x = in_row(a, pitch), y = in_row(b, pitch);
    const int64_t x_bytes = hull_bytes(x), y_bytes = hull_bytes(y);
    if (x_bytes > pitch || y_bytes > pitch)
        return false;
    const int64_t distance = offset_in_row(y.begin - x.begin, pitch);
    if (distance >= x_bytes && distance + y_bytes <= pitch)
        return true;
    // The ranges overlap, but the bytes inside them may not. Repeat the test inside the row with fewer steps. This
    // is valid only if no run crosses the end of the row.
    const bool simpler = x.steps.size() + y.steps.size() < a.steps.size() + b.steps.size();
    return simpler && x.begin + x_bytes <= pitch && y.begin + y_bytes <= pitch && are_apart(x, y);
}

} // namespace

int64_t hull_bytes(const Region &region) {
    int64_t bytes = region.run_bytes;
    for (const Steps &s : region.steps)
        bytes += (s.count - 1) * s.stride;
    return bytes;
}

Region region_of(const StridedCopy &copy, bool written) {
    Region region{written ? copy.dst_offset : copy.src_offset, written ? dst_run_bytes(copy) : copy.run_bytes, {}};
    for (const Loop &loop : copy.loops)
        add_steps(region, loop.count, written ? loop.dst_stride : loop.src_stride);
    for (const Table &table : copy.tables)
        add_table(region, table, written);
    return region;
}

Region in_row(const Region &region, int64_t pitch) {
    Region row{offset_in_row(region.begin, pitch), region.run_bytes, {}};
    for (const Steps &s : region.steps)
        if (s.stride % pitch != 0)
            row.steps.push_back(s);
    return row;
}

bool are_apart(const Region &a, const Region &b) {
    if (a.begin + hull_bytes(a) <= b.begin || b.begin + hull_bytes(b) <= a.begin)
        return true;
    const auto apart_by = [&](const Steps &s) { return are_apart_in_rows(a, b, s.stride); };
    return std::any_of(a.steps.begin(), a.steps.end(), apart_by) ||
           std::any_of(b.steps.begin(), b.steps.end(), apart_by);
}

} // namespace dri::plan
