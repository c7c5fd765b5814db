#include "support/cut_objects.hpp"

namespace dri_test {

Rule rule_of(const Cut &cut, int64_t c) {
    Rule rule{.kind = cut.kind, .nparts = cut.nparts, .remainder = cut.remainder, .block = cut.block};
    rule.sizes = cut.sizes.empty() ? nullptr : cut.sizes.data();
    rule.weights = cut.weights.empty() ? nullptr : cut.weights.data();
    if (cut.kind == DRI_INDICES) {
        const Numbers &list = cut.lists[static_cast<size_t>(c)];
        rule.indices = list.data();
        rule.nindices = std::ssize(list);
    }
    rule.left = cut.left;
    rule.right = cut.right;
    rule.left_edge = cut.left_edge;
    rule.right_edge = cut.right_edge;
    return rule;
}

Part make_cuts(const std::vector<Cut> &cuts) {
    std::vector<Rule> rules;
    for (const Cut &cut : cuts)
        rules.push_back(rule_of(cut));
    return make_part(rules);
}

Layout make_lay(const Lay &lay, size_t ndims) {
    Layout layout;
    if (lay.split) {
        Lay pairs = lay;
        pairs.split = false;
        expect_success(DRI_layout_with_complex(make_lay(pairs, ndims), DRI_SPLIT, layout.out()),
                       "DRI_layout_with_complex");
        return layout;
    }
    const auto n = static_cast<int>(ndims);
    if (!lay.strides.empty()) {
        expect_success(DRI_layout_create(n, lay.strides.data(), layout.out()), "DRI_layout_create");
        return layout;
    }
    std::vector<int> order = lay.order;
    for (size_t d = order.size(); d < ndims; ++d)
        order.push_back(static_cast<int>(d));
    expect_success(DRI_layout_create_packed(n, order.data(), layout.out()), "DRI_layout_create_packed");
    if (lay.pitch == 0)
        return layout;
    Layout pitched;
    expect_success(DRI_layout_with_pitch(layout, lay.pitch, pitched.out()), "DRI_layout_with_pitch");
    return pitched;
}

} // namespace dri_test
