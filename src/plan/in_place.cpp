#include "plan/in_place.hpp"

#include <algorithm>
#include <cstdlib>

namespace dri {

namespace {

// A set of bytes: runs of bytes that begin at begin plus a multiple of each stride, fewer than its count.
struct Steps {
    int64_t count = 1, stride = 0;
};
struct Region {
    int64_t begin = 0, run_bytes = 0;
    FixedVector<Steps, max_loops> steps;
};

int64_t hull_bytes(const Region &region) {
    int64_t bytes = region.run_bytes;
    for (const Steps &s : region.steps)
        bytes += (s.count - 1) * s.stride;
    return bytes;
}

void add_steps(Region &region, int64_t count, int64_t stride) {
    region.begin += std::min<int64_t>(stride, 0) * (count - 1);
    if (count > 1 && stride != 0)
        region.steps.push_back({count, std::abs(stride)});
}

// Without gaps from the first byte of a table's entries to the last one.
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

// What a copy writes, or reads.
Region region_of(const StridedCopy &copy, bool written) {
    Region region{written ? copy.dst_offset : copy.src_offset, written ? dst_run_bytes(copy) : copy.run_bytes, {}};
    for (const Loop &loop : copy.loops)
        add_steps(region, loop.count, written ? loop.dst_stride : loop.src_stride);
    for (const Table &table : copy.tables)
        add_table(region, table, written);
    return region;
}

int64_t place_in_row(int64_t at, int64_t pitch) {
    const int64_t rest = at % pitch;
    return rest < 0 ? rest + pitch : rest;
}

// What the region has in a row of `pitch` bytes, all rows laid over each other; its begin is that in the row.
Region in_row(const Region &region, int64_t pitch) {
    Region row{place_in_row(region.begin, pitch), region.run_bytes, {}};
    for (const Steps &s : region.steps)
        if (s.stride % pitch != 0)
            row.steps.push_back(s);
    return row;
}

bool are_apart(const Region &a, const Region &b);

bool are_apart_in_rows(const Region &a, const Region &b, int64_t pitch) {
    const Region x = in_row(a, pitch), y = in_row(b, pitch);
    const int64_t x_bytes = hull_bytes(x), y_bytes = hull_bytes(y);
    if (x_bytes > pitch || y_bytes > pitch)
        return false;
    const int64_t distance = place_in_row(y.begin - x.begin, pitch);
    if (distance >= x_bytes && distance + y_bytes <= pitch)
        return true;
    // Rows inside of the row, where no run goes on in the next one.
    const bool simpler = x.steps.size() + y.steps.size() < a.steps.size() + b.steps.size();
    return simpler && x.begin + x_bytes <= pitch && y.begin + y_bytes <= pitch && are_apart(x, y);
}

bool are_apart(const Region &a, const Region &b) {
    if (a.begin + hull_bytes(a) <= b.begin || b.begin + hull_bytes(b) <= a.begin)
        return true;
    const auto apart_by = [&](const Steps &s) { return are_apart_in_rows(a, b, s.stride); };
    return std::any_of(a.steps.begin(), a.steps.end(), apart_by) ||
           std::any_of(b.steps.begin(), b.steps.end(), apart_by);
}

bool may_meet(const Message &sent, const Message &received) {
    for (const StridedCopy &pack : sent.copies)
        for (const StridedCopy &unpack : received.copies)
            if (may_meet(pack, unpack))
                return true;
    return false;
}

struct Stretch {
    int64_t begin = INT64_MAX, end = INT64_MIN;
    void add(const Stretch &other) {
        begin = std::min(begin, other.begin);
        end = std::max(end, other.end);
    }
};

Stretch stretch_of(const Message &message, bool written) {
    Stretch all;
    for (const StridedCopy &copy : message.copies) {
        const Region region = region_of(copy, written);
        all.add({region.begin, region.begin + hull_bytes(region)});
    }
    return all;
}

// For each send the stretch that it has with all that follow it.
std::vector<Stretch> stretches_from(const std::vector<Message> &sends) {
    std::vector<Stretch> from(sends.size());
    Stretch all;
    for (size_t i = sends.size(); i-- > 0;) {
        all.add(stretch_of(sends[i], false));
        from[i] = all;
    }
    return from;
}

} // namespace

bool stays(const StridedCopy &copy) {
    return !copy.conversion && copy.src_offset == copy.dst_offset && copy.tables.empty() &&
           std::all_of(copy.loops.begin(), copy.loops.end(),
                       [](const Loop &loop) { return loop.src_stride == loop.dst_stride; });
}

bool may_meet(const StridedCopy &read, const StridedCopy &written) {
    return !are_apart(region_of(read, false), region_of(written, true));
}

PlaceRule rule_in_place(const std::vector<Message> &sends, const std::vector<Message> &receives) {
    PlaceRule rule;
    rule.sends_at_once = sends.empty() ? 0 : 1;
    const std::vector<Stretch> from = stretches_from(sends);
    for (const Message &received : receives) {
        const Stretch place = stretch_of(received, true);
        const auto clear = std::partition_point(from.begin(), from.end(), [&](const Stretch &sent) {
            return sent.begin < place.end && place.begin < sent.end;
        });
        auto before = static_cast<size_t>(clear - from.begin());
        while (before > 0 && !may_meet(sends[before - 1], received))
            --before;
        rule.packed_before.push_back(before);
        const auto round = std::lower_bound(sends.begin(), sends.end(), received.round,
                                            [](const Message &m, int64_t r) { return m.round < r; });
        rule.sends_at_once = std::max(rule.sends_at_once, static_cast<int64_t>(before) - (round - sends.begin()));
    }
    return rule;
}

} // namespace dri
