// Finds the boxes of a map that only knows owners: a walk over every index, row by row.
#include "domain/user_map.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

// The boxes of one position inside a slab, over the dimensions from some dimension on. Boxes are ranges of those
// dimensions, one after the other.
using Slab = std::vector<DRI_Range>;

bool is_equal(const Slab &a, const Slab &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), math::is_same_range);
}

// Joins equal slabs of evenly spaced indices, as long as they follow each other.
class Joining {
public:
    // inner: dimensions of a slab.
    explicit Joining(size_t inner) : inner_(inner) {}
    // The slab at an index of the outer dimension.
    void add(int64_t index, Slab slab) {
        if (range_.size > 0 && is_equal(slab, open_)) {
            if (range_.size == 1)
                range_.stride = index - range_.first;
            if (index == range_.first + range_.size * range_.stride) {
                ++range_.size;
                return;
            }
        }
        flush();
        range_ = {index, 1, 1};
        open_ = std::move(slab);
    }
    // All boxes so far: the range of the outer dimension before those of the slab.
    Slab take() {
        flush();
        return std::move(done_);
    }

private:
    void flush() {
        if (range_.size == 0)
            return;
        if (inner_ == 0)
            done_.push_back(range_);
        for (size_t i = 0; inner_ > 0 && i < open_.size(); i += inner_) {
            done_.push_back(range_);
            done_.insert(done_.end(), open_.begin() + static_cast<std::ptrdiff_t>(i),
                         open_.begin() + static_cast<std::ptrdiff_t>(i + inner_));
        }
        range_.size = 0;
    }

    DRI_Range range_{0, 1, 0};
    Slab open_, done_;
    size_t inner_;
};

class Sweep {
public:
    Sweep(const UserMap &map, const Ranges &whole, int positions)
        : map_(map), whole_(whole), positions_(positions), index_(whole.size()) {}

    // What each position owns along the dimensions from d on, at the present indices of those before.
    std::vector<Slab> run(size_t d) {
        const size_t inner = whole_.size() - d - 1;
        std::vector<Joining> joins(static_cast<size_t>(positions_), Joining(inner));
        for (int64_t k = 0; k < whole_[d].size; ++k) {
            index_[d] = math::member_at(whole_[d], k);
            if (inner == 0) {
                joins[static_cast<size_t>(map_.owner(index_.data(), positions_))].add(k, {});
                continue;
            }
            std::vector<Slab> slabs = run(d + 1);
            for (size_t q = 0; q < slabs.size(); ++q)
                if (!slabs[q].empty())
                    joins[q].add(k, std::move(slabs[q]));
        }
        std::vector<Slab> all;
        for (Joining &join : joins)
            all.push_back(join.take());
        return all;
    }

private:
    const UserMap &map_;
    const Ranges &whole_;
    int positions_;
    Dims index_;
};

std::vector<Ranges> split(const Slab &slab, size_t dims) {
    std::vector<Ranges> boxes;
    for (size_t i = 0; i < slab.size(); i += dims)
        boxes.emplace_back(slab.data() + i, slab.data() + i + dims);
    return boxes;
}

} // namespace

std::vector<std::vector<Ranges>> boxes_of(const UserMap &map, const Ranges &whole, int positions) {
    std::vector<std::vector<Ranges>> all;
    if (map.has_local()) {
        for (int q = 0; q < positions; ++q) {
            std::vector<Ranges> dense;
            for (const Ranges &box : map.local(q, whole))
                dense.push_back(densify(box, whole));
            all.push_back(std::move(dense));
        }
        return all;
    }
    if (volume_of(whole) == 0)
        return std::vector<std::vector<Ranges>>(static_cast<size_t>(positions));
    for (const Slab &slab : Sweep(map, whole, positions).run(0))
        all.push_back(split(slab, whole.size()));
    return all;
}

} // namespace dri::domain
