// What a source sends its pullers at a commit: whether they read its buffers where these lie, and how to open its
// shared memory.
#include "commit/memory_handles.hpp"

#include "commit/prepare.hpp"

namespace dri::commit {

namespace {

// For each puller, writes the tag of the flow to its parcel and calls f(writer, draft, number of the puller).
// Pullers are numbered over all flows of a draft, because they share the source's buffers and each has a counter
// there.
template <class F>
std::vector<transport::Parcel> parcels_for_pullers(std::span<const DraftTransfer> drafts, const F &f) {
    transport::Outbox outbox;
    for (const DraftTransfer &draft : drafts)
        for (const DraftTransfer::Flow &flow : draft.flows)
            for (size_t i = 0; i < flow.plan->pullers.size(); ++i) {
                Writer &out = outbox.to(flow.plan->pullers[i].peer);
                out.put(draft.matched->tags[flow.sink]);
                f(out, draft, flow.first_puller + static_cast<int64_t>(i));
            }
    return outbox.take();
}

} // namespace

std::vector<transport::Parcel> offer_source_handles(std::span<const DraftTransfer> drafts) {
    return parcels_for_pullers(drafts, [](Writer &out, const DraftTransfer &draft, int64_t puller) {
        transport::put(out, draft.source->shared->handle(puller));
    });
}

SourceHandles read_source_handles(std::span<const transport::Parcel> arrived) {
    SourceHandles handles;
    for (const transport::Parcel &parcel : arrived)
        for (Reader in(parcel.bytes); !in.done();) {
            const auto tag = in.get<int64_t>();
            handles[{parcel.rank, tag}] = transport::get_source_handle(in);
        }
    return handles;
}

std::vector<transport::Parcel> announce_read_mode(std::span<const DraftTransfer> drafts) {
    return parcels_for_pullers(
        drafts, [](Writer &out, const DraftTransfer &draft, int64_t) { out.put(!draft.elsewhere.empty()); });
}

ReadSources collect_read_mode(std::span<const transport::Parcel> arrived) {
    ReadSources sources;
    for (const transport::Parcel &parcel : arrived)
        for (Reader in(parcel.bytes); !in.done();) {
            const auto tag = in.get<int64_t>();
            if (in.get<bool>())
                sources.insert({parcel.rank, tag});
        }
    return sources;
}

} // namespace dri::commit
