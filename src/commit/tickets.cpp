#include "commit/tickets.hpp"

#include "commit/prepare.hpp"

namespace dri {

std::vector<Parcel> offer_tickets(std::span<const DraftTransfer> drafts) {
    Outbox outbox;
    for (const DraftTransfer &draft : drafts)
        for (const DraftTransfer::Flow &flow : draft.flows)
            for (size_t i = 0; i < flow.plan->takers.size(); ++i) {
                Writer &out = outbox.to(flow.plan->takers[i].peer);
                out.put(draft.matched->tags[flow.sink]);
                put(out, draft.source->shared->ticket(flow.first_taker + static_cast<int64_t>(i)));
            }
    return outbox.take();
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

} // namespace dri
