// The memory that declared endpoints need, found before anything is reserved: DRI_xfer_query reports it, and a
// commit keeps it within the workspace limits.
#include "commit/in_place.hpp"
#include "commit/memory_estimate.hpp"
#include "commit/protocol.hpp"
#include "commit/session.hpp"
#include "model/distribution.hpp"
#include "model/group.hpp"
#include "transport/collective.hpp"
#include "transport/sparse_exchange.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

const DraftTransfer &draft_of(const Endpoint &endpoint, std::span<const DraftTransfer> drafts) {
    for (const DraftTransfer &draft : drafts) {
        if (draft.source_endpoint.get() == &endpoint)
            return draft;
        for (const DraftTransfer::Flow &flow : draft.flows)
            if (flow.endpoint.get() == &endpoint)
                return draft;
    }
    fail(DRI_ERR_INTERNAL, "transfer '{}' has no plan", endpoint.declaration().name);
}

MemoryEstimate estimate_of(const Endpoint &endpoint, const DraftTransfer &draft, const ReadSources &sources) {
    for (const DraftTransfer::Flow &flow : draft.flows)
        if (flow.endpoint.get() == &endpoint)
            return sink_estimate(draft, flow, sources);
    return source_estimate(draft);
}

} // namespace

ReadSources Session::exchange_reading(const Party &party, std::span<const DraftTransfer> drafts,
                                      transport::Outcome &outcome) {
    std::vector<transport::Parcel> parcels;
    if (outcome.code == DRI_SUCCESS)
        outcome = outcome_of([&] { parcels = announce_read_mode(drafts); }, rank());
    const auto arrived = exchange_on_nodes(party, std::move(parcels), outcome);
    ReadSources sources;
    if (outcome.code == DRI_SUCCESS)
        outcome = outcome_of([&] { sources = collect_read_mode(arrived); }, rank());
    return sources;
}

// A fixed-point iteration. In each step a process proposes, for each of its names, the longest messages with which
// its endpoints fit, but none longer than agreed so far; all agree on the shortest proposal. It ends when a step
// changes nothing. Lengths only shrink and have max_halvings + 1 values, so it does end. Transfers in place have
// no length to choose.
void Session::shorten_messages(const Party &party, std::span<DraftTransfer> drafts, SharedPlans &plans,
                               const ReadSources &sources, transport::Outcome &outcome) {
    Halvings agreed;
    while (true) {
        Halvings mine = agreed;
        const auto propose = [&] {
            for (DraftTransfer &draft : drafts) {
                if (in_place(draft))
                    continue;
                const auto before = agreed.find(draft.matched->name);
                const int first = before == agreed.end() ? 0 : before->second;
                choose_plans(draft, first, plans);
                while (!fit_into_limits(draft, sources)) {
                    if (draft.halvings == draft.max_halvings)
                        fail_beyond_limit(with_min_staging(draft, draft.max_halvings, plans),
                                          with_min_source(draft, first, plans, sources), sources);
                    choose_plans(draft, draft.halvings + 1, plans);
                }
                if (draft.halvings > 0)
                    mine[draft.matched->name] = draft.halvings;
            }
        };
        if (outcome.code == DRI_SUCCESS)
            outcome = outcome_of(propose, rank());
        Halvings all = agree_on_halvings(party, mine);
        if (all == agreed)
            return;
        agreed = std::move(all);
    }
}

// The steps of a commit up to the plans, by the same functions, so the answer holds for a commit. A process whose
// `get` has failed takes part in all of them, because the others cannot know.
std::vector<Session::Answer> Session::query(const model::Group &asked,
                                            const std::function<std::vector<std::shared_ptr<Endpoint>>()> &get) {
    if (!asked.position(rank()))
        fail(DRI_ERR_ARG, "process {} is not in the scope {}", rank(), model::to_text(asked));
    const model::Group scope = model::in_rising_order(asked);
    const PinnedEndpoints pinned(*this);
    const auto &mine = pinned.endpoints();
    std::vector<std::shared_ptr<Endpoint>> endpoints;
    const auto get_endpoints = [&] {
        endpoints = get();
        for (const auto &endpoint : endpoints) {
            const Declaration &d = endpoint->declaration();
            if (endpoint->committed())
                fail(DRI_ERR_STATE, "transfer '{}' is committed: DRI_xfer_get_info reports what it uses", d.name);
            // A thread that destroys an endpoint removes it from the session a moment before its handle.
            if (!pinned.has(endpoint))
                fail(DRI_ERR_HANDLE, "the {} of transfer '{}' has been destroyed by another thread",
                     role_name(d.role), d.name);
        }
    };
    transport::Outcome outcome = outcome_of(get_endpoints, rank());
    const Party members = party_of("DRI_xfer_query", scope);
    const Committer committer{members, mine, distributions(), nodes_};
    const int64_t first_tag = counters_.tag;
    const Matching matching = match_scope(committer, counters_);
    counters_.tag = first_tag; // no exchange is prepared, so the tags stay unused
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
    const ReadSources sources = exchange_reading(members, drafts, outcome);
    if (matching.limited)
        shorten_messages(members, drafts, plans, sources, outcome);
    std::vector<Answer> answers;
    step([&] {
        for (const auto &endpoint : endpoints) {
            const DraftTransfer &draft = draft_of(*endpoint, drafts);
            MemoryEstimate estimate = estimate_of(*endpoint, draft, sources);
            estimate.plan = plan_bytes_of(*endpoint, draft);
            answers.push_back({estimate, 0});
        }
        // These plans are not needed any more, and the smallest ones need about as much memory again.
        for (DraftTransfer &draft : drafts)
            for (DraftTransfer::Flow &flow : draft.flows)
                flow.plan = nullptr;
        DraftTransfer smallest; // kept for the next endpoint: it may be of the same transfer and share its plans
        for (size_t i = 0; i < endpoints.size(); ++i) {
            const DraftTransfer &draft = draft_of(*endpoints[i], drafts);
            smallest = endpoints[i] == draft.source_endpoint
                           ? with_min_source(draft, draft.halvings, plans, sources)
                           : with_min_staging(draft, draft.max_halvings, plans);
            answers[i].least_bytes = estimate_of(*endpoints[i], smallest, sources).workspace();
        }
    });
    agree_or_fail(members, outcome);
    return answers;
}

} // namespace dri::commit
