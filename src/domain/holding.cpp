// Boxes and places of local arrays.
#include "domain/holding.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::domain {

Holding Holding::product(std::vector<AxisRuns> axes, std::vector<Rim> rims, const Dims &sizes) {
    Holding made;
    made.sizes_ = sizes;
    made.axes_ = std::move(axes);
    made.rims_ = std::move(rims);
    made.owned_ = made.held_ = made.num_boxes_ = 1;
    const bool is_empty =
        std::any_of(made.axes_.begin(), made.axes_.end(), [](const AxisRuns &axis) { return axis.size() == 0; });
    if (is_empty) // the product of the other dimensions may exceed 64 bits
        made.owned_ = made.num_boxes_ = 0;
    for (const AxisRuns &axis : made.axes_) {
        if (is_empty)
            break;
        made.owned_ = checked_mul(made.owned_, axis.size());
        made.num_boxes_ = checked_mul(made.num_boxes_, axis.num_boxes());
    }
    for (size_t d = 0; d < made.axes_.size(); ++d) {
        if (made.owned_ == 0)
            made.rims_[d].left = made.rims_[d].right = 0;
        const int64_t extent =
            checked_add(made.axes_[d].size(), checked_add(made.rims_[d].left, made.rims_[d].right));
        made.extents_.push_back(extent);
        made.held_ = made.owned_ == 0 ? 0 : checked_mul(made.held_, extent);
    }
    return made;
}

Holding Holding::list(std::vector<Ranges> boxes, const Dims &sizes) {
    Holding made;
    made.sizes_ = sizes;
    for (Ranges &dense : boxes) {
        Dims low, high;
        for (const DRI_Range &r : dense) {
            low.push_back(math::low_of(r));
            high.push_back(math::high_of(r));
        }
        const int64_t volume = volume_of(dense);
        made.boxes_.push_back({dense, made.owned_, order_of(low, sizes), order_of(high, sizes)});
        made.owned_ = checked_add(made.owned_, volume);
    }
    made.held_ = made.owned_;
    made.num_boxes_ = static_cast<int64_t>(made.boxes_.size());
    for (size_t i = 0; i < made.boxes_.size(); ++i)
        made.by_low_.emplace_back(made.boxes_[i].low, i);
    std::sort(made.by_low_.begin(), made.by_low_.end());
    for (const auto &[low, i] : made.by_low_)
        made.reach_.push_back(
            std::max(made.boxes_[i].high, made.reach_.empty() ? made.boxes_[i].high : made.reach_.back()));
    return made;
}

Ranges Holding::box(int64_t i) const {
    if (!is_product())
        return boxes_[static_cast<size_t>(i)].dense;
    Ranges found(axes_.size());
    for (size_t d = axes_.size(); d-- > 0; i /= axes_[d].num_boxes())
        found[d] = axes_[d].box(i % axes_[d].num_boxes());
    return found;
}

Dims Holding::place_steps() const {
    Dims steps(axes_.size(), 1);
    for (size_t d = axes_.size(); d-- > 1;)
        steps[d - 1] = steps[d] * extents_[d];
    return steps;
}

Dims Holding::steps(int64_t i) const {
    if (is_product())
        return place_steps(); // places of a box follow each other along each dimension
    const Ranges &dense = boxes_[static_cast<size_t>(i)].dense;
    Dims steps(dense.size(), 1);
    for (size_t d = dense.size(); d-- > 1;)
        steps[d - 1] = steps[d] * dense[d].size;
    return steps;
}

int64_t Holding::box_place(const BoxAt &box, const Dims &dense) const {
    int64_t place = 0;
    for (size_t d = 0; d < dense.size(); ++d) {
        const int64_t order = math::order_in(box.dense[d], dense[d]);
        if (order < 0)
            return -1;
        place = place * box.dense[d].size + order;
    }
    return box.first + place;
}

int64_t Holding::own_place(const Dims &dense) const {
    if (is_product()) {
        if (owned_ == 0)
            return -1;
        int64_t place = 0;
        for (size_t d = 0; d < dense.size(); ++d) {
            const int64_t along = axes_[d].place_of(dense[d]);
            if (along < 0)
                return -1;
            place = place * extents_[d] + rims_[d].left + along;
        }
        return place;
    }
    const int64_t order = order_of(dense, sizes_);
    auto at = std::upper_bound(by_low_.begin(), by_low_.end(), std::pair(order, boxes_.size()));
    while (at != by_low_.begin()) {
        --at;
        if (reach_[static_cast<size_t>(at - by_low_.begin())] < order)
            break;
        if (const int64_t place = box_place(boxes_[at->second], dense); place >= 0)
            return place;
    }
    return -1;
}

// The place along a dimension that is or copies a dense index; -1 if there is none. The neighbour's own element
// comes before one that is wrapped round the domain.
int64_t Holding::copy_place(size_t d, int64_t dense) const {
    if (const int64_t along = axes_[d].place_of(dense); along >= 0)
        return rims_[d].left + along;
    const Rim &rim = rims_[d];
    if (rim.left == 0 && rim.right == 0)
        return -1;
    const int64_t first = axes_[d].at(0) - rim.left, last = first + extents_[d] - 1, n = sizes_[d];
    if (first <= dense && dense <= last)
        return dense - first;
    const auto wraps = [&](int64_t index) {
        return (index < 0 && rim.left_edge == DRI_WRAP) || (index >= n && rim.right_edge == DRI_WRAP);
    };
    // Candidates are dense + m n inside [first, last].
    for (int64_t index = dense - floor_div(dense - first, n) * n; index <= last; index += n)
        if (wraps(index))
            return index - first;
    return -1;
}

int64_t Holding::step_of(const Dims &first, size_t d, int64_t distance) const {
    Dims second = first;
    second[d] += distance;
    return own_place(second) - own_place(first);
}

int64_t Holding::place_of(const Dims &dense) const {
    if (!is_product() || owned_ == 0)
        return own_place(dense);
    int64_t place = 0;
    for (size_t d = 0; d < dense.size(); ++d) {
        const int64_t along = copy_place(d, dense[d]);
        if (along < 0)
            return -1;
        place = place * extents_[d] + along;
    }
    return place;
}

std::optional<Dims> Holding::at(int64_t place) const {
    Dims dense(sizes_.size());
    if (!is_product()) {
        const auto box = std::upper_bound(boxes_.begin(), boxes_.end(), place,
                                          [](int64_t wanted, const BoxAt &b) { return wanted < b.first; }) -
                         1;
        int64_t rest = place - box->first;
        for (size_t d = dense.size(); d-- > 0; rest /= box->dense[d].size)
            dense[d] = math::member_at(box->dense[d], rest % box->dense[d].size);
        return dense;
    }
    for (size_t d = dense.size(); d-- > 0; place /= extents_[d]) {
        const int64_t along = place % extents_[d] - rims_[d].left, own = axes_[d].size();
        if (along >= 0 && along < own) {
            dense[d] = axes_[d].at(along);
            continue;
        }
        const int64_t index = axes_[d].at(0) + along;
        const DRI_Edge edge = index < 0 ? rims_[d].left_edge : rims_[d].right_edge;
        if (index >= 0 && index < sizes_[d])
            dense[d] = index;
        else if (edge == DRI_WRAP)
            dense[d] = index - floor_div(index, sizes_[d]) * sizes_[d];
        else if (edge == DRI_PAD_REPLICATE)
            dense[d] = index < 0 ? 0 : sizes_[d] - 1;
        else
            return std::nullopt;
    }
    return dense;
}

} // namespace dri::domain
