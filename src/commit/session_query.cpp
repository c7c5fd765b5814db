// What the ends declared take, known before anything is reserved: to tell it, and to keep it within limits.
#include "commit/in_place.hpp"
#include "commit/protocol.hpp"
#include "commit/session.hpp"
#include "commit/set_up_tags.hpp"

#include <algorithm>

namespace dri {

namespace {

const DraftTransfer &draft_of(const Endpoint &end, std::span<const DraftTransfer> drafts) {
    for (const DraftTransfer &draft : drafts) {
        if (draft.source_end.get() == &end)
            return draft;
        for (const DraftTransfer::Flow &flow : draft.flows)
            if (flow.end.get() == &end)
                return draft;
    }
    fail(DRI_ERR_INTERNAL, "transfer '{}' has no plan", end.declaration().name);
}

Needs needs_of(const Endpoint &end, const DraftTransfer &draft, const ReadSources &sources) {
    for (const DraftTransfer::Flow &flow : draft.flows)
        if (flow.end.get() == &end)
            return sink_needs(draft, flow, sources);
    return source_needs(draft);
}

DraftTransfer with_least_room(const DraftTransfer &draft, int halvings, SharedPlans &plans) {
    DraftTransfer least = with_plans(draft, halvings, plans);
    give_least_room(least);
    return least;
}

// The ways to take little: the draft with the shortest messages in the least room; in place, each of two.
std::vector<DraftTransfer> least_of(const DraftTransfer &draft, SharedPlans &plans) {
    std::vector<DraftTransfer> least;
    for (const int halvings :
         in_place(draft) ? std::vector<int>{as_it_lies, arranged} : std::vector{most_halvings})
        least.push_back(with_least_room(draft, halvings, plans));
    return least;
}

bool others_fit(const Endpoint &end, const DraftTransfer &way, const ReadSources &sources) {
    const auto fits = [&](const Endpoint &other) {
        return &other == &end ||
               needs_of(other, way, sources).workspace() <= other.declaration().attributes.workspace_limit;
    };
    return (!way.source_end || fits(*way.source_end)) &&
           std::all_of(way.flows.begin(), way.flows.end(),
                       [&](const DraftTransfer::Flow &flow) { return !flow.end || fits(*flow.end); });
}

// Of an end whose draft has these ways, which the other ends may have to go as well.
Needs least_needs(const Endpoint &end, std::span<const DraftTransfer> ways, const ReadSources &sources) {
    std::pair best(false, INT64_MAX);
    Needs least;
    for (const DraftTransfer &way : ways) {
        const Needs needs = needs_of(end, way, sources);
        const std::pair rank(ways.size() > 1 && !others_fit(end, way, sources), needs.workspace());
        if (&way == &ways.front() || rank < best) {
            best = rank;
            least = needs;
        }
    }
    return least;
}

// Names the end that lacks least: in place, a limit of either may be what rules a way out.
[[noreturn]] void fail_beyond_limit(const DraftTransfer &draft, const ReadSources &sources, SharedPlans &plans) {
    std::vector<const Endpoint *> ends;
    if (draft.source_end)
        ends.push_back(draft.source_end.get());
    for (const DraftTransfer::Flow &flow : draft.flows)
        if (flow.end)
            ends.push_back(flow.end.get());
    const auto check = [&](std::span<const DraftTransfer> ways) {
        const Endpoint *lacking = nullptr;
        Needs its;
        int64_t lack = INT64_MAX;
        for (const Endpoint *end : ends) {
            const Needs needs = least_needs(*end, ways, sources);
            const int64_t lacks = needs.workspace() - end->declaration().attributes.workspace_limit;
            if (lacks <= 0 || lacks >= lack)
                continue;
            lacking = end;
            its = needs;
            lack = lacks;
        }
        if (!lacking)
            return;
        const Declaration &d = lacking->declaration();
        fail(DRI_ERR_LIMIT,
             "transfer '{}': the {} of process {} has DRI_ATTR_WORKSPACE_LIMIT {}, but the smallest that "
             "would do is {} bytes: {} for messages, {} for copies of buffers, {} for tiles",
             d.name, role_name(d.role), draft.flows.front().plan->rank, d.attributes.workspace_limit,
             its.workspace(), its.messages, its.copies, its.tiles);
    };
    check(least_of(draft, plans));
    // Each end gets by, but not all of them alike.
    const DraftTransfer last = with_least_room(draft, draft.halvings, plans);
    check(std::span(&last, 1));
    fail(DRI_ERR_INTERNAL, "transfer '{}' does not fit into its limits, but does", draft.matched->name);
}

} // namespace

ReadSources Session::exchange_reading(const Group &scope, std::span<const DraftTransfer> drafts,
                                      Outcome &outcome) {
    std::vector<Parcel> parcels;
    if (outcome.code == DRI_SUCCESS)
        outcome = outcome_of([&] { parcels = tell_readers(drafts); }, rank());
    const auto told = exchange_on_nodes(scope, std::move(parcels), outcome);
    ReadSources sources;
    if (outcome.code == DRI_SUCCESS)
        outcome = outcome_of([&] { sources = hear_sources(told); }, rank());
    return sources;
}

// Each proposes for its names the first length, from what all have agreed on, that its ends get by with, until
// nobody proposes another one.
void Session::shorten_messages(const Group &scope, std::span<DraftTransfer> drafts, SharedPlans &plans,
                               const ReadSources &sources, Outcome &outcome) {
    Halvings agreed;
    while (true) {
        Halvings mine = agreed;
        const auto propose = [&] {
            for (DraftTransfer &draft : drafts) {
                const auto before = agreed.find(draft.matched->name);
                halve_messages(draft, before == agreed.end() ? 0 : before->second, plans);
                while (!fit_into_limits(draft, sources) || prefers_arranged(draft, plans)) {
                    if (draft.halvings == (in_place(draft) ? as_it_lies_at_last : most_halvings))
                        fail_beyond_limit(draft, sources, plans);
                    halve_messages(draft, draft.halvings + 1, plans);
                }
                if (draft.halvings > 0)
                    mine[draft.matched->name] = draft.halvings;
            }
        };
        if (outcome.code == DRI_SUCCESS)
            outcome = outcome_of(propose, rank());
        Halvings all = agree_on_halvings(*transport_, scope, tag_commit, mine, deadline());
        if (all == agreed)
            return;
        agreed = std::move(all);
    }
}

std::vector<Session::Answer> Session::query(const Group &asked,
                                            const std::function<std::vector<std::shared_ptr<Endpoint>>()> &get) {
    if (!asked.position(rank()))
        fail(DRI_ERR_ARG, "process {} is not in the scope {}", rank(), to_text(asked));
    const Group scope = in_rising_order(asked);
    std::vector<std::shared_ptr<Endpoint>> ends;
    const auto get_ends = [&] {
        ends = get();
        for (const auto &end : ends)
            if (end->committed())
                fail(DRI_ERR_STATE, "transfer '{}' is committed: its info tells what it takes",
                     end->declaration().name);
    };
    Outcome outcome = outcome_of(get_ends, rank());
    const auto mine = declared();
    const Committer committer{*transport_, scope, mine, distributions(), nodes_, set_up_time_};
    const int64_t first_tag = counters_.tag;
    const Matching matching = match_scope(committer, counters_);
    counters_.tag = first_tag; // no exchange is made
    if (outcome.code == DRI_SUCCESS)
        outcome = matching.outcome;
    const auto step = [&](const auto &steps) {
        if (outcome.code == DRI_SUCCESS)
            outcome = outcome_of(steps, rank());
    };
    SharedPlans plans(rank());
    std::vector<DraftTransfer> drafts;
    step([&] {
        for (const MatchedTransfer &m : matching.transfers)
            drafts.push_back(draft_transfer(m, mine, plans, readable_));
    });
    const ReadSources sources = exchange_reading(scope, drafts, outcome);
    if (matching.limited)
        shorten_messages(scope, drafts, plans, sources, outcome);
    std::vector<Answer> answers;
    step([&] {
        for (const auto &end : ends) {
            const DraftTransfer &draft = draft_of(*end, drafts);
            answers.push_back(
                {needs_of(*end, draft, sources), least_needs(*end, least_of(draft, plans), sources).workspace()});
        }
    });
    share_failure(scope, tag_commit, outcome);
    return answers;
}

} // namespace dri
