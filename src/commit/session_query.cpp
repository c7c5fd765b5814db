// What the ends declared would take, found out as a commit would.
#include "commit/protocol.hpp"
#include "commit/session.hpp"
#include "commit/set_up_tags.hpp"

#include <algorithm>

namespace dri {

namespace {

Needs needs_of(const Endpoint &end, std::span<const DraftTransfer> drafts, const ReadSources &sources) {
    for (const DraftTransfer &draft : drafts) {
        if (draft.source_end.get() == &end)
            return source_needs(draft, message_room(draft));
        for (const DraftTransfer::Flow &flow : draft.flows)
            if (flow.end.get() == &end)
                return sink_needs(draft, flow, sources, message_room(draft));
    }
    fail(DRI_ERR_INTERNAL, "transfer '{}' has no plan", end.declaration().name);
}

} // namespace

std::vector<Needs> Session::query(const Group &asked,
                                  const std::function<std::vector<std::shared_ptr<Endpoint>>()> &get) {
    if (!asked.position(rank()))
        fail(DRI_ERR_ARG, "process {} is not in the scope {}", rank(), to_text(asked));
    const Group scope = in_rising_order(asked);
    std::vector<std::shared_ptr<Endpoint>> ends;
    Outcome outcome = outcome_of(
        [&] {
            ends = get();
            for (const auto &end : ends)
                if (end->committed())
                    fail(DRI_ERR_STATE, "transfer '{}' is committed: its info tells what it takes",
                         end->declaration().name);
        },
        rank());
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
    std::vector<DraftTransfer> drafts;
    std::vector<Parcel> parcels;
    step([&] {
        SharedPlans plans(rank());
        for (const MatchedTransfer &m : matching.transfers)
            drafts.push_back(draft_transfer(m, mine, plans, readable_));
        parcels = tell_readers(drafts);
    });
    const auto told = exchange_on_nodes(scope, std::move(parcels), outcome);
    std::vector<Needs> needs;
    step([&] {
        const ReadSources sources = hear_sources(told);
        for (const auto &end : ends)
            needs.push_back(needs_of(*end, drafts, sources));
    });
    share_failure(scope, tag_commit, outcome);
    return needs;
}

} // namespace dri
