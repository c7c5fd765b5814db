#include "model/grid.hpp"

#include "base/checked.hpp"
#include "model/cut.hpp"
#include "model/gdo.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace dri {

namespace {

// What a number of parts does to a dimension.
struct Division {
    int64_t largest = 0; // elements of the largest part
    int64_t filled = 0;  // parts that have any
};

// Why a dimension cannot have so many parts.
struct Failure {
    int64_t parts = 0;
    Error error;
};

// Surface counts the faces between parts: a part between two others has two along a dimension, so a cube over 8
// becomes 2 x 2 x 2.
struct Price {
    int64_t filled = 1;
    Wide volume = 1, surface = 0; // of the largest part
};

class GridSearch {
public:
    GridSearch(const Partition &partition, const Dims &sizes) : partition_(partition), sizes_(sizes) {
        for (size_t d = 0; d < partition.size(); ++d) {
            grid_.push_back(partition[d].fixed_parts());
            if (partition[d].chooses_parts())
                open_.push_back(d);
        }
    }

    bool has_choice() const { return !open_.empty(); }
    const Dims &fixed() const { return grid_; }

    Dims best(int64_t parts) {
        // The volume is compared with the least one, which is known once all have been seen.
        try_all(0, parts, [&](const Price &price) {
            if (!best_ || price.filled > best_->filled ||
                (price.filled == best_->filled && price.volume < best_->volume))
                best_ = price;
        });
        if (!best_)
            tell_why(parts);
        const Price least = *best_;
        std::optional<Wide> surface;
        Dims chosen;
        try_all(0, parts, [&](const Price &price) {
            if (price.filled < least.filled || 16 * price.volume > 17 * least.volume)
                return;
            if (!surface || price.surface < *surface) {
                surface = price.surface;
                chosen = grid_;
            }
        });
        return chosen;
    }

private:
    // A dimension that no number of parts suits is to blame; without one, the first that failed.
    [[noreturn]] void tell_why(int64_t parts) {
        for (const auto &[dim, failure] : failures_) {
            const bool fits_somehow =
                std::any_of(divisions_.begin(), divisions_.end(),
                            [d = dim](const auto &known) { return known.first.first == d && known.second; });
            if (!fits_somehow)
                throw Error(failure.error);
        }
        if (!failures_.empty())
            throw Error(failures_.begin()->second.error);
        fail(DRI_ERR_CONSTRAINT, "no grid of {} parts meets the constraints", parts);
    }

    template <class F> void try_all(size_t open_at, int64_t parts, const F &judge) {
        const size_t dim = open_[open_at];
        if (open_at + 1 == open_.size()) {
            grid_[dim] = parts;
            if (const auto found = price())
                judge(*found);
            return;
        }
        for (int64_t n = parts; n >= 1; --n) {
            if (parts % n != 0)
                continue;
            grid_[dim] = n;
            try_all(open_at + 1, parts / n, judge);
        }
    }

    // Nothing where the rule cannot hold.
    const std::optional<Division> &divide(size_t dim) {
        const auto key = std::pair(dim, grid_[dim]);
        const auto known = divisions_.find(key);
        if (known != divisions_.end())
            return known->second;
        std::optional<Division> &division = divisions_[key];
        // The lists come later; balanced ones are the best guess.
        if (partition_[dim].kind == CutKind::indices) {
            division = {ceil_div(sizes_[dim], grid_[dim]), std::min(sizes_[dim], grid_[dim])};
            return division;
        }
        try {
            const Cut cut(partition_[dim], sizes_[dim], grid_[dim], dim);
            division = {cut.largest(), cut.filled()};
        } catch (const Error &e) {
            const auto [failure, is_first] = failures_.try_emplace(dim, Failure{grid_[dim], e});
            if (!is_first && failure->second.parts < grid_[dim])
                failure->second = {grid_[dim], e};
        }
        return division;
    }

    std::optional<Price> price() {
        Price price;
        Dims largest;
        for (size_t d = 0; d < grid_.size(); ++d) {
            const auto &division = divide(d);
            if (!division)
                return std::nullopt;
            largest.push_back(division->largest);
            price.filled *= division->filled;
        }
        if (price.filled == 0) // products of other sizes need not fit
            return Price{0, 0, 0};
        for (const int64_t n : largest)
            price.volume *= n;
        for (size_t d = 0; d < grid_.size(); ++d)
            price.surface += std::min<int64_t>(grid_[d] - 1, 2) * (price.volume / largest[d]);
        return price;
    }

    const Partition &partition_;
    const Dims &sizes_;
    Dims grid_;
    std::vector<size_t> open_;
    std::map<std::pair<size_t, int64_t>, std::optional<Division>> divisions_;
    std::map<size_t, Failure> failures_; // of each dimension that of the most parts
    std::optional<Price> best_;          // the most parts filled, and with those the least volume
};

} // namespace

Dims choose_grid(const Partition &partition, const Dims &sizes, int nprocs) {
    GridSearch search(partition, sizes);
    int64_t fixed = 1;
    for (int64_t n : search.fixed()) {
        fixed = checked_mul(fixed, n);
        if (fixed > nprocs)
            fail(DRI_ERR_ARG, "the partition has {} parts, but the group only {} processes",
                 to_text(search.fixed()), nprocs);
    }
    if (nprocs % fixed != 0)
        fail(DRI_ERR_ARG, "{} processes are no multiple of the {} parts of the partition", nprocs, fixed);
    return search.has_choice() ? search.best(nprocs / fixed) : search.fixed();
}

} // namespace dri
