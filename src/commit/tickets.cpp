#include "commit/tickets.hpp"

#include "commit/prepare.hpp"

namespace dri {

namespace {

// f(parcel's writer, draft, number of the taker among those of the draft) for each taker, behind the flow's tag.
template <class F> std::vector<Parcel> tell_takers(std::span<const DraftTransfer> drafts, const F &f) {
    Outbox outbox;
    for (const DraftTransfer &draft : drafts)
        for (const DraftTransfer::Flow &flow : draft.flows)
            for (size_t i = 0; i < flow.plan->takers.size(); ++i) {
                Writer &out = outbox.to(flow.plan->takers[i].peer);
                out.put(draft.matched->tags[flow.sink]);
                f(out, draft, flow.first_taker + static_cast<int64_t>(i));
            }
    return outbox.take();
}

} // namespace

std::vector<Parcel> offer_tickets(std::span<const DraftTransfer> drafts) {
    return tell_takers(drafts, [](Writer &out, const DraftTransfer &draft, int64_t taker) {
        put(out, draft.source->shared->ticket(taker));
    });
}

Tickets read_tickets(std::span<const Parcel> arrived) {
    Tickets tickets;
    for (const Parcel &parcel : arrived)
        for (Reader in(parcel.bytes); !in.done();) {
            const auto tag = in.get<int64_t>();
            tickets[{parcel.rank, tag}] = get_source_ticket(in);
        }
    return tickets;
}

std::vector<Parcel> tell_readers(std::span<const DraftTransfer> drafts) {
    return tell_takers(
        drafts, [](Writer &out, const DraftTransfer &draft, int64_t) { out.put(!draft.elsewhere.empty()); });
}

ReadSources hear_sources(std::span<const Parcel> arrived) {
    ReadSources sources;
    for (const Parcel &parcel : arrived)
        for (Reader in(parcel.bytes); !in.done();) {
            const auto tag = in.get<int64_t>();
            if (in.get<bool>())
                sources.insert({parcel.rank, tag});
        }
    return sources;
}

} // namespace dri
