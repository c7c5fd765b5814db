// Cut: turns a rule into sizes of parts within its limits, or explains why there are none.
#include "model/cut.hpp"

#include "base/checked.hpp"
#include "model/weights.hpp"

#include <algorithm>
#include <set>

namespace dri::model {

namespace {

// The limits of a rule as text: "50 to 60, a multiple of 4".
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

// A number and its noun: "1 part", "2 parts".
std::string counted(int64_t n, const char *what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// By how much n elements miss the limits.
std::string miss_text(const CutRule &r, int64_t n) {
    if (n < r.min)
        return fmt::format("{} too few", r.min - n);
    if (r.max && n > r.max)
        return fmt::format("{} too many", n - r.max);
    const int64_t past = n % r.multiple;
    return fmt::format("{} past a multiple, {} short of the next", past, r.multiple - past);
}

bool constrained(const CutRule &r) { return r.min > 0 || r.max > 0 || r.multiple > 1; }

// Only the last non-empty part may break `multiple`.
bool size_fits(const CutRule &r, int64_t n, bool last) {
    return n >= r.min && (r.max == 0 || n <= r.max) && (last || r.multiple <= 1 || n % r.multiple == 0);
}

} // namespace

Cut::Cut(CutRule rule, int64_t size, int64_t nparts, size_t dim, KeepLists keep)
    : kind_(rule.kind), remainder_(rule.remainder), size_(size), nparts_(nparts),
      block_(std::min(rule.block, std::max<int64_t>(size, 1))), phase_(rule.phase),
      overlap_(clipped(rule.overlap, size)) {
    switch (kind_) {
    case CutKind::whole: front_ = 1, units_ = size; break;
    case CutKind::block: cut_blocks(rule, dim); break;
    case CutKind::block_cyclic:
        if (phase_ >= nparts_)
            fail(DRI_ERR_ARG, "dimension {}: phase is {}, but there are {}, counted from 0", dim, phase_,
                 counted(nparts_, "part"));
        break;
    case CutKind::sizes: set_sizes(rule, rule.sizes, dim); break;
    case CutKind::weights: weigh(rule, dim); break;
    case CutKind::indices: take_lists(rule, dim, keep); break;
    case CutKind::exact: fail(DRI_ERR_INTERNAL, "dimension {}: exact pieces are not a cut", dim);
    }
    check_limits(rule, dim);
    check_extents(rule.overlap, max_blocks(), largest(), dim);
}

// Kind block is cut within its limits. The other kinds are checked here, part by part.
void Cut::check_limits(const CutRule &rule, size_t dim) const {
    if (!constrained(rule) || kind_ == CutKind::block)
        return;
    int64_t last = nparts_ - 1;
    while (last > 0 && part_size(last) == 0)
        --last;
    for (int64_t c = 0; c <= last; ++c) {
        const int64_t n = part_size(c);
        if (n > 0 && !size_fits(rule, n, c == last))
            fail(DRI_ERR_CONSTRAINT, "dimension {}: part {} of {} has {} of the {} elements, but must have {}: {}",
                 dim, c, nparts_, n, size_, limits_text(rule), miss_text(rule, n));
    }
}

void Cut::set_sizes(const CutRule &rule, std::span<const int64_t> sizes, size_t dim) {
    starts_.push_back(0);
    for (const int64_t s : sizes)
        starts_.push_back(starts_.back() + s);
    if (starts_.back() != size_)
        fail(DRI_ERR_CONSTRAINT, "dimension {}: the {} sizes add up to {}, but there are {} elements: {} too {}",
             dim, rule.sizes.size(), starts_.back(), size_, std::abs(starts_.back() - size_),
             starts_.back() < size_ ? "few" : "many");
}

// From here on, a cut by weights is a cut by sizes.
void Cut::weigh(const CutRule &rule, size_t dim) {
    const auto sizes = apportion(size_, rule.weights, {rule.min, rule.max, rule.multiple});
    if (!sizes)
        fail_blocks(rule, dim);
    kind_ = CutKind::sizes;
    set_sizes(rule, *sizes, dim);
}

void Cut::take_lists(CutRule &rule, size_t dim, KeepLists keep) {
    for (size_t c = 0; c < rule.lists.size(); ++c)
        for (const Runs &r : rule.lists[c])
            if (r.global < 0 || r.end() > size_)
                fail(DRI_ERR_ARG, "dimension {}: the list of part {} has index {}, but there are {} elements", dim,
                     c, r.global < 0 ? r.global : r.end() - 1, size_);
    if (static_cast<int64_t>(rule.lists.size()) != nparts_)
        fail(DRI_ERR_INTERNAL, "dimension {}: {} lists for {} parts", dim, rule.lists.size(), nparts_);
    int64_t longest = 0;
    for (const IndexList &list : rule.lists)
        longest = std::max(longest, length(list));
    // IndexedParts relies on this check, so it comes first.
    check_extents(rule.overlap, longest, longest, dim);
    indexed_ = std::make_shared<const IndexedParts>(std::move(rule.lists), size_, overlap_, keep);
}

// Fails unless local indices fit into 64 bits, overlap included.
void Cut::check_extents(const Overlap &wanted, int64_t blocks, int64_t owned, size_t dim) const {
    if (!fits_indices(overlap_, size_, blocks, owned))
        fail(DRI_ERR_OVERFLOW,
             "dimension {}: parts of {} elements with overlap of {} and {} do not fit into 64 bits", dim, size_,
             wanted.left, wanted.right);
}

// Distributes ceil(size/multiple) units of `multiple` indices evenly among `parts` parts. Returns whether all
// sizes meet the limits.
bool Cut::fit_even(const CutRule &rule, int64_t parts) {
    unit_ = std::max<int64_t>(rule.multiple, 1);
    units_ = ceil_div(size_, unit_);
    front_ = parts;
    if (!constrained(rule))
        return true;
    // Sizes take few values. The largest and the smallest number of units are at the first or last part, or where
    // the number of units changes. A proportional cut has its largest part first and its smallest last.
    const int64_t extra = units_ % parts;
    std::set<int64_t> candidates{0, extra - 1, extra, parts - extra - 1, parts - extra, parts - 2, parts - 1};
    if (remainder_ == Remainder::ceil) {
        const int64_t used = ceil_div(units_, std::max<int64_t>(ceil_div(units_, parts), 1));
        candidates.insert({used - 2, used - 1});
    }
    // Balanced and ceil cuts have their empty parts at the end. The other cuts have them in front, or have few.
    const bool empty_last = remainder_ == Remainder::balanced || remainder_ == Remainder::ceil;
    int64_t last = empty_last ? std::clamp<int64_t>(units_, 1, parts) - 1 : parts - 1;
    while (last > 0 && part_size(last) == 0)
        --last;
    candidates.insert(last);
    return std::all_of(candidates.begin(), candidates.end(), [&](int64_t c) {
        if (c < 0 || c >= parts || part_size(c) == 0)
            return true;
        return size_fits(rule, part_size(c), c == last);
    });
}

// Searches any sizes that meet the limits: equally many units for each of the first parts - 1 parts, and a last
// part of any allowed size.
bool Cut::fit_any(const CutRule &rule, int64_t parts) {
    const int64_t unit = std::max<int64_t>(rule.multiple, 1), max = rule.max ? rule.max : size_;
    const int64_t min_units = std::max<int64_t>(ceil_div(rule.min, unit), 1),
                  max_units = max / unit; // units of a part
    // Bounds on the size of the last part.
    int64_t low = std::max<int64_t>(rule.min, 1), high = std::min(max, size_);
    if (parts > 1) {
        if (max_units < min_units || min_units > size_ / unit)
            return false;
        if (parts - 1 > size_ / (min_units * unit))
            return false;
        high = std::min(high, size_ - (parts - 1) * min_units * unit);
        if (parts - 1 <= size_ / (max_units * unit))
            low = std::max(low, size_ - (parts - 1) * max_units * unit);
    } else {
        low = std::max(low, size_);
    }
    // The last part leaves a whole number of units to the others.
    const int64_t wanted = std::clamp(size_ / parts, std::min(low, high), high);
    // Grow the last part by `past`, or shrink it by unit - past, so that the others are whole units.
    const int64_t past = (size_ - wanted) % unit;
    int64_t last = past <= high - wanted ? wanted + past : wanted + past - unit;
    if (last < low || last > high)
        return false;
    remainder_ = Remainder::balanced;
    unit_ = unit;
    units_ = (size_ - last) / unit;
    front_ = parts - 1;
    return true;
}

// Prefers even sizes over uneven ones, and among these as many non-empty parts as possible.
void Cut::cut_blocks(const CutRule &rule, size_t dim) {
    if (fit_even(rule, nparts_))
        return;
    // If there are more parts than units of the minimum size, some must be empty.
    const int64_t min_size = std::max({rule.min, rule.multiple, int64_t{1}});
    const int64_t max_parts = std::min(nparts_, size_ / min_size + 1);
    for (int64_t parts = max_parts; parts >= 1; --parts)
        if (fit_even(rule, parts))
            return;
    for (int64_t parts = max_parts; parts >= 1; --parts)
        if (fit_any(rule, parts))
            return;
    fail_blocks(rule, dim);
}

// Explains the failure. `parts` parts hold too few elements; one more part would need too many, or may not hold
// any.
void Cut::fail_blocks(const CutRule &rule, size_t dim) const {
    const int64_t unit = std::max<int64_t>(rule.multiple, 1), min = std::max<int64_t>(rule.min, 1);
    const int64_t max = rule.max ? rule.max : size_;
    const Wide min_inner = Wide{ceil_div(min, unit)} * unit,
               max_inner = max / unit * unit; // of one that is not the last
    int64_t usable = nparts_;
    if (kind_ == CutKind::weights)
        usable = std::count_if(rule.weights.begin(), rule.weights.end(), [](double w) { return w > 0; });
    const auto parts =
        static_cast<int64_t>(size_ < min             ? 0
                             : min_inner > max_inner ? 1
                                                     : std::min<Wide>(usable, (size_ - min) / min_inner + 1));
    std::string why;
    const auto these = [&](const char *one, const char *many) {
        if (nparts_ == 1)
            return fmt::format("it {}", one);
        return parts < usable || usable == nparts_
                   ? fmt::format("{} of them {}", parts, parts == 1 ? one : many)
                   : fmt::format("only {} of them {} a positive weight and {}", parts, parts == 1 ? "has" : "have",
                                 parts == 1 ? one : many);
    };
    if (parts > 0)
        why = fmt::format("{} at most {}, {} too few", these("holds", "hold"), (parts - 1) * max_inner + max,
                          size_ - (parts - 1) * max_inner - max);
    if (parts > 0 && size_ <= (parts - 1) * max_inner + max)
        why = fmt::format("{} whole multiples of {}", these("cannot have", "cannot have"), unit);
    if (parts > 0 && min_inner > max_inner && usable > 1)
        why += fmt::format("; only the last one need not be a multiple of {}", unit);
    else if (parts < usable)
        why += fmt::format("{}{} must hold at least {}, {} too many", why.empty() ? "" : "; ",
                           nparts_ == 1 ? "it" : fmt::format("{}", parts + 1), parts * min_inner + min,
                           parts * min_inner + min - size_);
    fail(DRI_ERR_CONSTRAINT, "dimension {}: {} cannot be cut into {} with {}{}: {}", dim,
         counted(size_, "element"), counted(nparts_, "part"), limits_text(rule), nparts_ == 1 ? "" : " each", why);
}

} // namespace dri::model
