// Queries of a cut in closed form: owners, holders, sizes and parts.
#include "base/checked.hpp"
#include "base/sorted.hpp"
#include "model/cut.hpp"

#include <algorithm>
#include <limits>

namespace dri::model {

namespace {

// The first block of part c of a block-cyclic cut, in which part `phase` has block 0.
int64_t first_block_of(int64_t c, int64_t phase, int64_t nparts) { return c - phase + (c < phase ? nparts : 0); }
int64_t part_of_block(int64_t block, int64_t phase, int64_t nparts) { return (block % nparts + phase) % nparts; }

} // namespace

// The first unit of part c. Each part has at least `quota` units; the remainder rule says which parts have more.
int64_t Cut::unit_start(int64_t c) const {
    const int64_t quota = units_ / front_, extra = units_ % front_;
    switch (remainder_) {
    case Remainder::balanced: return c * quota + std::min(c, extra);
    case Remainder::balanced_last: return c * quota + std::max<int64_t>(0, c - (front_ - extra));
    case Remainder::ceil: return std::min(units_, c * ceil_div(units_, front_));
    case Remainder::proportional: return mul_div(c, units_, front_) + (mul_mod(c, units_, front_) != 0);
    }
    return 0;
}

// Where part c starts, if each part is contiguous; c = nparts_ gives the size.
int64_t Cut::start(int64_t c) const {
    if (kind_ == CutKind::sizes)
        return starts_[static_cast<size_t>(c)];
    if (c > front_)
        return size_;
    if (front_ == 0)
        return 0;
    const int64_t at = unit_start(c);
    // The last unit may be short, and at * unit_ may not fit into 64 bits.
    return at > size_ / unit_ ? size_ : std::min(size_, at * unit_);
}

int64_t Cut::part_size(int64_t c) const {
    if (indexed_)
        return indexed_->part(c).length();
    if (kind_ != CutKind::block_cyclic)
        return start(c + 1) - start(c);
    const int64_t blocks = ceil_div(size_, block_), first = first_block_of(c, phase_, nparts_);
    if (first >= blocks)
        return 0;
    const int64_t mine = (blocks - 1 - first) / nparts_ + 1;
    const bool has_last = (blocks - 1) % nparts_ == first;
    return has_last ? (mine - 1) * block_ + (size_ - (blocks - 1) * block_) : mine * block_;
}

IndexSet Cut::part(int64_t c) const {
    if (indexed_)
        return indexed_->part(c).firsts();
    const int64_t n = part_size(c);
    if (n == 0)
        return {};
    if (kind_ != CutKind::block_cyclic)
        return IndexSet({Runs{start(c), n, 1, 0, 0, 0}});
    // A single part has nothing between its blocks.
    if (nparts_ == 1 && overlap_.none())
        return IndexSet({Runs{0, n, 1, 0, 0, 0}});
    // All full blocks form one list; a short last block is a second list.
    const int64_t full = n / block_, rest = n % block_, step = cyclic_step();
    const int64_t start = first_block_of(c, phase_, nparts_) * block_;
    std::vector<Runs> lists;
    if (full > 0)
        lists.push_back({start, block_, full, full > 1 ? step : 0, 0, full > 1 ? block_ : 0});
    if (rest > 0)
        lists.push_back({start + full * step, rest, 1, 0, full * block_, 0});
    return IndexSet(std::move(lists));
}

PartAxis Cut::axis(int64_t c) const {
    if (indexed_)
        return indexed_->part(c).axis();
    const IndexSet mine = part(c);
    std::vector<Blocks> blocks;
    for (const Runs &r : mine.lists())
        blocks.push_back({r, false});
    return make_axis(blocks, size_, overlap_);
}

AxisView Cut::axis_view(int64_t c) const {
    if (indexed_)
        return AxisView::indexed(size_, overlap_, indexed_->part(c));
    const int64_t n = part_size(c);
    if (kind_ != CutKind::block_cyclic)
        return AxisView::regular(size_, overlap_, start(c), n, 0, n > 0 ? 1 : 0);
    const int64_t start = n > 0 ? first_block_of(c, phase_, nparts_) * block_ : size_;
    return AxisView::regular(size_, overlap_, start, block_, cyclic_step(), ceil_div(n, block_));
}

std::optional<int64_t> Cut::owner(int64_t index) const {
    if (indexed_)
        return indexed_->first_owner(index);
    return run_owner(index);
}

// Inverts start(): solves each formula of unit_start() for the part.
int64_t Cut::run_owner(int64_t index) const {
    if (kind_ == CutKind::whole)
        return 0;
    if (kind_ == CutKind::block_cyclic)
        return part_of_block(index / block_, phase_, nparts_);
    if (kind_ == CutKind::sizes)
        return std::upper_bound(starts_.begin(), starts_.end(), index) - starts_.begin() - 1;
    const int64_t u = index / unit_;
    if (u >= units_)
        return front_;
    const int64_t quota = units_ / front_, extra = units_ % front_;
    switch (remainder_) {
    case Remainder::balanced:
        return u < extra * (quota + 1) ? u / (quota + 1) : extra + (u - extra * (quota + 1)) / quota;
    case Remainder::balanced_last: {
        const int64_t small = (front_ - extra) * quota;
        return u < small ? u / quota : (front_ - extra) + (u - small) / (quota + 1);
    }
    case Remainder::ceil: return u / ceil_div(units_, front_);
    case Remainder::proportional: return mul_div(u, front_, units_);
    }
    return 0;
}

int64_t Cut::largest() const {
    if (kind_ == CutKind::whole)
        return size_;
    if (kind_ == CutKind::block_cyclic)
        return part_size(phase_);
    int64_t max_size = 0;
    if (kind_ == CutKind::sizes || indexed_) {
        for (int64_t c = 0; c < nparts_; ++c)
            max_size = std::max(max_size, part_size(c));
        return max_size;
    }
    // The largest part is the first or the last of the front parts. The last one may be short, so the one before
    // it counts, too.
    for (int64_t c : {int64_t{0}, front_ - 2, front_ - 1})
        if (c >= 0)
            max_size = std::max(max_size, part_size(c));
    if (front_ < nparts_)
        max_size = std::max(max_size, part_size(front_));
    return max_size;
}

int64_t Cut::max_blocks() const {
    if (indexed_)
        return largest();
    return kind_ == CutKind::block_cyclic ? ceil_div(ceil_div(size_, block_), nparts_) : 1;
}

// An upper bound: as if the largest part had the maximum number of blocks and all their overlap.
int64_t Cut::max_held() const {
    const Wide held = max_blocks() * (Wide{overlap_.left} + overlap_.right) + largest();
    return static_cast<int64_t>(std::min<Wide>(held, std::numeric_limits<int64_t>::max()));
}

int64_t Cut::largest_extent() const {
    int64_t max_extent = 0;
    for (int64_t c = 0; c < nparts_; ++c)
        max_extent = std::max(max_extent, axis_view(c).extent());
    return max_extent;
}

int64_t Cut::filled() const {
    if (size_ == 0 || kind_ == CutKind::whole)
        return size_ > 0 ? 1 : 0;
    if (kind_ == CutKind::block_cyclic)
        return std::min(ceil_div(size_, block_), nparts_);
    if (kind_ == CutKind::sizes || indexed_) {
        int64_t n = 0;
        for (int64_t c = 0; c < nparts_; ++c)
            n += part_size(c) > 0;
        return n;
    }
    int64_t front = std::min(units_, front_);
    if (remainder_ == Remainder::ceil && front > 0)
        front = ceil_div(units_, ceil_div(units_, front_));
    return front + (front_ < nparts_ && part_size(front_) > 0);
}

int64_t Cut::period() const { return kind_ == CutKind::block_cyclic ? cyclic_step() : size_; }

// Distance from one block of a part to its next one. If it does not fit into 64 bits, no part has a second block.
int64_t Cut::cyclic_step() const {
    int64_t step = 0;
    return __builtin_mul_overflow(nparts_, block_, &step) ? INT64_MAX : step;
}

// Contiguous owners are one range of parts. Block-cyclic owners repeat after nparts_ blocks.
std::vector<int64_t> Cut::owners(int64_t lo, int64_t hi) const {
    if (indexed_)
        return indexed_->owners(lo, hi);
    std::vector<int64_t> parts;
    if (kind_ != CutKind::block_cyclic) {
        for (int64_t c = run_owner(lo); c <= run_owner(hi - 1); ++c)
            parts.push_back(c);
        return parts;
    }
    const int64_t from = lo / block_, to = (hi - 1) / block_ + 1;
    for (int64_t b = from; b < std::min(to, from + nparts_); ++b)
        parts.push_back(part_of_block(b, phase_, nparts_));
    std::sort(parts.begin(), parts.end());
    return parts;
}

std::vector<int64_t> Cut::holders(int64_t lo, int64_t hi) const {
    // A part has an index in its overlap exactly if it meets the index widened by the overlap. Wrapped overlap
    // meets it from the other edge, too. Repeated edge elements belong to a part that reaches the edge, which the
    // widened range also finds.
    const auto [left, right, left_edge, right_edge] = overlap_;
    std::vector<int64_t> parts;
    const auto add = [&](Wide begin, Wide end) {
        const auto from = static_cast<int64_t>(std::clamp<Wide>(begin, 0, size_));
        const auto to = static_cast<int64_t>(std::clamp<Wide>(end, 0, size_));
        if (from >= to)
            return;
        const auto more = owners(from, to);
        parts.insert(parts.end(), more.begin(), more.end());
    };
    add(Wide{lo} - right, Wide{hi} + left);
    if (right_edge == Edge::wrap && right > 0)
        add(Wide{lo} + size_ - right, size_);
    if (left_edge == Edge::wrap && left > 0)
        add(0, Wide{hi} - size_ + left);
    return sorted_once(std::move(parts));
}

} // namespace dri::model
