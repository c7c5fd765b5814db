#include "model/cut.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <set>

namespace dri {

namespace {

// "50 to 60, a multiple of 4"
std::string limits_text(const CutRule &r) {
    std::string text;
    if (r.min && r.min == r.max)
        text = fmt::format("exactly {}", r.min);
    else if (r.min && r.max)
        text = fmt::format("{} to {}", r.min, r.max);
    else if (r.min)
        text = fmt::format("at least {}", r.min);
    else if (r.max)
        text = fmt::format("at most {}", r.max);
    if (r.multiple > 1)
        text += fmt::format("{}a multiple of {}", text.empty() ? "" : ", ", r.multiple);
    return text;
}

bool constrained(const CutRule &r) { return r.min > 0 || r.max > 0 || r.multiple > 1; }

bool size_fits(const CutRule &r, int64_t n, bool last) {
    return n >= r.min && (r.max == 0 || n <= r.max) && (last || r.multiple <= 1 || n % r.multiple == 0);
}

} // namespace

Cut::Cut(const CutRule &rule, int64_t size, int64_t nparts, size_t dim)
    : kind_(rule.kind), remainder_(rule.remainder), size_(size), nparts_(nparts), block_(rule.block),
      overlap_(rule.overlap) {
    if (kind_ == CutKind::whole)
        front_ = 1, units_ = size;
    if (kind_ == CutKind::block) {
        cut_blocks(rule, dim);
        return;
    }
    if (kind_ == CutKind::sizes) {
        starts_.push_back(0);
        for (int64_t s : rule.sizes)
            starts_.push_back(starts_.back() + s);
        if (starts_.back() != size)
            fail(DRI_ERR_CONSTRAINT, "dimension {}: the {} sizes add up to {}, but there are {} elements", dim,
                 rule.sizes.size(), starts_.back(), size);
    }
    if (!constrained(rule))
        return;
    int64_t last = nparts - 1;
    while (last > 0 && part_size(last) == 0)
        --last;
    for (int64_t c = 0; c <= last; ++c) {
        const int64_t n = part_size(c);
        if (n > 0 && !size_fits(rule, n, c == last))
            fail(DRI_ERR_CONSTRAINT, "dimension {}: part {} of {} has {} of the {} elements, but must have {}",
                 dim, c, nparts, n, size, limits_text(rule));
    }
}

// Deals ceil(size/multiple) units of `multiple` indices evenly to `parts` parts.
bool Cut::fit_even(const CutRule &rule, int64_t parts) {
    unit_ = std::max<int64_t>(rule.multiple, 1);
    units_ = ceil_div(size_, unit_);
    front_ = parts;
    if (!constrained(rule))
        return true;
    // Sizes take few values: the largest and smallest share of units stand at either end or at the step.
    // A proportional cut has its largest share first and its smallest last.
    const int64_t extra = units_ % parts;
    std::set<int64_t> candidates{0, extra - 1, extra, parts - extra - 1, parts - extra, parts - 2, parts - 1};
    if (remainder_ == Remainder::ceil) {
        const int64_t used = ceil_div(units_, std::max<int64_t>(ceil_div(units_, parts), 1));
        candidates.insert({used - 2, used - 1});
    }
    int64_t last = parts - 1;
    while (last > 0 && part_size(last) == 0)
        --last;
    candidates.insert(last);
    return std::all_of(candidates.begin(), candidates.end(), [&](int64_t c) {
        if (c < 0 || c >= parts || part_size(c) == 0)
            return true;
        return size_fits(rule, part_size(c), c == last);
    });
}

// Looks for any sizes: equal shares of units to the first parts - 1, and a last part of any allowed size.
bool Cut::fit_any(const CutRule &rule, int64_t parts) {
    const int64_t unit = std::max<int64_t>(rule.multiple, 1), max = rule.max ? rule.max : size_;
    const int64_t least = std::max<int64_t>(ceil_div(rule.min, unit), 1), most = max / unit; // units of a part
    int64_t low = std::max<int64_t>(rule.min, 1), high = std::min(max, size_);
    if (parts > 1) {
        if (most < least || least > size_ / unit)
            return false;
        if (parts - 1 > size_ / (least * unit))
            return false;
        high = std::min(high, size_ - (parts - 1) * least * unit);
        if (parts - 1 <= size_ / (most * unit))
            low = std::max(low, size_ - (parts - 1) * most * unit);
    } else {
        low = std::max(low, size_);
    }
    // The last part leaves a whole number of units to the others.
    const int64_t phase = size_ % unit;
    const auto up = [&](int64_t s) { return s + ((phase - s) % unit + unit) % unit; };
    int64_t last = up(std::clamp(size_ / parts, std::min(low, high), high));
    if (last > high)
        last -= unit;
    if (last < low || last > high)
        return false;
    remainder_ = Remainder::balanced;
    unit_ = unit;
    units_ = (size_ - last) / unit;
    front_ = parts - 1;
    return true;
}

void Cut::cut_blocks(const CutRule &rule, size_t dim) {
    if (fit_even(rule, nparts_))
        return;
    const int64_t most = std::min(nparts_, std::max<int64_t>(size_, 1));
    for (int64_t parts = most; parts >= 1; --parts)
        if (fit_even(rule, parts))
            return;
    for (int64_t parts = most; parts >= 1; --parts)
        if (fit_any(rule, parts))
            return;
    const std::string why = rule.max && rule.max < ceil_div(size_, nparts_)
                                ? fmt::format("{} parts of {} hold at most {}, {} too few", nparts_, rule.max,
                                              nparts_ * rule.max, size_ - nparts_ * rule.max)
                                : fmt::format("no number of parts up to {} gives such sizes", nparts_);
    fail(DRI_ERR_CONSTRAINT, "dimension {}: {} elements cannot be cut into {} parts with {} each: {}", dim, size_,
         nparts_, limits_text(rule), why);
}

int64_t Cut::unit_start(int64_t c) const {
    const int64_t share = units_ / front_, extra = units_ % front_;
    switch (remainder_) {
    case Remainder::balanced: return c * share + std::min(c, extra);
    case Remainder::balanced_last: return c * share + std::max<int64_t>(0, c - (front_ - extra));
    case Remainder::ceil: return std::min(units_, c * ceil_div(units_, front_));
    case Remainder::proportional: return mul_div(c, units_, front_) + (mul_rest(c, units_, front_) != 0);
    }
    return 0;
}

int64_t Cut::start(int64_t c) const {
    if (kind_ == CutKind::sizes)
        return starts_[static_cast<size_t>(c)];
    if (c > front_)
        return size_;
    if (front_ == 0)
        return 0;
    const int64_t at = unit_start(c);
    return at > size_ / unit_ ? size_ : std::min(size_, at * unit_);
}

int64_t Cut::part_size(int64_t c) const {
    if (kind_ != CutKind::block_cyclic)
        return start(c + 1) - start(c);
    const int64_t blocks = ceil_div(size_, block_);
    if (c >= blocks)
        return 0;
    const int64_t mine = (blocks - 1 - c) / nparts_ + 1;
    const bool has_last = (blocks - 1) % nparts_ == c;
    return mine * block_ - (has_last ? blocks * block_ - size_ : 0);
}

IndexSet Cut::part(int64_t c) const {
    const int64_t n = part_size(c);
    if (n == 0)
        return {};
    if (kind_ != CutKind::block_cyclic)
        return IndexSet({Runs{start(c), n, 1, 0, 0, 0}});
    if (nparts_ == 1)
        return IndexSet({Runs{0, n, 1, 0, 0, 0}});
    const int64_t full = n / block_, rest = n % block_, step = nparts_ * block_;
    std::vector<Runs> lists;
    if (full > 0)
        lists.push_back({c * block_, block_, full, full > 1 ? step : 0, 0, full > 1 ? block_ : 0});
    if (rest > 0)
        lists.push_back({c * block_ + full * step, rest, 1, 0, full * block_, 0});
    return IndexSet(std::move(lists));
}

PartAxis Cut::axis(int64_t c) const { return make_axis(part(c).lists(), size_, overlap_); }

int64_t Cut::owner(int64_t index) const {
    if (kind_ == CutKind::whole)
        return 0;
    if (kind_ == CutKind::block_cyclic)
        return (index / block_) % nparts_;
    if (kind_ == CutKind::sizes)
        return std::upper_bound(starts_.begin(), starts_.end(), index) - starts_.begin() - 1;
    const int64_t u = index / unit_;
    if (u >= units_)
        return front_;
    const int64_t share = units_ / front_, extra = units_ % front_;
    switch (remainder_) {
    case Remainder::balanced:
        return u < extra * (share + 1) ? u / (share + 1) : extra + (u - extra * (share + 1)) / share;
    case Remainder::balanced_last: {
        const int64_t small = (front_ - extra) * share;
        return u < small ? u / share : (front_ - extra) + (u - small) / (share + 1);
    }
    case Remainder::ceil: return u / ceil_div(units_, front_);
    case Remainder::proportional: return mul_div(u, front_, units_);
    }
    return 0;
}

int64_t Cut::largest() const {
    if (kind_ == CutKind::whole)
        return size_;
    if (kind_ == CutKind::block_cyclic)
        return part_size(0);
    int64_t most = 0;
    if (kind_ == CutKind::sizes) {
        for (int64_t c = 0; c < nparts_; ++c)
            most = std::max(most, part_size(c));
        return most;
    }
    // The largest share stands at either end; a last part may be short of its share.
    for (int64_t c : {int64_t{0}, front_ - 2, front_ - 1})
        if (c >= 0)
            most = std::max(most, part_size(c));
    if (front_ < nparts_)
        most = std::max(most, part_size(front_));
    return most;
}

int64_t Cut::period() const { return kind_ == CutKind::block_cyclic ? nparts_ * block_ : size_; }

std::vector<int64_t> Cut::owners(int64_t lo, int64_t hi) const {
    std::vector<int64_t> parts;
    if (kind_ != CutKind::block_cyclic) {
        for (int64_t c = owner(lo); c <= owner(hi - 1); ++c)
            parts.push_back(c);
        return parts;
    }
    const int64_t from = lo / block_, to = (hi - 1) / block_ + 1;
    for (int64_t b = from; b < std::min(to, from + nparts_); ++b)
        parts.push_back(b % nparts_);
    std::sort(parts.begin(), parts.end());
    return parts;
}

std::vector<int64_t> Cut::holders(int64_t lo, int64_t hi) const {
    // A part has overlap from an index exactly where the index, widened by the overlap, meets the part. The copies
    // of an edge stand beside a part that reaches the edge, which the range widened so names, too.
    const auto [left, right, left_edge, right_edge] = overlap_;
    std::vector<int64_t> parts;
    const auto add = [&](int64_t from, int64_t to) {
        from = std::max<int64_t>(from, 0);
        to = std::min(to, size_);
        if (from >= to)
            return;
        const auto more = owners(from, to);
        parts.insert(parts.end(), more.begin(), more.end());
    };
    add(lo - std::min(lo, right), hi + std::min(size_ - hi, left));
    if (right_edge == Edge::wrap && right > 0)
        add(lo + size_ - std::min(right, size_ + lo), size_);
    if (left_edge == Edge::wrap && left > 0)
        add(0, hi - size_ + std::min(left, size_));
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
}

} // namespace dri
