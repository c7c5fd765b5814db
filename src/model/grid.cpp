#include "model/grid.hpp"

#include "base/checked.hpp"
#include "model/cut.hpp"
#include "model/gdo.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace dri {

namespace {

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
        try_all(0, parts);
        if (!best_)
            tell_why(parts);
        return *best_;
    }

private:
    // A dimension that no number of parts suits is to blame; without one, the first that failed.
    [[noreturn]] void tell_why(int64_t parts) {
        for (const auto &[dim, failure] : failures_) {
            const bool fits_somehow = std::any_of(largest_.begin(), largest_.end(), [d = dim](const auto &known) {
                return known.first.first == d && known.second;
            });
            if (!fits_somehow)
                throw Error(failure.second.code(), failure.second.what());
        }
        if (!failures_.empty())
            throw Error(failures_.begin()->second.second.code(), failures_.begin()->second.second.what());
        fail(DRI_ERR_CONSTRAINT, "no grid of {} parts meets the constraints", parts);
    }

    void try_all(size_t open_at, int64_t parts) {
        const size_t dim = open_[open_at];
        if (open_at + 1 == open_.size()) {
            grid_[dim] = parts;
            return judge();
        }
        for (int64_t n = parts; n >= 1; --n) {
            if (parts % n != 0)
                continue;
            grid_[dim] = n;
            try_all(open_at + 1, parts / n);
        }
    }

    // Elements of the largest part along a dimension, or nothing where the rule cannot hold.
    std::optional<int64_t> largest(size_t dim) {
        const auto key = std::pair(dim, grid_[dim]);
        const auto known = largest_.find(key);
        if (known != largest_.end())
            return known->second;
        std::optional<int64_t> n;
        // The lists come later; balanced ones are the best guess.
        if (partition_[dim].kind == CutKind::indices)
            return largest_[key] = ceil_div(sizes_[dim], grid_[dim]);
        try {
            n = Cut(partition_[dim], sizes_[dim], grid_[dim], dim).largest();
        } catch (const Error &e) {
            const auto known_failure = failures_.find(dim);
            if (known_failure == failures_.end())
                failures_.emplace(dim, std::pair(grid_[dim], e));
            else if (known_failure->second.first < grid_[dim])
                known_failure->second = {grid_[dim], e};
        }
        return largest_[key] = n;
    }

    void judge() {
        Dims extents;
        for (size_t d = 0; d < grid_.size(); ++d) {
            const auto n = largest(d);
            if (!n)
                return;
            extents.push_back(*n);
        }
        // Volume first: a grid that leaves processes empty beside one that does not is no choice.
        // A part between two others has two faces along a dimension, so a cube over 8 becomes 2 x 2 x 2.
        double volume = 1, surface = 0;
        for (int64_t e : extents)
            volume *= static_cast<double>(e);
        for (size_t d = 0; d < grid_.size(); ++d)
            if (grid_[d] > 1 && extents[d] > 0)
                surface += (grid_[d] > 2 ? 2 : 1) * volume / static_cast<double>(extents[d]);
        if (best_ && std::pair(volume, surface) >= std::pair(best_volume_, best_surface_))
            return;
        best_ = grid_;
        best_volume_ = volume;
        best_surface_ = surface;
    }

    const Partition &partition_;
    const Dims &sizes_;
    Dims grid_;
    std::vector<size_t> open_;
    std::map<std::pair<size_t, int64_t>, std::optional<int64_t>> largest_;
    std::map<size_t, std::pair<int64_t, Error>> failures_; // of each dimension that of the most parts
    std::optional<Dims> best_;
    double best_volume_ = 0, best_surface_ = 0;
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
