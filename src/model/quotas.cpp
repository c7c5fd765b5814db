// Quotas and distances in integers of 128 bits, and the cheapest distribution of units among bins.
#include "model/quotas.hpp"

#include <algorithm>
#include <cmath>

namespace dri::model {

Quotas::Quotas(int64_t n, std::span<const double> weights) {
    // The largest weight becomes an integer of 62 bits, so that n times it fits into 128 bits.
    int exponent = 0;
    std::frexp(*std::max_element(weights.begin(), weights.end()), &exponent);
    std::vector<Wide> scaled;
    for (const double w : weights) {
        scaled.push_back(static_cast<int64_t>(std::ldexp(w, 62 - exponent)));
        total_ += scaled.back();
    }
    for (const Wide w : scaled)
        quotas_.push_back({static_cast<int64_t>(n * w / total_), n * w % total_});
}

double Quotas::rounded(size_t part) const {
    const Quota &q = quotas_[part];
    return static_cast<double>(q.whole) + static_cast<double>(q.rest) / static_cast<double>(total_);
}

Distance Quotas::distance(std::span<const int64_t> sizes) const {
    Distance sum;
    for (size_t c = 0; c < sizes.size(); ++c) {
        // With e = size - whole and r = rest / total: (e - r)^2 - r^2 = e^2 - 2 e r.
        const Quota &q = quotas_[c];
        const Wide e = sizes[c] - q.whole, size = e < 0 ? -e : e;
        if (e == 0)
            continue;
        // |e| * rest may not fit, so e is split into pieces of 32 bits.
        const Wide high = (size >> 32) * q.rest;
        const Wide low = ((high % total_) << 32) + (size & UINT32_MAX) * q.rest;
        Wide whole = (((high / total_) << 32) + low / total_) * 2, rest = low % total_ * 2;
        if (rest >= total_)
            rest -= total_, ++whole;
        sum.whole += e * e + (e < 0 ? whole : -whole);
        sum.rest += e < 0 ? rest : -rest;
        if (sum.rest >= total_)
            sum.rest -= total_, ++sum.whole;
        if (sum.rest < 0)
            sum.rest += total_, --sum.whole;
    }
    return sum;
}

namespace {

// The units of each bin in the order of their cost. One more index than s in a part of quota q costs 2 (s - q) +
// 1. Therefore each index of the u-th unit costs 2 (unit * u + odd - q) - unit.
class Ladder {
public:
    Ladder(const Quotas &quotas, std::span<const Bin> bins, int64_t unit)
        : quotas_(quotas), bins_(bins), unit_(unit) {}

    // Twice the quota, rounded down. The remainder only matters between two levels.
    Wide rounded_down(const Bin &b) const {
        const Quota &q = quotas_[b.part];
        return 2 * static_cast<Wide>(q.whole) + (2 * q.rest >= quotas_.total());
    }
    Wide left_over(const Bin &b) const {
        const Quota &q = quotas_[b.part];
        return 2 * q.rest - (2 * q.rest >= quotas_.total() ? quotas_.total() : 0);
    }

    // How many units of a bin cost at most `level`.
    int64_t count(const Bin &b, Wide level) const {
        const Wide u = floor_div(level + unit_ + rounded_down(b) - 2 * static_cast<Wide>(b.odd),
                                 2 * static_cast<Wide>(unit_));
        return static_cast<int64_t>(std::clamp<Wide>(u, b.min, b.max));
    }

    Wide count(Wide level) const {
        Wide sum = 0;
        for (const Bin &b : bins_)
            sum += count(b, level);
        return sum;
    }

private:
    const Quotas &quotas_;
    std::span<const Bin> bins_;
    int64_t unit_;
};

} // namespace

Spread spread(const Quotas &quotas, std::span<const Bin> bins, int64_t unit, int64_t units) {
    const Ladder ladder(quotas, bins, unit);
    // Searches the highest level at which at most `units` units are due, or one at which exactly as many are. If
    // the bins can hold their quotas, that level is near 0.
    Wide low = -1, high = 1;
    for (Wide step = 2; ladder.count(low) > units; step *= 2)
        high = low, low -= step;
    const Wide end = static_cast<Wide>(1) << 67; // all units cost less
    for (Wide step = 2, at = ladder.count(high); at <= units && high < end; step *= 2, at = ladder.count(high)) {
        low = high, high += step;
        if (at == units)
            break;
    }
    while (high - low > 1) {
        const Wide middle = low + (high - low) / 2, at = ladder.count(middle);
        (at <= units ? low : high) = middle;
        if (at == units)
            break;
    }
    Spread out{{}, static_cast<double>(low)};
    std::vector<size_t> next; // bins whose next unit costs at most low + 1
    for (size_t i = 0; i < bins.size(); ++i) {
        out.units.push_back(ladder.count(bins[i], low));
        units -= out.units.back();
        if (ladder.count(bins[i], low + 1) > out.units.back())
            next.push_back(i);
    }
    // Among these, the units of bins with larger remainders cost less.
    std::stable_sort(next.begin(), next.end(),
                     [&](size_t a, size_t b) { return ladder.left_over(bins[a]) > ladder.left_over(bins[b]); });
    for (size_t i = 0; i < next.size() && units > 0; ++i, --units) {
        ++out.units[next[i]];
        out.price = static_cast<double>(low + 1) -
                    static_cast<double>(ladder.left_over(bins[next[i]])) / static_cast<double>(quotas.total());
    }
    return out;
}

} // namespace dri::model
