// How the processes of a transfer in place agree on a way to plan it. The decision is a pure function of costs
// that all processes share (InPlaceCost), so all come to the same one.
#include "commit/in_place_way.hpp"

#include "commit/in_place.hpp"
#include "commit/memory_estimate.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// The cost of one way for this process alone. With limits on both endpoints the process keeps to those, whatever
// its part is; it then does not count for max_workspace, which is compared with the mark.
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

// Whether all endpoints can keep to their limits in this way.
bool allowed(const InPlaceCost &way) { return way.lack == 0; }

} // namespace

bool is_in_doubt(const InPlaceCost &as_it_lies) {
    return as_it_lies.asked || !allowed(as_it_lies) || as_it_lies.max_workspace > as_it_lies.mark;
}

InPlaceWay way_to_go(const InPlaceCost &as_it_lies, const InPlaceCost &arranged) {
    if (!allowed(as_it_lies) || !allowed(arranged))
        return arranged.lack < as_it_lies.lack ? InPlaceWay::arranged : InPlaceWay::as_it_lies;
    if (as_it_lies.max_workspace <= as_it_lies.mark)
        return InPlaceWay::as_it_lies;
    return arranged.max_workspace <= as_it_lies.mark || arranged.max_workspace < as_it_lies.max_workspace / 4 * 3
               ? InPlaceWay::arranged
               : InPlaceWay::as_it_lies;
}

InPlaceWay way_of_min_workspace(const InPlaceCost &as_it_lies, const InPlaceCost &arranged) {
    if (!allowed(as_it_lies) || !allowed(arranged))
        return way_to_go(as_it_lies, arranged);
    return arranged.min_workspace < as_it_lies.min_workspace ? InPlaceWay::arranged : InPlaceWay::as_it_lies;
}

// Planning the second way costs time, so it is planned only for transfers in doubt. Each process decides from the
// shared costs whether that step takes place, so all take part in the same steps, those that failed included.
void choose_ways(const Party &party, std::span<DraftTransfer> drafts, std::span<const std::string> asked,
                 SharedPlans &plans, transport::Outcome &outcome) {
    const auto for_each = [&](const auto &step) {
        const auto steps = [&] {
            for (DraftTransfer &draft : drafts)
                if (in_place(draft) && !draft.flows.empty())
                    step(draft, draft.matched->name);
        };
        if (outcome.code == DRI_SUCCESS)
            outcome = outcome_of(steps, party.transport.rank());
    };
    const auto add_up = [&](InPlaceWay way, const auto &is_wanted) {
        InPlaceCosts mine;
        for_each([&](const DraftTransfer &draft, const std::string &name) {
            const bool is_asked = std::find(asked.begin(), asked.end(), name) != asked.end();
            if (is_wanted(name))
                mine[name] = cost_of(draft, way, is_asked, plans);
        });
        return reduce_costs(party, mine);
    };
    const InPlaceCosts plain_costs = add_up(InPlaceWay::as_it_lies, [](const std::string &) { return true; });
    InPlaceCosts arranged_costs; // of the transfers in doubt
    if (std::any_of(plain_costs.begin(), plain_costs.end(),
                    [](const auto &way) { return is_in_doubt(way.second); }))
        arranged_costs = add_up(InPlaceWay::arranged,
                                [&](const std::string &name) { return is_in_doubt(plain_costs.at(name)); });
    for_each([&](DraftTransfer &draft, const std::string &name) {
        const auto other = arranged_costs.find(name);
        if (other != arranged_costs.end()) {
            choose_plans(draft, {.way = way_to_go(plain_costs.at(name), other->second)}, plans);
            draft.smallest = {.way = way_of_min_workspace(plain_costs.at(name), other->second)};
        }
        if (fit_in_place(draft))
            return;
        const DraftTransfer smallest = with_min_staging(draft, draft.choice, plans);
        fail_beyond_limit(smallest, smallest, {});
    });
}

} // namespace dri::commit
