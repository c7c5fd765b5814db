// Sizes in proportion to weights: one factor for all, shares within the bounds, rounded by largest remainder.
#include "model/weights.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dri::model {

namespace {

// A part that may hold indices: unit * u + odd of them, for a whole number u in [min, max].
struct Bin {
    size_t part = 0;
    Wide weight = 0;
    int64_t odd = 0, min = 0, max = 0;
    int64_t units = 0; // u
    // What is cut off if the share is rounded down to `units`: rest + fraction / (sum of the weights) indices.
    Wide rest = 0, fraction = 0;
    enum class State { shares, below_min, above_max, fixed } state = State::shares;
};

// Weights as integers. The largest has 62 bits, so that n times it fits into 128 bits.
std::vector<Bin> bins_of(std::span<const double> weights, int64_t min, int64_t max) {
    int exponent = 0;
    std::frexp(*std::max_element(weights.begin(), weights.end()), &exponent);
    std::vector<Bin> bins;
    for (size_t c = 0; c < weights.size(); ++c)
        if (weights[c] > 0)
            bins.push_back({c, static_cast<int64_t>(std::ldexp(weights[c], 62 - exponent)), 0, min, max});
    return bins;
}

// Keeps the heaviest bins, so many that each can hold its minimum. Of equal weights the lower parts are kept.
void keep_fillable(std::vector<Bin> &bins, std::span<const double> weights, int64_t units) {
    const int64_t min = bins.empty() ? 0 : bins.front().min;
    if (min == 0)
        return;
    const int64_t fillable = min > bins.front().max ? 0 : std::min(std::ssize(bins), units / min);
    std::stable_sort(bins.begin(), bins.end(),
                     [&](const Bin &a, const Bin &b) { return weights[a.part] > weights[b.part]; });
    bins.resize(static_cast<size_t>(fillable));
}

// Whether the bounds leave a choice: sum of min <= units <= sum of max.
bool can_hold(const std::vector<Bin> &bins, int64_t units) {
    Wide min = 0, max = 0;
    for (const Bin &b : bins) {
        if (b.min > b.max)
            return false;
        min += b.min;
        max += b.max;
    }
    return min <= units && units <= max;
}

// Shares out what the fixed bins leave, in proportion to the weights of the others, and brings each share into its
// bounds. Returns the sign of what the shares then have too much.
int share_out(std::vector<Bin> &bins, int64_t unit, int64_t units) {
    Wide indices = Wide{units} * unit, sum = 0, count = 0;
    for (const Bin &b : bins) {
        const bool is_fixed = b.state == Bin::State::fixed;
        indices += is_fixed ? -Wide{b.units} * unit : Wide{b.odd};
        sum += is_fixed ? 0 : b.weight;
        count += is_fixed ? 0 : 1;
    }
    if (count == 0)
        return 0;
    const bool has_weights = sum > 0; // weights far below the largest are 0 as integers
    sum = has_weights ? sum : count;
    Wide excess = 0, fractions = 0; // too much: excess - fractions / sum
    for (Bin &b : bins) {
        if (b.state == Bin::State::fixed)
            continue;
        const Wide product = indices * (has_weights ? b.weight : 1), share = product / sum - b.odd;
        const Wide down = floor_div(share, Wide{unit});
        b.rest = share - down * unit;
        b.fraction = product % sum;
        const bool is_whole = b.rest == 0 && b.fraction == 0;
        b.state = down < b.min                                   ? Bin::State::below_min
                  : down > b.max || (down == b.max && !is_whole) ? Bin::State::above_max
                                                                 : Bin::State::shares;
        b.units = static_cast<int64_t>(std::clamp<Wide>(down, b.min, b.max));
        if (b.state == Bin::State::shares)
            continue;
        excess += Wide{b.units} * unit - share;
        fractions += b.fraction;
    }
    excess -= fractions / sum;
    return excess != 0 ? (excess > 0 ? 1 : -1) : fractions % sum == 0 ? 0 : -1;
}

// Finds the factor and deals the units. If the shares within their bounds are too much, the factor must fall, so
// shares below their minimum stay there. If they are too little, those above their maximum stay there.
void deal(std::vector<Bin> &bins, int64_t unit, int64_t units) {
    for (bool again = true; again;) {
        const int too_much = share_out(bins, unit, units);
        again = false;
        for (Bin &b : bins)
            if ((b.state == Bin::State::below_min && too_much >= 0) ||
                (b.state == Bin::State::above_max && too_much <= 0)) {
                b.state = Bin::State::fixed;
                again = true;
            }
    }
    std::vector<Bin *> by_remainder;
    for (Bin &b : bins) {
        units -= b.units;
        if (b.state == Bin::State::shares)
            by_remainder.push_back(&b);
    }
    std::sort(by_remainder.begin(), by_remainder.end(), [](const Bin *a, const Bin *b) {
        return std::tie(b->rest, b->fraction, a->part) < std::tie(a->rest, a->fraction, b->part);
    });
    for (int64_t i = 0; i < units; ++i)
        ++by_remainder[static_cast<size_t>(i)]->units;
}

} // namespace

std::optional<std::vector<int64_t>> apportion(int64_t n, std::span<const double> weights,
                                              const SizeLimits &limits) {
    std::vector<int64_t> sizes(weights.size(), 0);
    if (n == 0)
        return sizes;
    const int64_t unit = std::max<int64_t>(limits.multiple, 1), units = n / unit, odd = n % unit;
    const int64_t max = limits.max ? std::min(limits.max, n) : n;
    std::vector<Bin> bins = bins_of(weights, ceil_div(limits.min, unit), max / unit);
    std::optional<Bin> last;
    if (odd > 0) {
        last = bins.back();
        bins.pop_back();
        last->odd = odd;
        last->min = ceil_div(std::max<int64_t>(limits.min - odd, 0), unit);
        last->max = max < odd ? -1 : (max - odd) / unit;
    }
    keep_fillable(bins, weights, units - (last ? last->min : 0));
    if (last)
        bins.push_back(*last);
    if (!can_hold(bins, units))
        return std::nullopt;
    deal(bins, unit, units);
    for (const Bin &b : bins)
        sizes[b.part] = b.units * unit + b.odd;
    return sizes;
}

} // namespace dri::model
