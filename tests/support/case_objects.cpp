#include "case_objects.hpp"
#include "support/message_bytes.hpp"

namespace dri::test {

namespace {

using namespace dri;

DRI_Type type_of(const model::ElementType &type, Type &record) {
    switch (type.scalar) {
    case Scalar::none:
        expect_success(
            DRI_type_create(static_cast<size_t>(type.size), static_cast<size_t>(type.alignment), record.out()),
            "DRI_type_create");
        return record;
    case Scalar::int8: return type.complex ? DRI_COMPLEX_INT8 : DRI_INT8;
    case Scalar::int16: return type.complex ? DRI_COMPLEX_INT16 : DRI_INT16;
    case Scalar::int32: return DRI_INT32;
    case Scalar::int64: return DRI_INT64;
    case Scalar::uint8: return DRI_UINT8;
    case Scalar::uint16: return DRI_UINT16;
    case Scalar::uint32: return DRI_UINT32;
    case Scalar::uint64: return DRI_UINT64;
    case Scalar::float32: return type.complex ? DRI_COMPLEX_FLOAT : DRI_FLOAT;
    case Scalar::float64: return type.complex ? DRI_COMPLEX_DOUBLE : DRI_DOUBLE;
    }
    return {};
}

DRI_Part_kind kind_of(model::CutKind kind) {
    switch (kind) {
    case model::CutKind::whole: return DRI_WHOLE;
    case model::CutKind::block: return DRI_BLOCK;
    case model::CutKind::block_cyclic: return DRI_BLOCK_CYCLIC;
    case model::CutKind::sizes: return DRI_SIZES;
    case model::CutKind::weights: return DRI_WEIGHTS;
    default: return DRI_INDICES;
    }
}

DRI_Remainder remainder_of(model::Remainder remainder) {
    switch (remainder) {
    case model::Remainder::balanced: return DRI_BALANCED;
    case model::Remainder::balanced_last: return DRI_BALANCED_LAST;
    case model::Remainder::ceil: return DRI_CEIL;
    default: return DRI_PROPORTIONAL;
    }
}

DRI_Edge edge_of(model::Edge edge) {
    switch (edge) {
    case model::Edge::truncate: return DRI_TRUNCATE;
    case model::Edge::wrap: return DRI_WRAP;
    case model::Edge::pad_zero: return DRI_PAD_ZERO;
    default: return DRI_PAD_REPLICATE;
    }
}

Part exact_part(const SideSpec &spec, int position) {
    std::vector<DRI_Part_tuple> tuples;
    std::vector<DRI_Edge> left, right;
    const model::Box &box = spec.boxes[static_cast<size_t>(position)];
    for (size_t d = 0; d < box.size(); ++d) {
        tuples.push_back({box[d].left, box[d].lo, box[d].hi, box[d].right});
        left.push_back(edge_of(spec.rules[d].overlap.left_edge));
        right.push_back(edge_of(spec.rules[d].overlap.right_edge));
    }
    return with_edges(make_exact(tuples), left, right);
}

Part ruled_part(const SideSpec &spec, const model::Distribution &dist, int position) {
    const Dims coords = dist.coords_of_part(dist.part_of_position(position));
    std::vector<std::vector<int64_t>> indices(spec.rules.size());
    std::vector<std::vector<DRI_Run>> runs(spec.rules.size());
    std::vector<Rule> rules;
    for (size_t d = 0; d < spec.rules.size(); ++d) {
        const model::CutRule &from = spec.rules[d];
        Rule rule;
        rule.kind = kind_of(from.kind);
        rule.nparts = static_cast<int>(from.nparts);
        rule.remainder = remainder_of(from.remainder);
        rule.block = from.block, rule.phase = from.phase;
        rule.sizes = from.sizes.empty() ? nullptr : from.sizes.data();
        rule.weights = from.weights.empty() ? nullptr : from.weights.data();
        if (from.kind == model::CutKind::indices) {
            for (const model::Runs &r : from.lists[static_cast<size_t>(coords[d])]) {
                runs[d].push_back({r.global, r.size, r.count, r.global_step});
                for (int64_t k = 0; k < r.count; ++k)
                    for (int64_t i = 0; i < r.size; ++i)
                        indices[d].push_back(r.global + k * r.global_step + i);
            }
            if (position % 2 == 1) { // processes may write their lists differently
                rule.kind = DRI_RUNS;
                rule.runs = runs[d].data();
                rule.nruns = std::ssize(runs[d]);
            } else {
                rule.indices = indices[d].data();
                rule.nindices = std::ssize(indices[d]);
            }
        }
        rule.min = from.min, rule.max = from.max, rule.multiple = from.multiple;
        rule.left = from.overlap.left, rule.right = from.overlap.right;
        rule.left_edge = edge_of(from.overlap.left_edge), rule.right_edge = edge_of(from.overlap.right_edge);
        rules.push_back(rule);
    }
    return make_part(rules);
}

} // namespace

DRI_Layout make_layout(const dri::model::Layout &from, CaseEndpoint &endpoint) {
    DRI_Layout layout = from.kind == model::LayoutKind::col_major ? DRI_COL_MAJOR : DRI_ROW_MAJOR;
    const auto next = [&](auto make, const char *call) {
        Layout made;
        expect_success(make(made.out()), call);
        layout = made;
        endpoint.layouts.push_back(std::move(made));
    };
    const std::vector<int> order(from.order.begin(), from.order.end());
    if (from.kind == model::LayoutKind::packed)
        next(
            [&](DRI_Layout *out) {
                return DRI_layout_create_packed(static_cast<int>(order.size()), order.data(), out);
            },
            "DRI_layout_create_packed");
    if (from.kind == model::LayoutKind::strided)
        next(
            [&](DRI_Layout *out) {
                return DRI_layout_create(static_cast<int>(from.strides.size()), from.strides.data(), out);
            },
            "DRI_layout_create");
    if (from.pitch != 0)
        next([&](DRI_Layout *out) { return DRI_layout_with_pitch(layout, from.pitch, out); },
             "DRI_layout_with_pitch");
    if (from.format == model::ComplexFormat::split)
        next([&](DRI_Layout *out) { return DRI_layout_with_complex(layout, DRI_SPLIT, out); },
             "DRI_layout_with_complex");
    return layout;
}

CaseEndpoint make_case_endpoint(const TransferCase &c, const SideSpec &spec, const planner::Side &side,
                                int position) {
    CaseEndpoint endpoint;
    endpoint.root = make_gdo({c.root.begin(), c.root.end()}, type_of(c.type_of(spec), endpoint.type));
    Gdo object;
    expect_success(DRI_gdo_subset(endpoint.root, spec.offset.data(), spec.sizes.data(), object.out()),
                   "DRI_gdo_subset");
    const Part part = spec.boxes.empty() ? ruled_part(spec, *side.dist, position) : exact_part(spec, position);
    endpoint.dist = make_dist(object, part, make_group(spec.ranks));
    return endpoint;
}

void declare_case_endpoint(CaseEndpoint &endpoint, const std::string &name, DRI_Role role, const TransferCase &c,
                           const SideSpec &spec, const planner::Side &side, int position, void *const *buffers) {
    const DRI_Layout layout = make_layout(side.layout(position), endpoint);
    expect_success(
        DRI_xfer_create(name.c_str(), role, endpoint.dist, layout, spec.buffers, buffers, endpoint.xfer.out()),
        "DRI_xfer_create");
    set_attributes(endpoint.xfer, role, c);
}

void set_attributes(DRI_Xfer xfer, DRI_Role role, const TransferCase &c) {
    const auto set = [&](DRI_Attr attribute, int64_t value) {
        expect_success(DRI_xfer_set_attr(xfer, attribute, value), "DRI_xfer_set_attr");
    };
    if (c.message_bytes != TransferCase{}.message_bytes)
        set_message_bytes(xfer, c.message_bytes);
    set(DRI_ATTR_WAYS, DRI_WAY_MESSAGE | (c.self_way ? DRI_WAY_SELF : 0) | (c.direct_way ? DRI_WAY_DIRECT : 0));
    if (role == DRI_SINK && c.sink.type)
        set(DRI_ATTR_CONVERT, 1);
    if (role == DRI_SINK && c.sink.scale != 1)
        expect_success(DRI_xfer_set_scale(xfer, c.sink.scale), "DRI_xfer_set_scale");
}

} // namespace dri::test
