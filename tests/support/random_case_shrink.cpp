#include "oracle.hpp"

#include <algorithm>

namespace dri::test {

namespace {

template <class T> void erase_at(T &values, size_t at) {
    T kept;
    for (size_t i = 0; i < values.size(); ++i)
        if (i != at)
            kept.push_back(values[i]);
    values = kept;
}

// Collects simpler cases. Illegal ones are dropped.
class Shrinker {
public:
    explicit Shrinker(const TransferCase &c) : c_(c) {}

    std::vector<TransferCase> all() {
        for (size_t d = 0; d < c_.root.size(); ++d)
            drop_dimension(d);
        for (SideSpec TransferCase::*side : {&TransferCase::source, &TransferCase::sink}) {
            drop_box(side);
            drop_layouts(side);
            drop_processes(side);
            for (size_t d = 0; d < c_.root.size(); ++d) {
                simplify_rule(side, d);
                simplify_box(side, d);
            }
        }
        for (size_t d = 0; d < c_.root.size(); ++d)
            for (int64_t n : {c_.root[d] / 2, c_.root[d] - 1})
                resize(d, n);
        simplify_options();
        return std::move(out_);
    }

private:
    template <class F> void attempt(F change) {
        TransferCase c = c_;
        change(c);
        if (to_line(c) != to_line(c_) && is_legal(c))
            out_.push_back(std::move(c));
    }

    // Sets as many processes as the fixed parts need. The number of replicas is kept if possible.
    static void fit_ranks(SideSpec &side, size_t at_most) {
        if (!side.boxes.empty()) {
            side.ranks.resize(std::min(at_most, side.ranks.size()));
            side.boxes.resize(side.ranks.size());
            if (side.layouts.size() > 1)
                side.layouts.resize(side.ranks.size());
            return;
        }
        size_t parts = 1;
        for (const model::CutRule &r : side.rules)
            parts *= static_cast<size_t>(r.fixed_parts());
        const size_t n = std::max(std::min(at_most, side.ranks.size()) / parts * parts, parts);
        if (n > side.ranks.size())
            return;
        side.ranks.resize(n);
        if (side.layouts.size() > n && side.layouts.size() > 1)
            side.layouts.resize(n);
    }

    static void drop_from_layout(model::Layout &layout, size_t d) {
        if (layout.kind == model::LayoutKind::strided)
            erase_at(layout.strides, d);
        if (layout.kind != model::LayoutKind::packed)
            return;
        std::vector<int> order;
        for (int64_t v : layout.order)
            if (v != static_cast<int64_t>(d))
                order.push_back(static_cast<int>(v - (v > static_cast<int64_t>(d))));
        model::Layout fewer = model::make_packed(order);
        fewer.pitch = layout.pitch;
        fewer.format = layout.format;
        layout = fewer;
    }

    void drop_dimension(size_t d) {
        attempt([d](TransferCase &c) {
            erase_at(c.root, d);
            for (SideSpec *side : {&c.source, &c.sink}) {
                erase_at(side->offset, d);
                erase_at(side->sizes, d);
                side->rules.erase(side->rules.begin() + static_cast<std::ptrdiff_t>(d));
                for (model::Box &box : side->boxes)
                    erase_at(box, d);
                if (c.root.empty())
                    side->boxes.clear();
                for (model::Layout &layout : side->layouts)
                    drop_from_layout(layout, d);
                fit_ranks(*side, side->ranks.size());
            }
        });
    }

    void drop_box(SideSpec TransferCase::*side) {
        attempt([side](TransferCase &c) {
            (c.*side).offset = Dims(c.root.size(), 0);
            (c.*side).sizes = c.root;
        });
    }

    void drop_layouts(SideSpec TransferCase::*side) {
        attempt([side](TransferCase &c) { (c.*side).layouts.assign(1, model::Layout{}); });
        for (const model::Layout &layout : (c_.*side).layouts)
            attempt([side, &layout](TransferCase &c) { (c.*side).layouts.assign(1, layout); });
        if ((c_.*side).layouts.size() > 16)
            return;
        for (size_t p = 0; p < (c_.*side).layouts.size(); ++p)
            attempt([side, p](TransferCase &c) { (c.*side).layouts[p] = model::Layout{}; });
    }

    void drop_processes(SideSpec TransferCase::*side) {
        const size_t n = (c_.*side).ranks.size();
        for (size_t fewer : {size_t{1}, n / 2, n - 1})
            attempt([side, fewer](TransferCase &c) { fit_ranks(c.*side, fewer); });
        attempt([side](TransferCase &c) {
            for (size_t p = 0; p < (c.*side).ranks.size(); ++p)
                (c.*side).ranks[p] = static_cast<int>(p);
        });
    }

    void simplify_rule(SideSpec TransferCase::*side, size_t d) {
        const auto with = [&](const model::CutRule &rule) {
            attempt([&](TransferCase &c) {
                (c.*side).rules[d] = rule;
                fit_ranks(c.*side, (c.*side).ranks.size());
            });
        };
        const model::CutRule old = (c_.*side).rules[d];
        narrow_overlap(side, d);
        if (!(c_.*side).boxes.empty())
            return simplify_boxes(side, d);
        with(model::CutRule{});
        model::CutRule rule = old;
        if (old.kind == model::CutKind::indices)
            shorten_lists(side, d);
        rule.min = rule.max = rule.multiple = 0;
        with(rule);
        for (int64_t model::CutRule::*limit :
             {&model::CutRule::min, &model::CutRule::max, &model::CutRule::multiple}) {
            rule = old;
            rule.*limit = 0;
            with(rule);
        }
        if (old.kind != model::CutKind::whole && old.kind != model::CutKind::block)
            with(model::CutRule{.kind = model::CutKind::block, .nparts = old.nparts, .sizes = {}});
        rule = old;
        rule.remainder = model::Remainder::balanced;
        with(rule);
        rule = old;
        rule.phase = 0;
        with(rule);
        if (old.block > 1) {
            for (int64_t block : {int64_t{1}, old.block / 2, old.block - 1}) {
                rule = old;
                rule.block = block;
                with(rule);
            }
        }
        const bool one_by_one = old.kind == model::CutKind::sizes || old.kind == model::CutKind::weights ||
                                old.kind == model::CutKind::indices;
        if (old.nparts > 1 && !one_by_one) {
            for (int64_t n : {int64_t{1}, old.nparts / 2, old.nparts - 1}) {
                rule = old;
                rule.nparts = n;
                rule.phase = std::min(old.phase, n - 1);
                with(rule);
            }
        }
    }

    void narrow_overlap(SideSpec TransferCase::*side, size_t d) {
        attempt([&](TransferCase &c) { (c.*side).rules[d].overlap = {}; });
        for (int64_t model::Overlap::*width : {&model::Overlap::left, &model::Overlap::right})
            for (int64_t w : {int64_t{0}, (c_.*side).rules[d].overlap.*width / 2,
                              std::max<int64_t>((c_.*side).rules[d].overlap.*width - 1, 0)})
                attempt([&](TransferCase &c) { (c.*side).rules[d].overlap.*width = w; });
        for (model::Edge model::Overlap::*edge : {&model::Overlap::left_edge, &model::Overlap::right_edge})
            attempt([&](TransferCase &c) { (c.*side).rules[d].overlap.*edge = model::Edge::truncate; });
    }

    void simplify_boxes(SideSpec TransferCase::*side, size_t d) {
        for (size_t p = 0; p < (c_.*side).boxes.size(); ++p) {
            attempt([&](TransferCase &c) { (c.*side).boxes[p][d].left = (c.*side).boxes[p][d].right = 0; });
            for (int64_t model::BoxSide::*value :
                 {&model::BoxSide::left, &model::BoxSide::right, &model::BoxSide::lo, &model::BoxSide::hi})
                attempt([&](TransferCase &c) { (c.*side).boxes[p][d].*value /= 2; });
        }
    }

    void shorten_lists(SideSpec TransferCase::*side, size_t d) {
        for (size_t k = 0; k < (c_.*side).rules[d].lists.size(); ++k) {
            const auto indices = listed((c_.*side).rules[d].lists[k]);
            for (size_t n : {size_t{0}, indices.size() / 2, indices.size() - (indices.empty() ? 0 : 1)})
                attempt([&](TransferCase &c) {
                    (c.*side).rules[d].lists[k] = model::compress(std::span(indices).first(n));
                });
        }
    }

    void simplify_box(SideSpec TransferCase::*side, size_t d) {
        attempt([side, d](TransferCase &c) {
            (c.*side).offset[d] = 0;
            (c.*side).sizes[d] = c.root[d];
        });
    }

    // Shrinks the root object along a dimension, and boxes and exact sizes with it.
    void resize(size_t d, int64_t n) {
        if (n < 0)
            return;
        attempt([d, n](TransferCase &c) {
            c.root[d] = n;
            for (SideSpec *side : {&c.source, &c.sink}) {
                side->offset[d] = std::min(side->offset[d], n);
                side->sizes[d] = std::min(side->sizes[d], n - side->offset[d]);
                int64_t left = side->sizes[d];
                for (model::Box &box : side->boxes) {
                    box[d].lo = std::min(box[d].lo, side->sizes[d]);
                    box[d].hi = std::min(box[d].hi, side->sizes[d]);
                }
                for (model::IndexList &list : side->rules[d].lists) {
                    auto indices = listed(list);
                    std::erase_if(indices, [&](int64_t i) { return i >= side->sizes[d]; });
                    list = model::compress(indices);
                }
                for (int64_t &size : side->rules[d].sizes) {
                    size = std::min(size, left);
                    left -= size;
                }
            }
        });
    }

    void simplify_options() {
        attempt([](TransferCase &c) { c.message_bytes = int64_t{1} << 30; });
        attempt([](TransferCase &c) { c.chunk_bytes = planner::PlanOptions{}.chunk_bytes; });
        attempt([](TransferCase &c) { c.self_way = true; });
        attempt([](TransferCase &c) { c.direct_way = false; });
        attempt([](TransferCase &c) { c.nodes.clear(); });
        attempt([](TransferCase &c) { c.gathering = {}; });
        attempt([](TransferCase &c) { c.sink.type = {}, c.sink.scale = 1; });
        attempt([](TransferCase &c) { c.sink.scale = 1; });
        attempt([](TransferCase &c) { c.sink.type = {}; });
        for (SideSpec TransferCase::*side : {&TransferCase::source, &TransferCase::sink})
            attempt([side](TransferCase &c) {
                for (model::Layout &layout : (c.*side).layouts)
                    layout.format = model::ComplexFormat::interleaved;
            });
        attempt([](TransferCase &c) { c.type = model::make_record(1, 1); });
        if (!model::is_record(c_.type))
            return;
        attempt([](TransferCase &c) { c.type.alignment = 1; });
        attempt([](TransferCase &c) { c.type.size = (c.type.size + 1) / 2; });
    }

    const TransferCase &c_;
    std::vector<TransferCase> out_;
};

} // namespace

std::vector<TransferCase> smaller_cases(const TransferCase &c) { return Shrinker(c).all(); }

} // namespace dri::test
