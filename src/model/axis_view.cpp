// AxisView: the arithmetic of blocks, of their clipped overlap and of their local indices.
#include "model/axis_view.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::model {

AxisView AxisView::regular(int64_t n, const Overlap &overlap, int64_t first, int64_t size, int64_t step,
                           int64_t blocks) {
    AxisView axis(n, overlap);
    axis.first_ = first;
    axis.size_ = size;
    axis.step_ = step;
    axis.blocks_ = blocks;
    return axis;
}

AxisView AxisView::indexed(int64_t n, const Overlap &overlap, const IndexedPart &part) {
    AxisView axis(n, overlap);
    axis.list_ = &part;
    axis.size_ = 1;
    axis.blocks_ = part.length();
    return axis;
}

int64_t AxisView::global(int64_t block) const { return list_ ? list_->index(block) : first_ + block * step_; }

int64_t AxisView::size(int64_t block) const { return list_ ? 1 : std::min(size_, n_ - global(block)); }

int64_t AxisView::owned() const {
    if (list_ || blocks_ == 0)
        return blocks_;
    return (blocks_ - 1) * size_ + size(blocks_ - 1);
}

int64_t AxisView::start(int64_t block) const {
    // The sum of what all blocks before this one hold. Without clipping, that is a product. The lengths that
    // truncating edges cut off are an arithmetic series on either side, so the sum costs O(1).
    if (list_)
        return list_->start(block);
    const auto &[left, right, left_edge, right_edge] = overlap_;
    // The result fits into 64 bits. The value before anything is clipped, with a full last block, may not fit.
    Wide at = (Wide{size_} + left + right) * block;
    if (block == blocks_ && blocks_ > 0)
        at -= size_ - size(blocks_ - 1);
    // The sum of the integers from `from` to `to`.
    const auto sum = [](Wide from, Wide to) { return (from + to) * (to - from + 1) / 2; };
    const int64_t step = std::max<int64_t>(step_, 1);
    if (left_edge == Edge::truncate && left > first_) {
        // Block j misses left - first - j * step indices, if that is positive.
        const int64_t clipped = std::min(block, ceil_div(left - first_, step));
        if (clipped > 0)
            at -= Wide{clipped} * (left - first_) - step * sum(0, clipped - 1);
    }
    if (right_edge == Edge::truncate && block > 0) {
        // Full block j misses first + j * step + size + right - n indices, if that is positive. The last block may
        // be short and end earlier; it is counted apart.
        const int64_t last = blocks_ - 1, full = std::min(block, last);
        const Wide over = Wide{first_} + size_ + right - n_, from = over > 0 ? 0 : -over / step + 1;
        if (from < full)
            at -= (full - from) * over + step * sum(from, full - 1);
        if (block == blocks_)
            at -= std::max<int64_t>(0, right - (n_ - global(last) - size(last)));
    }
    return static_cast<int64_t>(at);
}

AxisBlock AxisView::block(int64_t i) const {
    AxisBlock b = block_with_overlap(global(i), size(i), n_, overlap_);
    b.local = start(i) + b.left();
    return b;
}

AxisBlock AxisView::bounds() const {
    if (blocks_ == 0)
        return {.global = first_};
    const int64_t lo = list_ ? list_->lowest() : first_;
    const int64_t hi = list_ ? list_->end() : global(blocks_ - 1) + size(blocks_ - 1);
    return block_with_overlap(lo, hi - lo, n_, overlap_);
}

// The block that owns a global index, if any.
std::optional<int64_t> AxisView::owning_block(int64_t index) const {
    if (list_)
        return list_->firsts().local_of(index);
    if (blocks_ == 0 || index < first_)
        return std::nullopt;
    const int64_t block = std::min((index - first_) / std::max<int64_t>(step_, 1), blocks_ - 1);
    if (index >= global(block) + size(block))
        return std::nullopt;
    return block;
}

std::optional<int64_t> AxisView::first_block(int64_t lo, int64_t hi) const {
    if (list_)
        return list_->first_block(lo, hi);
    if (blocks_ == 0)
        return std::nullopt;
    const int64_t step = std::max<int64_t>(step_, 1);
    // The first block that ends behind lo.
    int64_t block = lo - first_ < size_ ? 0 : (lo - first_ - size_) / step + 1;
    if (block >= blocks_ || global(block) + size(block) <= lo || global(block) >= hi)
        return std::nullopt;
    return block;
}

std::optional<int64_t> AxisView::local_of(int64_t index) const {
    if (const auto own = owning_block(index)) {
        const AxisBlock b = block(*own);
        return b.local + (index - b.global);
    }
    // No block owns the index. A block has it in its overlap if it meets the index widened by the overlap. Behind
    // a wrapping edge the index occurs again.
    const auto &[left, right, left_edge, right_edge] = overlap_;
    std::optional<int64_t> first;
    const auto search = [&](Wide lo, Wide hi) {
        const auto from = static_cast<int64_t>(std::clamp<Wide>(lo, 0, n_));
        const auto to = static_cast<int64_t>(std::clamp<Wide>(hi, 0, n_));
        const auto b = from < to ? first_block(from, to) : std::nullopt;
        if (b && (!first || *b < *first))
            first = b;
    };
    const Wide at_index = index;
    search(at_index - right, at_index + 1 + left);
    if (left_edge == Edge::wrap && left > 0)
        search(0, at_index + 1 - n_ + left);
    if (right_edge == Edge::wrap && right > 0)
        search(at_index + n_ - right, n_);
    if (!first)
        return std::nullopt;
    // In that block, the first occurrence of the index; wrapped overlap may hold it several times.
    const AxisBlock b = block(*first);
    const int64_t from = b.global - b.left();
    int64_t at = index;
    if (left_edge == Edge::wrap && from < 0)
        at -= (index - from) / n_ * n_;
    else if (at < from)
        at += n_;
    return b.local + (at - b.global);
}

std::optional<int64_t> AxisView::index_at(int64_t local) const {
    int64_t low = 0, high = blocks_; // the last block that starts at or before `local`
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        (start(middle) <= local ? low : high) = middle;
    }
    const AxisBlock b = block(low);
    return index_beyond(b.global + (local - b.local), n_, overlap_);
}

// Full blocks form one list of runs; a short last block is a second list.
std::span<const Runs> AxisView::owned_runs(std::array<Runs, 2> &buffer) const {
    if (list_)
        return list_->list();
    if (blocks_ == 0)
        return {};
    if (blocks_ == 1 || step_ == size_) {
        buffer[0] = {first_, owned(), 1, 0, 0, 0};
        return std::span(buffer).first(1);
    }
    const int64_t last = blocks_ - 1, full = size(last) == size_ ? blocks_ : last;
    buffer[0] = {first_, size_, full, full > 1 ? step_ : 0, 0, full > 1 ? size_ : 0};
    buffer[1] = {global(last), size(last), 1, 0, full * size_, 0};
    return std::span(buffer).first(full == blocks_ ? 1 : 2);
}

AxisBlock AxisView::lowest() const {
    return list_ ? block_with_overlap(list_->lowest(), 1, n_, overlap_) : block(0);
}

AxisBlock AxisView::highest() const {
    return list_ ? block_with_overlap(list_->end() - 1, 1, n_, overlap_) : block(blocks_ - 1);
}

bool AxisView::same(const AxisView &other) const {
    if (owned() != other.owned() || extent() != other.extent())
        return false;
    std::array<Runs, 2> buffer, other_buffer;
    if (!std::ranges::equal(owned_runs(buffer), other.owned_runs(other_buffer)))
        return false;
    // Without overlap it makes no difference where blocks end.
    if (extent() == owned())
        return true;
    if (blocks_ != other.blocks_ || size(0) != other.size(0))
        return false;
    const auto same_left = [](const AxisBlock &a, const AxisBlock &b) {
        return a.left_real == b.left_real && a.left_pad == b.left_pad;
    };
    const auto same_right = [](const AxisBlock &a, const AxisBlock &b) {
        return a.right_real == b.right_real && a.right_pad == b.right_pad;
    };
    const AxisBlock low = lowest(), high = highest(), other_low = other.lowest(), other_high = other.highest();
    if (!same_left(low, other_low) || !same_right(high, other_high))
        return false;
    if ((low.left_pad > 0 && overlap_.left_edge != other.overlap_.left_edge) ||
        (high.right_pad > 0 && overlap_.right_edge != other.overlap_.right_edge))
        return false;
    // Overlap that fills the gap between two blocks shows the same indices, wherever the overlap of one block ends
    // and that of the next one starts.
    if (fills_gaps() && other.fills_gaps())
        return true;
    // Widths only grow or only shrink from one edge to the other. Therefore they are equal everywhere if they are
    // equal at both edges.
    return same_left(high, other_high) && same_right(low, other_low);
}

bool AxisView::fills_gaps() const {
    if (blocks_ < 2)
        return false;
    int64_t gap = step_ - size_;
    if (list_) {
        const IndexList &runs = list_->list();
        gap = runs.size() == 1 && runs[0].size == 1 ? runs[0].global_step - 1 : 0;
    }
    return gap > 0 && overlap_.left + overlap_.right == gap;
}

} // namespace dri::model
