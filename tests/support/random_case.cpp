#include "random_case.hpp"

#include "oracle.hpp"
#include "random_nodes.hpp"
#include "random_pieces.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace dri::test {

namespace {

class CaseMaker {
public:
    CaseMaker(uint64_t seed, int size) : dice_(seed), size_(size) {}

    TransferCase make() {
        make_types();
        make_root();
        // Small numbers of processes are as likely as large ones.
        world_ = dice_.range(1, dice_.one_of<int64_t>({3, 6, 9, std::max(9, size_ / 3)}));
        make_box(c_.source);
        make_box(c_.sink);
        cut(c_.source, true);
        cut(c_.sink, false);
        name_ranks();
        lay_out(c_.source);
        lay_out(c_.sink);
        c_.self_way = dice_.chance(70);
        if (dice_.chance(40))
            c_.gathering = {dice_.range(1, 4), dice_.range(0, 2)};
        const int64_t total = std::max<int64_t>(model::count_elements(c_.root), 1) * c_.type.pitch();
        if (dice_.chance(60))
            c_.message_bytes = dice_.range(std::max<int64_t>(1, total / 1000), total);
        if (total <= 500 && dice_.chance(40))
            c_.message_bytes = dice_.range(1, 9);
        if (total <= 20'000 && dice_.chance(50))
            c_.chunk_bytes = dice_.range(std::max<int64_t>(1, total / 100), std::max<int64_t>(2, total));
        c_.direct_way = dice_.chance(60);
        if (dice_.chance(60))
            c_.nodes = make_nodes(dice_, c_.world());
        return c_;
    }

    // A first case, and others that differ from it in their sinks only.
    std::vector<TransferCase> make_sinks(int sinks) {
        std::vector<TransferCase> cases{make()};
        while (std::ssize(cases) < sinks) {
            c_.sink = {};
            if (!model::is_record(c_.type))
                convert_sink();
            make_box(c_.sink);
            cut(c_.sink, false);
            std::vector<int> ranks(static_cast<size_t>(world_));
            std::iota(ranks.begin(), ranks.end(), 0);
            name_sink(std::move(ranks));
            lay_out(c_.sink);
            cases.push_back(c_);
        }
        return cases;
    }

private:
    // Records of any size, or number types that may be split and converted.
    void make_types() {
        const int64_t bytes = dice_.one_of<int64_t>({1, 2, 4, 4, 8, 8, 8, 16, 3, 6, 12, dice_.range(1, 48)});
        c_.type = model::make_record(bytes, dice_.one_of<int64_t>({1, 1, 2, 4, 8, 16}));
        if (dice_.chance(50))
            return;
        c_.type = dice_.chance(60) ? complex_type() : real_type();
        convert_sink();
    }

    void convert_sink() {
        if (dice_.chance(50))
            return;
        if (const model::ElementType to = c_.type.complex ? complex_type() : real_type(); to != c_.type)
            c_.sink.type = to;
        if (dice_.chance(40))
            c_.sink.scale = dice_.one_of<double>({0.5, -1, 3, 1.0 / 3, 1000.5, 1e-6, 0});
    }

    model::ElementType real_type() {
        using enum Scalar;
        return model::make_real(
            dice_.one_of({int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64}));
    }

    model::ElementType complex_type() {
        using enum Scalar;
        return model::make_complex(dice_.one_of({int8, int16, float32, float64}));
    }

    void make_root() {
        const int64_t max = 30 + 20 * size_;
        int64_t ndims = dice_.one_of<int64_t>({1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, dice_.range(6, 8)});
        if (dice_.chance(2))
            ndims = 0;
        if (ndims == 1 && dice_.chance(30)) {
            c_.root.push_back(dice_.range(0, max));
            return;
        }
        if (ndims > 0 && ndims <= 3 && dice_.chance(30)) {
            // Two cyclic cuts of one long dimension produce patterns that short dimensions do not have.
            for (int64_t d = 0; d < ndims; ++d)
                c_.root.push_back(dice_.range(1, 3));
            long_dim_ = static_cast<size_t>(dice_.range(0, ndims - 1));
            c_.root[*long_dim_] = 1;
            c_.root[*long_dim_] = dice_.range(1, max / model::count_elements(c_.root));
            return;
        }
        int64_t elements = 1;
        for (int64_t d = 0; d < ndims; ++d) {
            int64_t n = dice_.range(1, std::clamp<int64_t>(max / elements, 1, 12));
            if (dice_.chance(2))
                n = 0;
            c_.root.push_back(n);
            elements *= std::max<int64_t>(n, 1);
        }
        std::vector<int64_t> order(c_.root.begin(), c_.root.end()); // so that small sizes are not always last
        dice_.shuffle(order);
        c_.root = Dims(order.begin(), order.end());
    }

    void make_box(SideSpec &side) {
        side.offset = Dims(c_.root.size(), 0);
        side.sizes = c_.root;
        if (!dice_.chance(20))
            return;
        for (size_t d = 0; d < c_.root.size(); ++d) {
            if (dice_.chance(30))
                continue;
            side.offset[d] = dice_.range(0, c_.root[d]);
            side.sizes[d] = dice_.range(0, c_.root[d] - side.offset[d]);
            if (side.sizes[d] == 0 && dice_.chance(90))
                side.offset[d] = 0, side.sizes[d] = c_.root[d];
        }
    }

    model::CutRule make_rule(int64_t size, int64_t parts, bool whole) {
        model::CutRule rule{.nparts = parts, .sizes = {}};
        rule.kind = dice_.one_of({model::CutKind::block, model::CutKind::block, model::CutKind::block_cyclic,
                                  model::CutKind::sizes, model::CutKind::weights, model::CutKind::indices});
        if (parts == 1 && dice_.chance(50))
            rule.kind = model::CutKind::whole;
        if (rule.kind == model::CutKind::block)
            rule.remainder = dice_.one_of({model::Remainder::balanced, model::Remainder::balanced_last,
                                           model::Remainder::ceil, model::Remainder::proportional});
        if (rule.kind == model::CutKind::block_cyclic)
            rule.block = dice_.range(1, dice_.chance(60) ? 3 : size + 2), rule.phase = rule.block % parts;
        if (rule.kind == model::CutKind::sizes) {
            std::vector<int64_t> ends{size};
            for (int64_t c = 1; c < parts; ++c)
                ends.push_back(dice_.range(0, size));
            std::sort(ends.begin(), ends.end());
            for (size_t c = 0; c < ends.size(); ++c)
                rule.sizes.push_back(ends[c] - (c > 0 ? ends[c - 1] : 0));
        } else if (rule.kind == model::CutKind::weights) {
            for (int64_t c = 0; c < parts; ++c)
                rule.weights.push_back(static_cast<double>(dice_.range(0, 9)) / dice_.one_of({1.0, 1.0, 4.0}));
            rule.weights[static_cast<size_t>(dice_.range(0, parts - 1))] += 1;
        } else if (rule.kind == model::CutKind::indices) {
            rule.lists = random_lists(dice_, size, parts, whole);
        } else if (parts > 1 && dice_.chance(15)) {
            rule.nparts = rule.phase = 0; // the library may choose fewer parts than the phase needs
        }
        if (dice_.chance(20))
            constrain(rule, size, parts);
        return rule;
    }

    void constrain(model::CutRule &rule, int64_t size, int64_t parts) {
        model::CutRule tight = rule;
        const int64_t share = size / parts + 1;
        if (dice_.chance(50))
            tight.min = dice_.range(1, share + 2);
        if (dice_.chance(50))
            tight.max = dice_.range(std::max<int64_t>(tight.min, 1), 2 * share + 2);
        if (dice_.chance(50))
            tight.multiple = dice_.range(1, 4);
        if (can_be_cut(tight, size, parts))
            rule = tight;
    }

    // whole: the parts must tile the side's object.
    void cut(SideSpec &side, bool whole) {
        if (!side.sizes.empty() && dice_.chance(15))
            cut_boxes(side, whole);
        else
            cut_grid(side, whole);
        for (int left : {2, 1, 0}) // keeps parts small
            if (held(side) > 6000)
                narrow(side, left);
    }

    void cut_boxes(SideSpec &side, bool whole) {
        model::CutRule exact;
        exact.kind = model::CutKind::exact;
        side.rules.assign(side.sizes.size(), exact);
        for (model::CutRule &rule : side.rules) {
            rule.overlap = random_overlap(dice_, 1);
            rule.overlap.left = rule.overlap.right = 0;
        }
        const int64_t parts = dice_.range(1, world_);
        side.boxes = random_boxes(dice_, side.sizes, parts, whole);
        side.ranks.resize(static_cast<size_t>(parts));
    }

    // An upper bound for the elements of the largest part.
    static int64_t held(const SideSpec &side) {
        int64_t max = 1;
        for (size_t d = 0; d < side.sizes.size(); ++d) {
            const model::CutRule &rule = side.rules[d];
            int64_t blocks = rule.kind == model::CutKind::block_cyclic ? side.sizes[d] / rule.block + 1 : 1,
                    owned = side.sizes[d];
            for (const model::IndexList &list : rule.lists)
                blocks = owned = std::max(owned, model::length(list));
            int64_t overlap = blocks * (rule.overlap.left + rule.overlap.right);
            for (const model::Box &box : side.boxes)
                overlap = std::max(overlap, box[d].left + box[d].right);
            max = std::min<int64_t>(max * std::max<int64_t>(owned + overlap, 1), 1000000);
        }
        return max;
    }

    static void narrow(SideSpec &side, int64_t width) {
        const auto limit = [&](int64_t &w) { w = std::min(w, width); };
        for (model::CutRule &rule : side.rules)
            limit(rule.overlap.left), limit(rule.overlap.right);
        for (model::Box &box : side.boxes)
            for (model::BoxSide &s : box)
                limit(s.left), limit(s.right);
    }

    void cut_grid(SideSpec &side, bool whole) {
        const size_t ndims = side.sizes.size();
        side.rules.assign(ndims, model::CutRule{});
        std::vector<size_t> dims(ndims);
        std::iota(dims.begin(), dims.end(), size_t{0});
        dice_.shuffle(dims);
        int64_t left = world_;
        if (long_dim_ && dice_.chance(80)) {
            const int64_t parts = dice_.range(1, left);
            left /= parts;
            model::CutRule &rule = side.rules[*long_dim_];
            rule.kind = model::CutKind::block_cyclic;
            rule.nparts = parts;
            rule.block = dice_.range(1, dice_.one_of<int64_t>({1, 3, 6, 30}));
        }
        for (size_t d : dims) {
            if (dice_.chance(30) || side.rules[d].kind != model::CutKind::whole)
                continue;
            const int64_t parts = dice_.range(std::min<int64_t>(left, dice_.chance(80) ? 2 : 1), left);
            left /= parts;
            side.rules[d] = make_rule(side.sizes[d], parts, whole);
        }
        if (dice_.chance(whole ? 15 : 45))
            for (size_t d : dims)
                if (dice_.chance(ndims > 3 ? 25 : 60))
                    side.rules[d].overlap = random_overlap(dice_, side.sizes[d]);
        int64_t fixed = 1;
        for (const model::CutRule &rule : side.rules)
            fixed *= std::max<int64_t>(rule.nparts, 1);
        const int64_t times = world_ / fixed;
        side.ranks.resize(static_cast<size_t>(fixed * dice_.range(dice_.chance(70) ? times : 1, times)));
        const auto chosen = [](const model::CutRule &r) {
            return r.nparts == 0 && r.kind != model::CutKind::whole;
        };
        // Without this, processes that no dimension uses become replicas.
        if (std::none_of(side.rules.begin(), side.rules.end(), chosen) && dice_.chance(70))
            side.ranks.resize(static_cast<size_t>(fixed));
        if (!legal_grids(side).empty())
            return;
        for (model::CutRule &rule : side.rules)
            rule.min = rule.max = rule.multiple = 0;
    }

    void name_ranks() {
        std::vector<int> source(static_cast<size_t>(world_));
        std::iota(source.begin(), source.end(), 0);
        if (dice_.chance(40))
            dice_.shuffle(source);
        std::copy_n(source.begin(), c_.source.ranks.size(), c_.source.ranks.begin());
        name_sink(std::move(source));
    }

    // The sink's ranks: those of the source in the same or another order, or others.
    void name_sink(std::vector<int> sink) {
        const auto kind = dice_.range(1, 100);
        if (kind <= 25)
            dice_.shuffle(sink);
        else if (kind <= 45)
            std::reverse(sink.begin(), sink.end());
        else if (kind <= 60)
            for (int &r : sink)
                r += static_cast<int>(world_); // disjoint
        else if (kind <= 75)
            for (int &r : sink)
                r += static_cast<int>(world_ / 2); // overlapping
        std::copy_n(sink.begin(), c_.sink.ranks.size(), c_.sink.ranks.begin());
    }

    std::vector<int> random_order(size_t ndims) {
        std::vector<int> order(ndims);
        std::iota(order.begin(), order.end(), 0);
        dice_.shuffle(order);
        return order;
    }

    model::Layout make_layout(const Dims &extents, bool complex) {
        const model::Layout layout = make_strides(extents);
        return complex && dice_.chance(50)
                   ? model::with_complex(layout, static_cast<int>(model::ComplexFormat::split))
                   : layout;
    }

    model::Layout make_strides(const Dims &extents) {
        const size_t ndims = extents.size();
        model::Layout layout;
        const auto kind = dice_.range(1, 100);
        if (kind > 40 && kind <= 55)
            layout.kind = model::LayoutKind::col_major;
        if (kind > 55 && kind <= 85 && ndims > 0)
            layout = model::make_packed(random_order(ndims));
        if (kind > 85 && ndims > 0) {
            std::vector<int64_t> strides(ndims);
            int64_t step = dice_.range(1, dice_.chance(50) ? 1 : 3);
            for (int d : random_order(ndims)) {
                strides[static_cast<size_t>(d)] = step;
                step = step * std::max<int64_t>(extents[static_cast<size_t>(d)], 1) + dice_.range(0, 1);
            }
            return model::make_strided(strides);
        }
        if (dice_.chance(20))
            return model::with_pitch(layout, dice_.range(1, 9));
        if (dice_.chance(3))
            return model::with_pitch(layout, model::pitch_auto);
        return layout;
    }

    void lay_out(SideSpec &side) {
        // Strides made for the largest extents suit every part. Strides for a part's own extents are tighter.
        const bool complex = c_.type_of(side).complex;
        Dims largest = side.sizes;
        try {
            side.layouts.assign(1, model::Layout{});
            const planner::Side known = make_side(c_, side);
            for (int p = 0; p < known.dist->group().size(); ++p)
                for (size_t d = 0; d < largest.size(); ++d)
                    largest[d] = std::max(largest[d], known.dist->extents(p)[d]);
            side.layouts.assign(1, make_layout(largest, complex));
            if (!dice_.chance(30))
                return;
            side.layouts.clear();
            for (int p = 0; p < known.dist->group().size(); ++p)
                side.layouts.push_back(make_layout(known.dist->extents(p), complex));
        } catch (const Error &) {
            side.layouts.assign(1, model::Layout{}); // the run of the case reports the refusal
        }
    }

    Dice dice_;
    int size_;
    int64_t world_ = 1; // maximum number of processes of a side
    std::optional<size_t> long_dim_;
    TransferCase c_;
};

} // namespace

TransferCase make_case(uint64_t seed, int size) { return CaseMaker(seed, size).make(); }

std::vector<TransferCase> make_cases_of_one_source(uint64_t seed, int size, int sinks) {
    return CaseMaker(seed, size).make_sinks(sinks);
}

} // namespace dri::test
