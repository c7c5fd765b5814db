// Derived properties of a case: its processes, their nodes, and its sides.
#include "random_case.hpp"

#include "oracle.hpp"

#include <algorithm>

namespace dri::test {

int TransferCase::world() const {
    int max = 0;
    for (const SideSpec *side : {&source, &sink})
        for (int r : side->ranks)
            max = std::max(max, r);
    return max + 1;
}

int TransferCase::node(int rank) const {
    return static_cast<size_t>(rank) < nodes.size() ? nodes[static_cast<size_t>(rank)] : rank;
}

planner::NodeMap TransferCase::node_map() const {
    std::vector<int> of_rank;
    for (int rank = 0; rank < world(); ++rank)
        of_rank.push_back(node(rank));
    return planner::NodeMap(of_rank);
}

planner::Side make_side(const TransferCase &c, const SideSpec &spec) {
    const auto values = [](const Dims &d) { return std::span<const int64_t>(d.begin(), d.size()); };
    const model::Gdo gdo = model::make_subset(model::make_gdo(c.type_of(spec), values(c.root)),
                                              values(spec.offset), values(spec.sizes));
    for (size_t d = 0; d < spec.rules.size(); ++d)
        model::check_rule(spec.rules[d], d);
    planner::Side side;
    const model::Group group = model::make_group(spec.ranks, c.world());
    side.dist = std::make_shared<model::Distribution>(
        spec.boxes.empty() ? model::Distribution(gdo, spec.rules, group)
                           : model::Distribution(gdo, spec.rules, group, spec.boxes));
    side.layouts = spec.layouts;
    side.scale = spec.scale;
    return side;
}

bool is_legal(const TransferCase &c) {
    if (!model::has_conversion(c.type, c.type_of(c.sink)))
        return false;
    if (c.sink.scale != 1 && model::is_record(c.type))
        return false;
    try {
        for (const SideSpec *spec : {&c.source, &c.sink}) {
            const bool right_number =
                spec->boxes.empty() ? !legal_grids(*spec).empty() : spec->boxes.size() == spec->ranks.size();
            if (spec->ranks.empty() || spec->rules.size() != c.root.size() || !right_number)
                return false;
            const planner::Side side = make_side(c, *spec);
            if (side.layouts.size() != 1 && side.layouts.size() != spec->ranks.size())
                return false;
            for (int p = 0; p < side.dist->group().size(); ++p)
                planner::buffer_bytes(side, p);
            if (spec == &c.source && !tiles_plainly(SideOracle(c, *spec, side), *spec))
                return false;
        }
    } catch (const std::exception &) {
        return false;
    }
    return true;
}

} // namespace dri::test
