// Finds for each in-place receive which sends must be packed first, by a tree of the sends' byte ranges.
#include "plan/in_place.hpp"

#include "plan/region.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace dri::plan {

namespace {

bool messages_may_meet(const Message &sent, const Message &received) {
    for (const StridedCopy &pack : sent.copies)
        for (const StridedCopy &unpack : received.copies)
            if (may_meet(pack, unpack))
                return true;
    return false;
}

// A range of bytes [begin, end).
struct Stretch {
    int64_t begin = INT64_MAX, end = INT64_MIN;
    void add(const Stretch &other) {
        begin = std::min(begin, other.begin);
        end = std::max(end, other.end);
    }
    bool meets(const Stretch &other) const { return begin < other.end && other.begin < end; }
};

// Number of pitches for which the tree stores ranges. Every further pitch makes each comparison longer.
constexpr size_t max_pitches = 6;

// Where the bytes of a message lie: their range in memory, and their ranges inside rows of some pitches. Two
// messages whose ranges are disjoint in one of these views have no byte in common.
struct Shadow {
    Stretch memory;
    FixedVector<Stretch, max_pitches> rows;

    void add(const Shadow &other) {
        memory.add(other.memory);
        while (rows.size() < other.rows.size())
            rows.push_back({});
        for (size_t i = 0; i < other.rows.size(); ++i)
            rows[i].add(other.rows[i]);
    }
    bool meets(const Shadow &other) const {
        if (!memory.meets(other.memory))
            return false;
        for (size_t i = 0; i < std::min(rows.size(), other.rows.size()); ++i)
            if (!rows[i].meets(other.rows[i]))
                return false;
        return true;
    }
};

// The ranges of all copies of a message, for what it reads or for what it writes. If a copy crosses the end of a
// row, its range is the whole row.
Shadow shadow_of(const Message &message, bool written, std::span<const int64_t> pitches) {
    Shadow all;
    for (const StridedCopy &copy : message.copies) {
        const Region region = region_of(copy, written);
        Shadow shadow{{region.begin, region.begin + hull_bytes(region)}, {}};
        for (const int64_t pitch : pitches) {
            const Region row = in_row(region, pitch);
            const Stretch stretch{row.begin, row.begin + hull_bytes(row)};
            shadow.rows.push_back(stretch.end <= pitch ? stretch : Stretch{0, pitch});
        }
        all.add(shadow);
    }
    return all;
}

// The strides that most copies have, and the distances that most messages have from the one before to the same
// peer. If a loop was cut into single steps, its stride appears only in these distances.
std::vector<int64_t> common_pitches(const std::vector<Message> &sends, const std::vector<Message> &receives) {
    std::map<int64_t, int64_t> found;
    const auto count = [&](const std::vector<Message> &messages, bool written) {
        std::unordered_map<int, int64_t> before;
        for (const Message &m : messages) {
            for (const StridedCopy &copy : m.copies)
                for (const Steps &s : region_of(copy, written).steps)
                    ++found[s.stride];
            const int64_t begin = m.copies.empty() ? 0 : region_of(m.copies.front(), written).begin;
            const auto at = before.try_emplace(m.peer, begin).first;
            if (const int64_t distance = std::abs(begin - std::exchange(at->second, begin)); distance > 0)
                ++found[distance];
        }
    };
    count(sends, false);
    count(receives, true);
    std::vector<std::pair<int64_t, int64_t>> sorted;
    for (const auto &[stride, times] : found)
        sorted.emplace_back(-times, -stride);
    std::sort(sorted.begin(), sorted.end());
    std::vector<int64_t> pitches;
    for (size_t i = 0; i < std::min(sorted.size(), max_pitches); ++i)
        pitches.push_back(-sorted[i].second);
    return pitches;
}

// A binary tree over the sends in their order. A receive that avoids the ranges of a node avoids all sends below
// it.
class SendTree {
public:
    SendTree(const std::vector<Message> &sends, std::span<const int64_t> pitches)
        : sends_(sends), nodes_(2 * leaves(sends.size())) {
        const size_t first = nodes_.size() / 2;
        for (size_t i = 0; i < sends.size(); ++i)
            nodes_[first + i] = shadow_of(sends[i], false, pitches);
        for (size_t i = first; i-- > 1;) {
            nodes_[i] = nodes_[2 * i];
            nodes_[i].add(nodes_[2 * i + 1]);
        }
    }

    // Index of the last send that may share bytes with the received message, plus 1. 0 if there is none.
    size_t end_of_meeting(const Message &received, const Shadow &shadow) {
        return sends_.empty() ? 0 : search(1, received, shadow);
    }
    int64_t comparisons() const { return comparisons_; }

private:
    static size_t leaves(size_t n) {
        size_t all = 1;
        while (all < n)
            all *= 2;
        return all;
    }

    size_t search(size_t node, const Message &received, const Shadow &shadow) {
        ++comparisons_;
        if (!nodes_[node].meets(shadow))
            return 0;
        const size_t first = nodes_.size() / 2;
        if (node >= first)
            return messages_may_meet(sends_[node - first], received) ? node - first + 1 : 0;
        const size_t after = search(2 * node + 1, received, shadow);
        return after > 0 ? after : search(2 * node, received, shadow);
    }

    const std::vector<Message> &sends_;
    std::vector<Shadow> nodes_; // the root is node 1, leaf i is node leaves + i
    int64_t comparisons_ = 0;
};

} // namespace

bool is_identity_in_place(const StridedCopy &copy) {
    return !copy.conversion && copy.src_offset == copy.dst_offset && copy.tables.empty() &&
           std::all_of(copy.loops.begin(), copy.loops.end(),
                       [](const Loop &loop) { return loop.src_stride == loop.dst_stride; });
}

int64_t bytes_that_stay(const Plan &plan) {
    int64_t bytes = 0;
    for (const StridedCopy &copy : plan.self)
        bytes += is_identity_in_place(copy) ? copy_bytes(copy) : 0;
    return bytes;
}

bool may_meet(const StridedCopy &read, const StridedCopy &written) {
    return !are_apart(region_of(read, false), region_of(written, true));
}

// sends_at_once counts the sends of the receive's own round and later ones that must be packed before it. Those of
// earlier rounds have left their slots by then.
InPlaceOrder in_place_order(const std::vector<Message> &sends, const std::vector<Message> &receives,
                            int64_t *comparisons) {
    InPlaceOrder order;
    order.packed_before.reserve(receives.size());
    order.sends_at_once = sends.empty() ? 0 : 1;
    const std::vector<int64_t> pitches = common_pitches(sends, receives);
    SendTree tree(sends, pitches);
    for (const Message &received : receives) {
        const size_t before = tree.end_of_meeting(received, shadow_of(received, true, pitches));
        order.packed_before.push_back(before);
        const auto round = std::lower_bound(sends.begin(), sends.end(), received.round,
                                            [](const Message &m, int64_t r) { return m.round < r; });
        order.sends_at_once =
            std::max(order.sends_at_once, static_cast<int64_t>(before) - (round - sends.begin()));
    }
    if (comparisons)
        *comparisons = tree.comparisons();
    return order;
}

} // namespace dri::plan
