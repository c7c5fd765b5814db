// What a source sends its pullers at a commit: whether they read its buffers where these lie, and how to open its
// shared memory.
#include "commit/memory_handles.hpp"

namespace dri::commit {

namespace {

// For each puller, writes the tag of the flow to its parcel and calls f(writer, number of the puller). Pullers are
// numbered over all flows of a transfer, because they share the source's buffers and each has a counter there.
template <class F> void for_pullers(const Planned &planned, transport::Outbox &outbox, const F &f) {
    for (const PlannedFlow &flow : planned.flows)
        for (size_t i = 0; i < flow.plan->pullers.size(); ++i) {
            Writer &out = outbox.to(flow.plan->pullers[i].peer);
            out.put(planned.matched->tags[flow.sink]);
            f(out, flow.first_puller + static_cast<int64_t>(i));
        }
}

} // namespace

std::vector<transport::Parcel> offer_source_handles(std::span<const Reserved> reserved) {
    transport::Outbox outbox;
    for (const Reserved &one : reserved)
        for_pullers(one.sized.planned, outbox,
                    [&](Writer &out, int64_t puller) { transport::put(out, one.source->shared->handle(puller)); });
    return outbox.take();
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

std::vector<transport::Parcel> announce_read_mode(std::span<const Planned> planned) {
    transport::Outbox outbox;
    for (const Planned &one : planned)
        for_pullers(one, outbox,
                    [&](Writer &out, int64_t) { out.put(transport::any_read(one.elsewhere, one.moving)); });
    return outbox.take();
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

ReadSources read_mode_of(const SourceHandles &handles) {
    ReadSources sources;
    for (const auto &[key, handle] : handles)
        if (handle.reads)
            sources.insert(key);
    return sources;
}

} // namespace dri::commit
