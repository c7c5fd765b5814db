// Groups: the search for a rank, checks, text and wire form.
#include "model/group.hpp"

#include <algorithm>
#include <numeric>

namespace dri::model {

namespace {

// Consecutive positions whose ranks rise by one.
struct Stretch {
    int first, count;
};

std::vector<Stretch> stretches(const std::vector<int> &ranks) {
    std::vector<Stretch> out;
    for (int r : ranks) {
        if (!out.empty() && out.back().first + out.back().count == r)
            ++out.back().count;
        else
            out.push_back({r, 1});
    }
    return out;
}

} // namespace

// A single stretch needs no index, because position() subtracts.
Group::Group(std::vector<int> ranks) : ranks_(std::move(ranks)) {
    if (stretches(ranks_).size() <= 1)
        return;
    by_rank_.resize(ranks_.size());
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    std::sort(by_rank_.begin(), by_rank_.end(), [&](int a, int b) { return rank(a) < rank(b); });
}

std::optional<int> Group::position(int r) const {
    if (ranks_.empty())
        return std::nullopt;
    if (by_rank_.empty()) {
        const int64_t at = int64_t{r} - ranks_.front(); // 64 bits, because r may be any number
        return at >= 0 && at < size() ? std::optional(static_cast<int>(at)) : std::nullopt;
    }
    const auto at = std::lower_bound(by_rank_.begin(), by_rank_.end(), r,
                                     [&](int position, int value) { return rank(position) < value; });
    return at != by_rank_.end() && rank(*at) == r ? std::optional(*at) : std::nullopt;
}

Group in_rising_order(const Group &group) {
    std::vector<int> ranks = group.ranks();
    std::sort(ranks.begin(), ranks.end());
    return Group(std::move(ranks));
}

Group make_group(std::span<const int> ranks, int world) {
    std::vector<int> first_at(static_cast<size_t>(world), -1);
    for (size_t i = 0; i < ranks.size(); ++i) {
        const int r = ranks[i];
        if (r < 0 || r >= world)
            fail(DRI_ERR_ARG, "procs[{}] is {}, but the world has the ranks 0 to {}", i, r, world - 1);
        int &first = first_at[static_cast<size_t>(r)];
        if (first >= 0)
            fail(DRI_ERR_ARG, "procs[{}] and procs[{}] are both {}", first, i, r);
        first = static_cast<int>(i);
    }
    return Group(std::vector<int>(ranks.begin(), ranks.end()));
}

void put(Writer &out, const Group &group) {
    const auto all = stretches(group.ranks());
    out.put(static_cast<int64_t>(all.size()));
    for (const Stretch &s : all) {
        out.put(s.first);
        out.put(s.count);
    }
}

Group get_group(Reader &in, int most) {
    std::vector<int> ranks;
    const auto n = in.get<int64_t>();
    for (int64_t i = 0; i < n; ++i) {
        const int first = in.get<int>(), count = in.get<int>();
        if (first < 0 || count < 1 || count > most - std::ssize(ranks) ||
            first > std::numeric_limits<int>::max() - count)
            fail(DRI_ERR_INTERNAL, "a group of at most {} processes has no {} processes from {} on", most, count,
                 first);
        for (int k = 0; k < count; ++k)
            ranks.push_back(first + k);
    }
    if (ranks.empty())
        fail(DRI_ERR_INTERNAL, "a group has no processes");
    return Group(std::move(ranks));
}

std::string to_text(const Group &group) {
    std::string text;
    for (const Stretch &s : stretches(group.ranks())) {
        if (!text.empty())
            text += ",";
        text += s.count == 1 ? fmt::format("{}", s.first) : fmt::format("{}-{}", s.first, s.first + s.count - 1);
    }
    return text;
}

} // namespace dri::model
