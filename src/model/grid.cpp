// Chooses the grid of parts by a search over all divisors of the number of processes.
#include "model/grid.hpp"

#include "base/checked.hpp"
#include "model/cut.hpp"
#include "model/gdo.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace dri::model {

namespace {

// What a number of parts makes of a dimension.
struct Division {
    int64_t largest = 0; // elements of the largest part
    int64_t filled = 0;  // parts that own at least one element
};

// The attempt to cut a dimension into some number of parts: the division, or why there is none.
struct Trial {
    std::optional<Division> division;
    std::optional<Error> failure;
};

// What the choice compares. The surface counts the faces between parts: a part between two others has two faces
// along a dimension. Therefore a cube over 8 processes becomes 2 x 2 x 2.
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

    // The best grid in which the open dimensions share `parts` parts.
    Dims best(int64_t parts) {
        for (int64_t n = 1; n <= parts / n; ++n)
            if (parts % n == 0)
                divisors_.insert({n, parts / n});
        // The volume is compared with the smallest one, which is known only after all grids have been seen.
        for_each_grid(parts, [&] {
            const auto p = price();
            if (p &&
                (!best_ || p->filled > best_->filled || (p->filled == best_->filled && p->volume < best_->volume)))
                best_ = p;
        });
        if (!best_)
            explain_failure(parts);
        std::optional<Wide> surface;
        Dims chosen;
        for_each_grid(parts, [&] {
            const auto p = price();
            if (!p || p->filled < best_->filled || 16 * p->volume > 17 * best_->volume)
                return;
            if (!surface || p->surface < *surface) {
                surface = p->surface;
                chosen = grid_;
            }
        });
        return chosen;
    }

private:
    // If no number of parts suits a dimension, the message blames that dimension alone. Otherwise it names the
    // grid that fails in the fewest dimensions, and by how much it fails. It adds the numbers of parts that suit
    // each dimension, which show why no other grid does better.
    [[noreturn]] void explain_failure(int64_t parts) {
        std::string choices;
        for (size_t dim = 0; dim < grid_.size(); ++dim) {
            const std::vector<int64_t> fitting = fitting_parts(dim);
            if (fitting.empty()) {
                grid_[dim] = partition_[dim].chooses_parts() ? parts : grid_[dim];
                throw Error(*divide(dim).failure);
            }
            const bool any_fails = std::any_of(trials_.begin(), trials_.end(), [&](const auto &known) {
                return known.first.first == dim && known.second.failure;
            });
            if (any_fails)
                choices += fmt::format("{} {} for dimension {}", choices.empty() ? "" : ",",
                                       fmt::join(fitting, " or "), dim);
        }
        size_t min_failed = grid_.size() + 1;
        Dims nearest;
        for_each_grid(parts, [&] {
            size_t failed = 0;
            for (size_t dim = 0; dim < grid_.size(); ++dim)
                failed += divide(dim).failure.has_value();
            if (failed < min_failed) {
                min_failed = failed;
                nearest = grid_;
            }
        });
        grid_ = nearest;
        size_t dim = 0;
        int64_t all = 1;
        for (size_t d = grid_.size(); d-- > 0;) {
            dim = divide(d).failure ? d : dim;
            all *= grid_[d];
        }
        const Error &failure = *divide(dim).failure;
        fail(failure.code(),
             "{} (in a grid of {}); no grid of {} parts suits all dimensions; the numbers of parts that suit "
             "them:{}",
             failure.what(), to_text(nearest), all, choices);
    }

    // The numbers of parts that suit a dimension, among those that a grid can give it.
    std::vector<int64_t> fitting_parts(size_t dim) {
        std::vector<int64_t> fitting;
        for (const int64_t n : partition_[dim].chooses_parts() ? divisors_ : Divisors{grid_[dim]}) {
            grid_[dim] = n;
            if (divide(dim).division)
                fitting.push_back(n);
        }
        return fitting;
    }

    // Sets grid_ to one grid of `parts` parts after the other, and calls visit() for each.
    template <class F> void for_each_grid(int64_t parts, const F &visit, size_t open_at = 0) {
        const size_t dim = open_[open_at];
        if (open_at + 1 == open_.size()) {
            grid_[dim] = parts;
            visit();
            return;
        }
        for (const int64_t n : divisors_)
            if (parts % n == 0) {
                grid_[dim] = n;
                for_each_grid(parts / n, visit, open_at + 1);
            }
    }

    // Each number of parts of a dimension is tried once; later calls reuse the result.
    const Trial &divide(size_t dim) {
        const auto [entry, is_new] = trials_.try_emplace({dim, grid_[dim]});
        Trial &trial = entry->second;
        if (!is_new)
            return trial;
        // The lists are not known yet, so parts of equal size are the best guess.
        if (partition_[dim].kind == CutKind::indices) {
            trial.division = {ceil_div(sizes_[dim], grid_[dim]), std::min(sizes_[dim], grid_[dim])};
            return trial;
        }
        try {
            const Cut cut(partition_[dim], sizes_[dim], grid_[dim], dim);
            trial.division = {cut.largest(), cut.filled()};
        } catch (const Error &e) {
            trial.failure = e;
        }
        return trial;
    }

    // Nothing if a rule cannot be met.
    std::optional<Price> price() {
        Price price;
        Dims largest;
        for (size_t d = 0; d < grid_.size(); ++d) {
            const auto &division = divide(d).division;
            if (!division)
                return std::nullopt;
            largest.push_back(division->largest);
            price.filled *= division->filled;
        }
        if (price.filled == 0) // the product of the other sizes may overflow
            return Price{0, 0, 0};
        for (const int64_t n : largest)
            price.volume *= n;
        for (size_t d = 0; d < grid_.size(); ++d)
            price.surface += std::min<int64_t>(grid_[d] - 1, 2) * (price.volume / largest[d]);
        return price;
    }

    using Divisors = std::set<int64_t, std::greater<>>;

    const Partition &partition_;
    const Dims &sizes_;
    Dims grid_;
    std::vector<size_t> open_;
    Divisors divisors_;                                  // of the number of parts that the open dimensions share
    std::map<std::pair<size_t, int64_t>, Trial> trials_; // by dimension and parts
    // The maximum number of non-empty parts and, with that, the smallest volume.
    std::optional<Price> best_;
};

} // namespace

Dims choose_grid(const Partition &partition, const Dims &sizes, int nprocs) {
    GridSearch search(partition, sizes);
    int64_t fixed = 1;
    for (int64_t n : search.fixed()) {
        fixed = checked_mul(fixed, n);
        if (fixed > nprocs)
            fail(DRI_ERR_ARG, "the partition has {} parts, but the group has only {} processes",
                 to_text(search.fixed()), nprocs);
    }
    if (nprocs % fixed != 0)
        fail(DRI_ERR_ARG, "{} processes are not a multiple of the {} parts of the partition", nprocs, fixed);
    return search.has_choice() ? search.best(nprocs / fixed) : search.fixed();
}

} // namespace dri::model
