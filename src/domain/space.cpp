// Orders and indices of a domain, and what its processes hold.
#include "domain/space.hpp"

#include "base/checked.hpp"

namespace dri::domain {

Space::Space(std::shared_ptr<const DomainMap> map, const Ranges &ranges, Rims rims)
    : map_(std::move(map)), ranges_(ranges), rims_(rims), found_(map_->ranks().size()) {
    if (const auto *dist_map = std::get_if<DistMap>(&map_->sort()))
        require_inside(*dist_map, ranges_);
    size_ = volume_of(ranges_);
    for (DRI_Range &r : ranges_) {
        sizes_.push_back(r.size);
        if (r.size == 1)
            r.stride = 1; // equal ranges make equal distributions, however they are written
    }
}

Space::Space(std::shared_ptr<const Space> whole, const Ranges &ranges)
    : Space(whole->shared_map(), ranges, Rims::none) {
    whole_ = std::move(whole);
}

bool Space::densify(const int64_t index[], Dims &dense) const {
    dense.clear();
    for (size_t d = 0; d < ranges_.size(); ++d) {
        const int64_t order = math::order_in(ranges_[d], index[d]);
        if (order < 0)
            return false;
        dense.push_back(order);
    }
    return true;
}

Dims Space::checked_dense(const int64_t index[]) const {
    Dims dense;
    if (!densify(index, dense))
        fail(DRI_ERR_ARG, "{} is no member of {}", text_of_index({index, ranges_.size()}), text());
    return dense;
}

int64_t Space::order_of(const Dims &dense) const { return domain::order_of(dense, sizes_); }

int64_t Space::order_of(const int64_t index[]) const {
    Dims dense;
    return densify(index, dense) ? order_of(dense) : -1;
}

Dims Space::dense_at(int64_t order) const {
    Dims dense(ranges_.size());
    for (size_t d = ranges_.size(); d-- > 0; order /= sizes_[d])
        dense[d] = order % sizes_[d];
    return dense;
}

void Space::get_index(const Dims &dense, int64_t index[]) const {
    for (size_t d = 0; d < ranges_.size(); ++d)
        index[d] = math::member_at(ranges_[d], dense[d]);
}

std::vector<std::vector<Ranges>> Space::user_boxes() const {
    const auto &user = std::get<UserMap>(map_->sort());
    if (!whole_)
        return boxes_of(user, ranges_, map_->num_positions());
    std::vector<std::vector<Ranges>> all(static_cast<size_t>(map_->num_positions()));
    for (int q = 0; q < map_->num_positions(); ++q) {
        const Holding &own = whole_->holding(q);
        for (int64_t i = 0; i < own.num_boxes(); ++i) {
            const Ranges box = undensify(own.box(i), whole_->ranges());
            Ranges common;
            for (size_t d = 0; d < box.size(); ++d)
                common.push_back(math::common_of(ranges_[d], box[d]));
            if (volume_of(common) > 0)
                all[static_cast<size_t>(q)].push_back(domain::densify(common, ranges_));
        }
    }
    return all;
}

const UserHoldings &Space::user_holdings() const {
    const std::lock_guard lock(mutex_);
    if (!user_)
        user_ = std::make_unique<const UserHoldings>(make_holdings(user_boxes(), sizes_));
    return *user_;
}

Holding Space::found_holding(int position) const {
    if (const auto *dist_map = std::get_if<DistMap>(&map_->sort()))
        return holding_of(*dist_map, ranges_, sizes_, position, rims_ == Rims::of_map);
    const auto &grid = std::get<GridMap>(map_->sort());
    const auto coords = coords_of(grid, position);
    std::vector<AxisRuns> axes;
    std::vector<Rim> rims;
    for (size_t d = 0; d < ranges_.size(); ++d) {
        const DimRule &rule = grid.dims[d];
        axes.push_back(runs_of(rule, ranges_[d], coords[d]));
        rims.push_back(rims_ == Rims::none ? Rim{} : Rim{rule.left, rule.right, rule.left_edge, rule.right_edge});
    }
    return Holding::product(std::move(axes), std::move(rims), sizes_);
}

// Blocks and single cyclic indices lie evenly, and so do all members of longer cyclic blocks.
bool Space::may_be_uneven(const Holding &whole, size_t d) const {
    if (const auto *grid = std::get_if<GridMap>(&map_->sort())) {
        const DimRule &rule = grid->dims[d];
        return rule.kind == DRI_BLOCK_CYCLIC && rule.block > 1 && rule.nparts > 1 && ranges_[d].size > 2 &&
               math::magnitude(ranges_[d].stride) != math::magnitude(root().ranges()[d].stride);
    }
    return whole.axes()[d].num_boxes() > 1;
}

Holding Space::cut_evenly(const Holding &own, int position) const {
    std::vector<AxisRuns> axes = own.axes();
    if (own.owned() == 0)
        return own;
    const Holding &whole = root().holding(position);
    for (size_t d = 0; d < axes.size(); ++d)
        if (may_be_uneven(whole, d))
            axes[d] = evenly_placed(axes[d], ranges_[d], whole.axes()[d], root().ranges()[d]);
    return Holding::product(std::move(axes), own.rims(), sizes_);
}

const Holding *Space::make_holding(int position) const {
    if (std::holds_alternative<UserMap>(map_->sort()))
        return user_holdings().all[static_cast<size_t>(position)].get();
    Holding own = found_holding(position);
    auto made = std::make_unique<const Holding>(whole_ ? cut_evenly(own, position) : std::move(own));
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(made));
    return kept_.back().get();
}

// Two threads may find the same thing out; both answers are kept.
const Holding &Space::holding(int position) const {
    auto &slot = found_[static_cast<size_t>(position)];
    const Holding *known = slot.load(std::memory_order_acquire);
    if (!known) {
        known = make_holding(position);
        slot.store(known, std::memory_order_release);
    }
    return *known;
}

std::string Space::describe() const {
    std::string out = fmt::format("{} by {}", text(), map_->rule());
    for (int q = 0; q < map_->num_positions(); ++q) {
        const Holding &own = holding(q);
        out += fmt::format("\n{}:", map_->ranks()[static_cast<size_t>(q)]);
        for (int64_t i = 0; i < own.num_boxes(); ++i)
            out += fmt::format(" {}", text_of(undensify(own.box(i), ranges_)));
    }
    return out;
}

bool are_equal(const Space &a, const Space &b) {
    return are_same(a.ranges(), b.ranges()) && (a.shared_map() == b.shared_map() || are_equal(a.map(), b.map()));
}

} // namespace dri::domain
