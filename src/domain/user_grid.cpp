// Finds out whether the boxes of a user's map form a grid.
#include "domain/user_map.hpp"

#include <algorithm>
#include <optional>

namespace dri::domain {

namespace {

// The lists along each dimension whose product, in row-major order, is this list of boxes.
std::optional<std::vector<AxisRuns>> product_of(const std::vector<Ranges> &boxes, size_t dims) {
    std::vector<std::vector<DRI_Range>> lists(dims);
    size_t volume = 1;
    for (size_t d = 0; d < dims; ++d) {
        for (const Ranges &box : boxes) {
            if (dims == 1) { // boxes are disjoint
                lists[0].push_back(box[0]);
                continue;
            }
            const auto same = [&](const DRI_Range &r) { return math::is_same_range(r, box[d]); };
            if (std::none_of(lists[d].begin(), lists[d].end(), same)) {
                if (lists[d].size() == boxes.size())
                    return std::nullopt;
                lists[d].push_back(box[d]);
            }
        }
        volume *= lists[d].size();
        if (volume > boxes.size())
            return std::nullopt;
    }
    if (volume != boxes.size())
        return std::nullopt;
    for (size_t i = 0; i < boxes.size(); ++i)
        for (size_t d = dims, rest = i; d-- > 0; rest /= lists[d].size())
            if (!math::is_same_range(boxes[i][d], lists[d][rest % lists[d].size()]))
                return std::nullopt;
    std::vector<AxisRuns> axes;
    for (const auto &list : lists) {
        std::vector<DRI_Run> runs;
        runs.reserve(list.size());
        std::transform(list.begin(), list.end(), std::back_inserter(runs), run_of);
        axes.emplace_back(std::move(runs));
    }
    return axes;
}

// The lists of all positions as a grid: each combination belongs to one position.
bool find_grid(const std::vector<std::vector<AxisRuns>> &axes, UserHoldings &made) {
    const size_t dims = axes.front().size();
    made.lists.assign(dims, {});
    std::vector<std::vector<size_t>> coords(axes.size());
    size_t cells = 1;
    for (size_t d = 0; d < dims; ++d) {
        std::vector<const AxisRuns *> known; // the different lists
        for (size_t q = 0; q < axes.size(); ++q) {
            const AxisRuns &own = axes[q][d];
            const auto at = std::find_if(known.begin(), known.end(), [&](const auto *one) { return *one == own; });
            coords[q].push_back(static_cast<size_t>(at - known.begin()));
            if (at != known.end())
                continue;
            known.push_back(&own);
            made.lists[d].push_back(own.size());
        }
        cells *= made.lists[d].size();
        if (cells > axes.size())
            return false;
    }
    if (cells != axes.size())
        return false;
    made.cells.clear();
    std::vector<bool> seen(cells);
    for (const auto &at : coords) {
        size_t cell = 0;
        for (size_t d = 0; d < dims; ++d)
            cell = cell * made.lists[d].size() + at[d];
        if (seen[cell])
            return false;
        seen[cell] = true;
        made.cells.push_back(static_cast<int>(cell));
    }
    return true;
}

} // namespace

UserHoldings make_holdings(const std::vector<std::vector<Ranges>> &boxes, const Dims &sizes) {
    UserHoldings made;
    std::vector<std::vector<AxisRuns>> axes;
    for (const auto &own : boxes) {
        auto found = own.empty() ? std::vector<AxisRuns>(sizes.size()) : product_of(own, sizes.size());
        if (!found)
            break;
        axes.push_back(std::move(*found));
    }
    made.is_grid = axes.size() == boxes.size() && find_grid(axes, made);
    for (size_t q = 0; q < boxes.size(); ++q)
        made.all.push_back(std::make_shared<const Holding>(
            made.is_grid ? Holding::product(std::move(axes[q]), std::vector<Rim>(sizes.size()), sizes)
                         : Holding::list(boxes[q], sizes)));
    return made;
}

} // namespace dri::domain
