#include "commit/in_place_way.hpp"

#include "commit/in_place.hpp"
#include "commit/needs.hpp"

#include <algorithm>

namespace dri {

namespace {

// Of this process alone.
WayTakes takes_of(const DraftTransfer &draft, InPlaceWay way, bool is_asked, SharedPlans &plans) {
    DraftTransfer planned = with_plans(draft, {.way = way}, plans);
    const DraftTransfer::Flow &flow = planned.flows.front();
    WayTakes takes;
    takes.mark = larger_part_bytes(planned) / draft.matched->source.dist->group().size();
    takes.asked = is_asked;
    give_least_room_in_place(planned);
    bool all_limited = true;
    const auto add_end = [&](const Endpoint &end, int64_t least) {
        const int64_t limit = limit_of(end);
        add(takes, {.least = least, .lack = std::max<int64_t>(least - limit, 0)});
        all_limited = all_limited && limit != no_limit;
    };
    add_end(*planned.source_end, source_needs(planned).workspace());
    add_end(*flow.end, sink_needs(planned, flow, {}).workspace());
    if (!all_limited) {
        fit_in_place(planned);
        takes.most = workspace_in_place(planned);
    }
    return takes;
}

bool allowed(const WayTakes &way) { return way.lack == 0; }

} // namespace

bool is_in_doubt(const WayTakes &lies) { return lies.asked || !allowed(lies) || lies.most > lies.mark; }

InPlaceWay way_to_go(const WayTakes &lies, const WayTakes &arranged) {
    if (!allowed(lies) || !allowed(arranged))
        return arranged.lack < lies.lack ? InPlaceWay::arranged : InPlaceWay::as_it_lies;
    if (lies.most <= lies.mark)
        return InPlaceWay::as_it_lies;
    return arranged.most <= lies.mark || arranged.most < lies.most / 4 * 3 ? InPlaceWay::arranged
                                                                           : InPlaceWay::as_it_lies;
}

InPlaceWay way_of_least(const WayTakes &lies, const WayTakes &arranged) {
    if (!allowed(lies) || !allowed(arranged))
        return way_to_go(lies, arranged);
    return arranged.least < lies.least ? InPlaceWay::arranged : InPlaceWay::as_it_lies;
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
        Takes mine;
        for_each([&](const DraftTransfer &draft, const std::string &name) {
            const bool is_asked = std::find(asked.begin(), asked.end(), name) != asked.end();
            if (is_wanted(name))
                mine[name] = takes_of(draft, way, is_asked, plans);
        });
        return add_takes(transport, scope, tag, mine, Clock::now() + patience);
    };
    const Takes lie = add_up(InPlaceWay::as_it_lies, [](const std::string &) { return true; });
    Takes others; // of those in doubt
    if (std::any_of(lie.begin(), lie.end(), [](const auto &way) { return is_in_doubt(way.second); }))
        others = add_up(InPlaceWay::arranged, [&](const std::string &name) { return is_in_doubt(lie.at(name)); });
    for_each([&](DraftTransfer &draft, const std::string &name) {
        const auto other = others.find(name);
        if (other != others.end()) {
            choose_plans(draft, {.way = way_to_go(lie.at(name), other->second)}, plans);
            draft.least = {.way = way_of_least(lie.at(name), other->second)};
        }
        if (fit_in_place(draft))
            return;
        const DraftTransfer least = with_least_room(draft, draft.choice, plans);
        fail_beyond_limit(least, least, {});
    });
}

} // namespace dri
