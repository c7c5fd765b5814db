// Apportionment: a search for the sizes that are nearest to the quotas within the limits.
#include "model/weights.hpp"

#include "model/quotas.hpp"

#include <algorithm>
#include <cmath>

namespace dri::model {

namespace {

// Sizes, their distance to the quotas, and the price of an index at which they were found.
struct Choice {
    std::vector<int64_t> sizes;
    Distance distance;
    double price = 0;
};

// Bounds on the units of a part, and what the last part has beside whole units.
struct Bounds {
    int64_t odd = 0, min = 0, max = 0;
};

// Searches over the last non-empty part and over the number of non-empty parts. Spread finds the sizes for each
// choice.
class Search {
public:
    Search(int64_t n, std::span<const double> weights, const SizeLimits &limits)
        : n_(n), weights_(weights), quotas_(n, weights), unit_(std::max<int64_t>(limits.multiple, 1)),
          units_(n / unit_) {
        const int64_t min = std::max<int64_t>(limits.min, 1), max = limits.max ? std::min(limits.max, n) : n;
        const int64_t odd = n % unit_;
        even_ = {0, ceil_div(min, unit_), max / unit_};
        last_ = {odd, ceil_div(std::max<int64_t>(min - odd, 0), unit_), max < odd ? -1 : (max - odd) / unit_};
        for (size_t c = 0; c < weights.size(); ++c)
            if (weights[c] > 0)
                heaviest_.push_back(c);
        std::stable_sort(heaviest_.begin(), heaviest_.end(),
                         [&](size_t a, size_t b) { return weights[a] > weights[b]; });
    }

    std::optional<Choice> best() const {
        if (last_.odd == 0)
            return nearest(heaviest_, std::nullopt);
        // The last non-empty part also holds what is left beside whole multiples. A part is no candidate for it if
        // a later part is at least as heavy, because sizes that end with that part are as near or nearer.
        std::vector<size_t> ends;
        for (size_t c = weights_.size(); c-- > 0;)
            if (weights_[c] > (ends.empty() ? 0 : weights_[ends.back()]))
                ends.push_back(c);
        std::optional<Choice> found = ending_with(ends.front()), last = found;
        std::vector<double> bounds;
        for (size_t i = 0; last;) {
            // Parts that are empty with a lighter last part are empty with a heavier one, too. Among the
            // candidates that are empty now, the heaviest one is nearest, and the others are skipped.
            const size_t filled = last_filled(last->sizes, ends[i]);
            for (++i; i + 1 < ends.size() && ends[i + 1] >= filled; ++i) {
            }
            if (bounds.empty())
                bounds = lower_bounds(found->price);
            const double best = squares(found->sizes);
            while (i < ends.size() && bounds[ends[i]] > best)
                ++i;
            if (i >= ends.size())
                break;
            // Nothing is found if fewer parts cannot hold all indices.
            last = ending_with(ends[i]);
            if (last && last->distance < found->distance) {
                found = last;
                bounds.clear();
            }
        }
        return found;
    }

private:
    // One past the last non-empty part before `end`; 0 if all are empty.
    static size_t last_filled(std::span<const int64_t> sizes, size_t end) {
        while (end > 0 && sizes[end - 1] == 0)
            --end;
        return end;
    }

    // The nearest sizes if `last` is the last non-empty part.
    std::optional<Choice> ending_with(size_t last) const {
        std::vector<size_t> others;
        for (const size_t c : heaviest_)
            if (c < last)
                others.push_back(c);
        return nearest(others, last);
    }

    // The nearest sizes if each of `others`, heaviest first, holds whole multiples or nothing, and the last part,
    // if there is one, is not empty. The heavier of two others is never the smaller one.
    std::optional<Choice> nearest(std::span<const size_t> others, std::optional<size_t> last) const {
        const Bounds end = last ? last_ : Bounds{};
        if (end.min > end.max || units_ < end.min)
            return std::nullopt;
        // Bounds on how many of the others are not empty.
        int64_t low = 0, high = std::min(std::ssize(others), (units_ - end.min) / even_.min);
        if (even_.min > even_.max)
            high = 0;
        if (units_ > end.max)
            low = even_.max > 0 ? ceil_div(units_ - end.max, even_.max) : high + 1;
        if (low > high)
            return std::nullopt;
        // If one unit is the minimum, fill() itself decides which parts are empty.
        if (even_.min == 1 && even_.max >= 1)
            return fill(others, 0, last);
        // The distance is convex in the number of non-empty parts. At a given price per index, each part chooses
        // for itself, and one more part, a lighter one, gains less. The distance is the maximum over all prices.
        while (low < high) {
            const int64_t middle = low + (high - low + 1) / 2;
            const auto first = [&](int64_t k) { return others.first(static_cast<size_t>(k)); };
            if (fill(first(middle - 1), even_.min, last).distance < fill(first(middle), even_.min, last).distance)
                high = middle - 1;
            else
                low = middle;
        }
        return fill(others.first(static_cast<size_t>(low)), even_.min, last);
    }

    // Sizes if each of the others holds at least `min` units.
    Choice fill(std::span<const size_t> others, int64_t min, std::optional<size_t> last) const {
        std::vector<Bin> bins;
        for (const size_t c : others)
            bins.push_back({c, 0, min, even_.max});
        if (last)
            bins.push_back({*last, last_.odd, last_.min, last_.max});
        std::sort(bins.begin(), bins.end(), [](const Bin &a, const Bin &b) { return a.part < b.part; });
        const Spread dealt = spread(quotas_, bins, unit_, units_);
        Choice out{std::vector<int64_t>(weights_.size(), 0), {}, dealt.price};
        for (size_t i = 0; i < bins.size(); ++i)
            out.sizes[bins[i].part] = dealt.units[i] * unit_ + bins[i].odd;
        out.distance = quotas_.distance(out.sizes);
        return out;
    }

    // The squared distance in floating point, to compare with lower_bounds().
    double squares(std::span<const int64_t> sizes) const {
        double sum = 0;
        for (size_t c = 0; c < sizes.size(); ++c) {
            const double d = static_cast<double>(sizes[c]) - quotas_.rounded(c);
            sum += d * d;
        }
        return sum;
    }

    // For each part, a lower bound on the squares of all sizes whose last non-empty part it is. At a given price
    // per index, each part takes what is best for it alone. Rounding can only lower the bound.
    std::vector<double> lower_bounds(double price) const {
        const auto count = static_cast<double>(weights_.size());
        const auto unit = static_cast<double>(unit_), all = price * static_cast<double>(n_);
        double magnitude = std::abs(all);
        const auto alone = [&](double quota, const Bounds &bounds) {
            const auto odd = static_cast<double>(bounds.odd);
            const double wanted = std::round((quota + price / 2 - odd) / unit);
            const double size =
                odd + unit * std::clamp(wanted, static_cast<double>(bounds.min), static_cast<double>(bounds.max));
            magnitude += (size + quota) * (size + quota) + std::abs(price * size);
            return (size - quota) * (size - quota) - price * size;
        };
        std::vector<double> bounds(weights_.size(), all);
        double before = 0, behind = 0;
        for (size_t c = 0; c < weights_.size(); ++c) {
            if (!(weights_[c] > 0))
                continue;
            const double quota = quotas_.rounded(c), empty = quota * quota;
            bounds[c] += before + alone(quota, last_);
            before += even_.min <= even_.max ? std::min(empty, alone(quota, even_)) : empty;
        }
        for (size_t c = weights_.size(); c-- > 0;) {
            bounds[c] += behind;
            behind += quotas_.rounded(c) * quotas_.rounded(c);
        }
        const double rounding = (magnitude + behind) * (count + 16) * 0x1p-50;
        for (double &b : bounds)
            b -= rounding;
        return bounds;
    }

    int64_t n_;
    std::span<const double> weights_;
    Quotas quotas_;
    int64_t unit_, units_;
    Bounds even_, last_;
    std::vector<size_t> heaviest_; // parts that may be non-empty; of equal weights, the first part first
};

} // namespace

std::optional<std::vector<int64_t>> apportion(int64_t n, std::span<const double> weights,
                                              const SizeLimits &limits) {
    if (n == 0)
        return std::vector<int64_t>(weights.size(), 0);
    const auto choice = Search(n, weights, limits).best();
    return choice ? std::optional(choice->sizes) : std::nullopt;
}

} // namespace dri::model
