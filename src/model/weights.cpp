#include "model/weights.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dri {

namespace {

// One part that is to be filled: units that it must and may have.
struct Share {
    long double weight = 0;
    int64_t least = 0, most = 0;
};

// Remainders that differ by rounding alone count as equal.
int64_t remainder_rank(long double quota, int64_t whole) {
    constexpr long double grain = 4294967296.0L;
    return std::llround((quota - static_cast<long double>(whole)) * grain);
}

long double clamped(const Share &s, long double factor) {
    return std::clamp(s.weight * factor, static_cast<long double>(s.least), static_cast<long double>(s.most));
}

// The factor by which weights become quotas that, held between least and most, add up to the units.
long double find_factor(const std::vector<Share> &shares, int64_t units) {
    long double total = 0;
    bool bound = false;
    for (const Share &s : shares)
        total += s.weight;
    const long double plain = static_cast<long double>(units) / total;
    for (const Share &s : shares)
        bound = bound || clamped(s, plain) != s.weight * plain;
    if (!bound)
        return plain;
    const auto sum = [&](long double factor) {
        long double all = 0;
        for (const Share &s : shares)
            all += clamped(s, factor);
        return all;
    };
    long double low = 0, high = plain;
    while (sum(high) < static_cast<long double>(units) && std::isfinite(high * 2))
        high *= 2;
    for (int step = 0; step < 200; ++step) {
        const long double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        (sum(middle) < static_cast<long double>(units) ? low : high) = middle;
    }
    return high;
}

// Whole units near the quotas that add up to `units`; the bounds leave room for that.
std::vector<int64_t> round_quotas(const std::vector<Share> &shares, int64_t units) {
    const long double factor = find_factor(shares, units);
    std::vector<int64_t> whole, rank;
    int64_t left = units;
    for (const Share &s : shares) {
        const long double quota = clamped(s, factor);
        whole.push_back(std::clamp(static_cast<int64_t>(std::floor(quota)), s.least, s.most));
        rank.push_back(remainder_rank(quota, whole.back()));
        left -= whole.back();
    }
    std::vector<size_t> order(shares.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank[a] > rank[b]; });
    while (left > 0) {
        const int64_t before = left;
        for (const size_t i : order)
            if (left > 0 && whole[i] < shares[i].most)
                ++whole[i], --left;
        if (left == before)
            break;
    }
    // Rounding of the quotas can have given too much, a unit here and there.
    while (left < 0) {
        const int64_t before = left;
        for (size_t k = order.size(); k-- > 0;)
            if (left < 0 && whole[order[k]] > shares[order[k]].least)
                --whole[order[k]], ++left;
        if (left == before)
            break;
    }
    return whole;
}

// Sizes of these parts, none of the others' indices; nothing where the limits leave no room.
std::optional<std::vector<int64_t>> fill(int64_t n, std::span<const double> weights,
                                         const std::vector<size_t> &parts, const SizeLimits &limits) {
    const int64_t unit = std::max<int64_t>(limits.multiple, 1), max = limits.max ? limits.max : n;
    const int64_t odd = n % unit; // what the last part has beside whole units
    std::vector<Share> shares;
    int64_t least = 0, most = 0;
    for (size_t k = 0; k < parts.size(); ++k) {
        const int64_t rest = k + 1 == parts.size() ? odd : 0;
        if (max < rest)
            return std::nullopt;
        const Share s{static_cast<long double>(weights[parts[k]]),
                      ceil_div(std::max<int64_t>(limits.min - rest, 0), unit), std::min(max - rest, n) / unit};
        if (s.least > s.most || s.least > n)
            return std::nullopt;
        least = std::min(n + 1, least + s.least); // more than n is too much, whatever it is
        most = std::min(n, most + s.most);
        shares.push_back(s);
    }
    const int64_t units = n / unit;
    if (least > units || most < units)
        return std::nullopt;
    const auto whole = round_quotas(shares, units);
    std::vector<int64_t> sizes(weights.size(), 0);
    for (size_t k = 0; k < parts.size(); ++k)
        sizes[parts[k]] = whole[k] * unit;
    sizes[parts.back()] += odd;
    return sizes;
}

} // namespace

std::optional<std::vector<int64_t>> apportion(int64_t n, std::span<const double> weights,
                                              const SizeLimits &limits) {
    std::vector<size_t> parts; // heaviest first
    for (size_t c = 0; c < weights.size(); ++c)
        if (weights[c] > 0)
            parts.push_back(c);
    if (n == 0)
        return std::vector<int64_t>(weights.size(), 0);
    std::stable_sort(parts.begin(), parts.end(), [&](size_t a, size_t b) { return weights[a] > weights[b]; });
    if (limits.min > 0)
        parts.resize(std::min(parts.size(), static_cast<size_t>(n / limits.min + 1)));
    for (; !parts.empty(); parts.pop_back()) {
        std::vector<size_t> in_order = parts;
        std::sort(in_order.begin(), in_order.end());
        if (auto sizes = fill(n, weights, in_order, limits))
            return sizes;
        if (limits.min == 0)
            return std::nullopt; // fewer parts hold less
    }
    return std::nullopt;
}

} // namespace dri
