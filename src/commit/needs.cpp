#include "commit/needs.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri {

namespace {

int64_t library_buffer_bytes(const Endpoint &end) {
    const auto &buffers = end.declaration().buffers;
    return checked_mul(end.buffer_bytes(), std::count(buffers.begin(), buffers.end(), nullptr));
}

} // namespace

Needs source_needs(const DraftTransfer &draft, const MessageRoom &room) {
    const auto &buffers = draft.source_end->declaration().buffers;
    Needs needs;
    needs.buffers = library_buffer_bytes(*draft.source_end);
    for (const DraftTransfer::Flow &flow : draft.flows)
        needs.messages = checked_add(needs.messages, send_room_bytes(*flow.plan, room));
    if (draft.takers > 0 && draft.elsewhere.empty())
        needs.copies = checked_mul(draft.source_end->buffer_bytes(),
                                   std::ssize(buffers) - std::count(buffers.begin(), buffers.end(), nullptr));
    return needs;
}

Needs sink_needs(const DraftTransfer &draft, const DraftTransfer::Flow &flow, const ReadSources &sources,
                 const MessageRoom &room) {
    const Attributes &attributes = flow.end->declaration().attributes;
    Needs needs;
    needs.buffers = library_buffer_bytes(*flow.end);
    needs.messages = receive_room_bytes(*flow.plan, room);
    for (const Pull &pull : flow.plan->pulls)
        if (sources.contains({pull.peer, draft.matched->tags[flow.sink]}))
            needs.tiles = std::max(needs.tiles,
                                   remote_scratch_bytes(pull.copies, attributes.threads, attributes.share_bytes));
    return needs;
}

} // namespace dri
