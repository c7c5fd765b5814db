#include "commit/in_place_way.hpp"

#include "commit/in_place.hpp"
#include "commit/memory_estimate.hpp"

#include <algorithm>

namespace dri {

namespace {

// Of this process alone.
InPlaceCost cost_of(const DraftTransfer &draft, InPlaceWay way, bool is_asked, SharedPlans &plans) {
    DraftTransfer planned = with_plans(draft, {.way = way}, plans);
    const DraftTransfer::Flow &flow = planned.flows.front();
    InPlaceCost cost;
    cost.mark = larger_part_bytes(planned) / draft.matched->source.dist->group().size();
    cost.asked = is_asked;
    give_min_staging_in_place(planned);
    bool all_limited = true;
    const auto add_endpoint = [&](const Endpoint &endpoint, int64_t min_workspace) {
        const int64_t limit = limit_of(endpoint);
        add(cost, {.min_workspace = min_workspace, .lack = std::max<int64_t>(min_workspace - limit, 0)});
        all_limited = all_limited && limit != no_limit;
    };
    add_endpoint(*planned.source_endpoint, source_estimate(planned).workspace());
    add_endpoint(*flow.endpoint, sink_estimate(planned, flow, {}).workspace());
    if (!all_limited) {
        fit_in_place(planned);
        cost.max_workspace = workspace_in_place(planned);
    }
    return cost;
}

bool allowed(const InPlaceCost &way) { return way.lack == 0; }

} // namespace

bool is_in_doubt(const InPlaceCost &lies) {
    return lies.asked || !allowed(lies) || lies.max_workspace > lies.mark;
}

InPlaceWay way_to_go(const InPlaceCost &lies, const InPlaceCost &arranged) {
    if (!allowed(lies) || !allowed(arranged))
        return arranged.lack < lies.lack ? InPlaceWay::arranged : InPlaceWay::as_it_lies;
    if (lies.max_workspace <= lies.mark)
        return InPlaceWay::as_it_lies;
    return arranged.max_workspace <= lies.mark || arranged.max_workspace < lies.max_workspace / 4 * 3
               ? InPlaceWay::arranged
               : InPlaceWay::as_it_lies;
}

InPlaceWay way_of_min(const InPlaceCost &lies, const InPlaceCost &arranged) {
    if (!allowed(lies) || !allowed(arranged))
        return way_to_go(lies, arranged);
    return arranged.min_workspace < lies.min_workspace ? InPlaceWay::arranged : InPlaceWay::as_it_lies;
}

void choose_ways(Transport &transport, const Group &scope, int tag, std::span<DraftTransfer> drafts,
                 std::span<const std::string> asked, SharedPlans &plans, std::chrono::nanoseconds patience,
                 Outcome &outcome) {
    const auto for_each = [&](const auto &step) {
        const auto steps = [&] {
            for (DraftTransfer &draft : drafts)
                if (in_place(draft) && !draft.flows.empty())
                    step(draft, draft.matched->name);
        };
        if (outcome.code == DRI_SUCCESS)
            outcome = outcome_of(steps, transport.rank());
    };
    const auto add_up = [&](InPlaceWay way, const auto &is_wanted) {
        InPlaceCosts mine;
        for_each([&](const DraftTransfer &draft, const std::string &name) {
            const bool is_asked = std::find(asked.begin(), asked.end(), name) != asked.end();
            if (is_wanted(name))
                mine[name] = cost_of(draft, way, is_asked, plans);
        });
        return reduce_costs(transport, scope, tag, mine, Clock::now() + patience);
    };
    const InPlaceCosts lie = add_up(InPlaceWay::as_it_lies, [](const std::string &) { return true; });
    InPlaceCosts others; // of those in doubt
    if (std::any_of(lie.begin(), lie.end(), [](const auto &way) { return is_in_doubt(way.second); }))
        others = add_up(InPlaceWay::arranged, [&](const std::string &name) { return is_in_doubt(lie.at(name)); });
    for_each([&](DraftTransfer &draft, const std::string &name) {
        const auto other = others.find(name);
        if (other != others.end()) {
            choose_plans(draft, {.way = way_to_go(lie.at(name), other->second)}, plans);
            draft.smallest = {.way = way_of_min(lie.at(name), other->second)};
        }
        if (fit_in_place(draft))
            return;
        const DraftTransfer smallest = with_min_staging(draft, draft.choice, plans);
        fail_beyond_limit(smallest, smallest, {});
    });
}

} // namespace dri
