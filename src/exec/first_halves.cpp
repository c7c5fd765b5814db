// The first halves of calls: a source hands a frame over, a sink releases one.
#include "exec/engine.hpp"

#include "exec/window.hpp"
#include "flow/ledger.hpp"
#include "transport/shared_source.hpp"

#include <chrono>
#include <cstring>

namespace dri::exec {

namespace {

int64_t nanoseconds_since_1970() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

} // namespace

// The header, the window's offset and the shared copy are written before the counters say that the frame is there.
// Pullers and other threads may read them as soon as a counter has risen: the caller counts the frame.
void Engine::hand_over(const FrameHeader *given) {
    const int64_t frame = parts_.ledgers.source->inserted().count;
    set_header(given);
    if (parts_.source->window)
        set_window_offset(frame);
    if (parts_.source->rebinding)
        begin_in_next_buffer();
    if (parts_.source->shared) {
        const std::byte *buffer = parts_.source->buffer(frame);
        const int64_t i = ring_slot(frame, parts_.source->count());
        std::byte *const shared = parts_.source->shared->buffer(i);
        if (shared != buffer && is_copied(i))
            copy_window(shared, buffer);
        parts_.source->shared->hand_over(frame + 1);
    }
}

// The frame before has left the buffer, or this one could not be handed over.
void Engine::begin_in_next_buffer() {
    SourceEnd &source = *parts_.source;
    if (source.shared)
        std::memcpy(source.shared->note(0), &source.rebinding->where(), sizeof(transport::Elsewhere));
    source.buffers[0] = source.rebinding->begin_frame();
}

// Whether pullers find the frame in the copy that the source shares with them.
bool Engine::is_copied(int64_t buffer) const {
    const SourceEnd &source = *parts_.source;
    return source.rebinding ? !source.rebinding->where().any() : source.shared->is_shared(buffer);
}

// Does the first half of each endpoint once, even if the call is repeated after a timeout. The hand-over comes
// first, because processes that pull wait for it. Sinks come next, so that their receives are posted before the
// source's messages leave.
void Engine::give(const flow::CallEndpoints &endpoints) {
    for (flow::FlowLedger &flow : parts_.ledgers.flows)
        if (endpoints.includes(flow) && !flow.sink->started())
            flow.sink->start();
    if (endpoints.source && !parts_.ledgers.source->started()) {
        hand_over(nullptr);
        parts_.ledgers.source->start();
    }
    begin_sinks(); // posts the receives
    begin_source();
}

// Completes the header of the frame that is handed over. The library sets the number, and the time if the caller
// gives none.
void Engine::set_header(const FrameHeader *given) {
    const int64_t frame = parts_.ledgers.source->inserted().count;
    FrameHeader *const header = parts_.source->header(frame);
    if (!header)
        return;
    if (given)
        *header = *given;
    else
        header->bytes = 0;
    header->number = frame;
    if (!given || given->time_ns == 0)
        header->time_ns = nanoseconds_since_1970();
}

// Must precede the hand-over: pullers read the offset as soon as the frame is handed over.
void Engine::set_window_offset(int64_t frame) {
    const auto i = static_cast<size_t>(ring_slot(frame, parts_.source->count()));
    parts_.source->offsets[i] = parts_.source->next_offset;
    if (parts_.source->shared)
        std::memcpy(parts_.source->shared->note(static_cast<int64_t>(i)), &parts_.source->next_offset,
                    sizeof(WindowOffset));
}

// With a window, only the bytes between its first and last element are copied.
void Engine::copy_window(std::byte *shared, const std::byte *buffer) const {
    if (!parts_.source->window)
        return copy_memory(parts_.source->team, shared, buffer, parts_.source->buffer_bytes);
    const int64_t first = parts_.source->window->first_byte + parts_.source->next_offset.bytes;
    copy_memory(parts_.source->team, shared + first, buffer + first, parts_.source->window->bytes);
}

} // namespace dri::exec
