// What the ends declared take, known before anything is reserved: to tell it, and to keep it within limits.
#include "commit/protocol.hpp"
#include "commit/session.hpp"
#include "commit/set_up_tags.hpp"

#include <algorithm>

namespace dri {

namespace {

Needs needs_of(const Endpoint &end, std::span<const DraftTransfer> drafts, const ReadSources &sources) {
    for (const DraftTransfer &draft : drafts) {
        if (draft.source_end.get() == &end)
            return source_needs(draft);
        for (const DraftTransfer::Flow &flow : draft.flows)
            if (flow.end.get() == &end)
                return sink_needs(draft, flow, sources);
    }
    fail(DRI_ERR_INTERNAL, "transfer '{}' has no plan", end.declaration().name);
}

// The draft with the shortest messages in the least room.
DraftTransfer least_of(const DraftTransfer &draft, SharedPlans &plans) {
    DraftTransfer least;
    least.matched = draft.matched;
    least.source_end = draft.source_end;
    least.takers = draft.takers;
    least.elsewhere = draft.elsewhere;
    for (const DraftTransfer::Flow &flow : draft.flows)
        least.flows.push_back({flow.sink,
                               plans.get(*draft.matched, flow.sink, most_halvings),
                               flow.end,
                               std::nullopt,
                               nullptr,
                               flow.first_taker,
                               {},
                               flow.headers,
                               flow.drop});
    give_least_room(least);
    return least;
}

[[noreturn]] void fail_beyond_limit(const DraftTransfer &draft, const ReadSources &sources, SharedPlans &plans) {
    const DraftTransfer least = least_of(draft, plans);
    const auto check = [&](const Endpoint &end, const Needs &needs) {
        const Declaration &d = end.declaration();
        if (needs.workspace() > d.attributes.workspace_limit)
            fail(DRI_ERR_LIMIT,
                 "transfer '{}': the {} of process {} has DRI_ATTR_WORKSPACE_LIMIT {}, but the smallest that "
                 "would do is {} bytes: {} for messages, {} for copies of buffers, {} for tiles",
                 d.name, role_name(d.role), least.flows.front().plan->rank, d.attributes.workspace_limit,
                 needs.workspace(), needs.messages, needs.copies, needs.tiles);
    };
    if (least.source_end)
        check(*least.source_end, source_needs(least));
    for (const DraftTransfer::Flow &flow : least.flows)
        if (flow.end)
            check(*flow.end, sink_needs(least, flow, sources));
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
                while (!fit_into_limits(draft, sources)) {
                    if (draft.halvings == most_halvings || draft.matched->options.in_place)
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
        std::vector<DraftTransfer> least;
        for (const DraftTransfer &draft : drafts)
            least.push_back(least_of(draft, plans));
        for (const auto &end : ends)
            answers.push_back({needs_of(*end, drafts, sources), needs_of(*end, least, sources).workspace()});
    });
    share_failure(scope, tag_commit, outcome);
    return answers;
}

} // namespace dri
