// PartAxis: builds the axis of a part from its blocks, their overlap and the array's edges.
#include "model/part_axis.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <limits>

namespace dri::model {

Overlap clipped(const Overlap &overlap, int64_t n) {
    Overlap out = overlap;
    if (out.left_edge == Edge::truncate)
        out.left = std::min(out.left, n);
    if (out.right_edge == Edge::truncate)
        out.right = std::min(out.right, n);
    return out;
}

bool fits_indices(const Overlap &overlap, int64_t n, int64_t blocks, int64_t owned) {
    constexpr Wide max = std::numeric_limits<int64_t>::max();
    const auto beyond = [](int64_t width, Edge edge) { return edge == Edge::truncate ? 0 : width; };
    const int64_t left = beyond(overlap.left, overlap.left_edge),
                  right = beyond(overlap.right, overlap.right_edge);
    if (Wide{n} + std::max(left, right) > max)
        return false;
    // With one block, each index inside the array occurs once.
    if (blocks <= 1)
        return Wide{n} + left + right <= max;
    return (Wide{overlap.left} + overlap.right) * blocks + owned <= max;
}

AxisBlock block_with_overlap(int64_t global, int64_t size, int64_t n, const Overlap &overlap) {
    AxisBlock block{.global = global, .size = size};
    // Beyond a wrapping edge, overlap consists of elements as well; other edges make pads or nothing.
    const auto split = [](int64_t wanted, int64_t inside, Edge edge, int64_t &real, int64_t &pad) {
        real = std::min(wanted, inside);
        if (edge == Edge::wrap)
            real = wanted;
        else if (edge != Edge::truncate)
            pad = wanted - real;
    };
    split(overlap.left, global, overlap.left_edge, block.left_real, block.left_pad);
    split(overlap.right, n - global - size, overlap.right_edge, block.right_real, block.right_pad);
    return block;
}

std::optional<int64_t> index_beyond(int64_t at, int64_t n, const Overlap &overlap) {
    if (at >= 0 && at < n)
        return at;
    const Edge edge = at < 0 ? overlap.left_edge : overlap.right_edge;
    if (edge == Edge::wrap)
        return at % n < 0 ? at % n + n : at % n;
    if (edge == Edge::pad_replicate)
        return at < 0 ? 0 : n - 1;
    return std::nullopt;
}

namespace {

class AxisMaker {
public:
    AxisMaker(int64_t n, const Overlap &overlap) : n_(n), overlap_(overlap) {}

    // The runs of a list rise. The first ones reach beyond the left edge and the last ones beyond the right edge;
    // these are added one by one. All between them are added in closed form.
    void add(const Blocks &blocks) {
        const Runs &r = blocks.runs;
        auto &out = blocks.again ? axis_.overlap : owned_;
        int64_t head = 0, tail = r.count;
        const int64_t before = overlap_.left - r.global, after = r.global + r.size - (n_ - overlap_.right);
        if (before > 0)
            head = r.count > 1 ? std::min(r.count, ceil_div(before, r.global_step)) : 1;
        if (r.count == 1)
            tail = after > 0 ? 0 : 1;
        else // the first run that ends behind n - right
            tail = after > 0 ? 0 : std::min(r.count, -after / r.global_step + 1);
        tail = std::max(head, tail);
        for (int64_t k = 0; k < head; ++k)
            add_block(r.global + k * r.global_step, r.size, out);
        add_middle(r, head, tail - head, out);
        for (int64_t k = tail; k < r.count; ++k)
            add_block(r.global + k * r.global_step, r.size, out);
    }

    PartAxis take() {
        axis_.owned = IndexSet(std::move(owned_));
        axis_.extent = local_;
        return std::move(axis_);
    }

private:
    void add_block(int64_t global, int64_t size, std::vector<Runs> &out) {
        const AxisBlock b = block_with_overlap(global, size, n_, overlap_);
        add_range(global - b.left(), global);
        out.push_back({global, size, 1, 0, local_, 0});
        local_ += size;
        add_range(global + size, global + size + b.right());
    }

    // Adds the overlap [from, to), which may reach beyond an edge.
    void add_range(int64_t from, int64_t to) {
        while (from < to) {
            const int64_t inside = from < 0 ? -1 : from >= n_ ? 1 : 0; // -1: before the array, 1: behind it
            int64_t until = inside == 0 ? std::min(to, n_) : inside < 0 ? std::min<int64_t>(to, 0) : to;
            const Edge edge = inside < 0 ? overlap_.left_edge : overlap_.right_edge;
            const auto index = index_beyond(from, n_, overlap_);
            if (inside != 0 && edge == Edge::wrap) {
                // Whole laps around the array are one list.
                if (const int64_t laps = (until - from) / n_; *index == 0 && laps > 1) {
                    axis_.overlap.push_back({0, n_, laps, 0, local_, n_});
                    local_ += laps * n_;
                    from += laps * n_;
                    continue;
                }
                until = from + std::min(until - from, n_ - *index);
            }
            if (inside == 0 || edge == Edge::wrap)
                axis_.overlap.push_back({*index, until - from, 1, 0, local_, 0});
            else
                axis_.pads.push_back({local_, until - from, index});
            local_ += until - from;
            from = until;
        }
    }

    // Adds runs with complete overlap: one list each for left overlap, owned indices and right overlap.
    void add_middle(const Runs &r, int64_t first, int64_t count, std::vector<Runs> &out) {
        if (count <= 0)
            return;
        const int64_t left = overlap_.left, right = overlap_.right, width = left + r.size + right;
        const int64_t global = r.global + first * r.global_step;
        const auto list = [&](int64_t from, int64_t size, int64_t local) {
            return Runs{from, size, count, count > 1 ? r.global_step : 0, local_ + local, count > 1 ? width : 0};
        };
        if (left > 0)
            axis_.overlap.push_back(list(global - left, left, 0));
        out.push_back(list(global, r.size, left));
        if (right > 0)
            axis_.overlap.push_back(list(global + r.size, right, left + r.size));
        local_ += count * width;
    }

    int64_t n_;
    Overlap overlap_;
    std::vector<Runs> owned_;
    PartAxis axis_;
    int64_t local_ = 0;
};

} // namespace

PartAxis make_axis(const std::vector<Blocks> &blocks, int64_t n, const Overlap &overlap) {
    AxisMaker maker(n, overlap);
    for (const Blocks &b : blocks)
        maker.add(b);
    return maker.take();
}

std::string to_text(const Overlap &overlap) { return to_text(overlap, overlap); }

std::string to_text(const Overlap &min, const Overlap &max) {
    if (max == Overlap{})
        return "";
    const auto width = [](int64_t from, int64_t to) {
        return from == to ? fmt::format("{}", to) : fmt::format("{}-{}", from, to);
    };
    const auto letter = [](Edge edge) {
        switch (edge) {
        case Edge::truncate: return "";
        case Edge::wrap: return "w";
        case Edge::pad_zero: return "z";
        case Edge::pad_replicate: return "r";
        }
        return "";
    };
    return fmt::format("<{}{}:{}{}>", width(min.left, max.left), letter(max.left_edge),
                       width(min.right, max.right), letter(max.right_edge));
}

} // namespace dri::model
