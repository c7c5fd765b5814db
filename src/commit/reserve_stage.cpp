// Makes buffers from their layouts.
#include "commit/reserve_stage.hpp"

#include "base/memory.hpp"
#include "commit/reserve_for.hpp"
#include "exec/parts.hpp"
#include "exec/window.hpp"
#include "transport/shared_source.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace dri::commit {

namespace {

void set_terms(exec::EndpointState &state, const Endpoint &endpoint) {
    const Attributes &attributes = endpoint.declaration().attributes;
    state.buffer_bytes = endpoint.buffer_bytes();
    state.timeout = std::chrono::milliseconds(attributes.timeout_ms);
    state.has_thread = attributes.progress_thread != 0;
}

// A part without elements still needs a buffer with an address.
AlignedBuffer provided_buffer(const BufferLayout &layout) {
    return AlignedBuffer(std::max(layout.reserved_bytes, cache_line_bytes), layout.alignment);
}

// Makes sure that frames find the pages of a user's buffer.
void prepare(void *buffer, int64_t bytes, const transport::UserMemory &memory) {
    if (!memory.reserve(buffer, bytes))
        advise_huge_pages(buffer, bytes);
}

// shared: memory that a source shares with its pullers, null if there are none; the library's buffers lie in it.
void reserve_buffers(exec::EndpointState &state, const BufferLayout &layout, const Endpoint &endpoint,
                     transport::SharedSource *shared, const transport::UserMemory &memory) {
    const Declaration &d = endpoint.declaration();
    auto owned = std::make_shared<std::vector<AlignedBuffer>>();
    for (int64_t i = 0; i < layout.count(); ++i) {
        void *buffer = layout.given[static_cast<size_t>(i)];
        if (buffer)
            reserve_for([&] { prepare(buffer, layout.part_bytes, memory); }, "transfer '{}', buffer {} of the {}",
                        d.name, i, role_name(d.role));
        if (!buffer && shared)
            buffer = shared->buffer(i);
        if (!buffer) {
            reserve_for([&] { owned->push_back(provided_buffer(layout)); }, "transfer '{}', buffer {} of the {}",
                        d.name, i, role_name(d.role));
            buffer = owned->back().data();
        }
        const int64_t step = layout.reserved_bytes / layout.strips;
        for (int64_t t = 0; t < layout.strips; ++t)
            state.buffers.push_back(static_cast<std::byte *>(buffer) + t * step);
    }
    state.owned = std::move(owned);
    if (layout.headers)
        state.headers.resize(state.buffers.size());
}

// The window may be null: it does not slide then.
void add_window(exec::EndpointState &state, const std::shared_ptr<const exec::Window> &window) {
    if (window)
        state.next_offset = window->at_rest();
    state.window = window;
}

void add_rebinding(exec::EndpointState &state, const Endpoint &endpoint, const BufferLayout &layout) {
    if (endpoint.declaration().attributes.rebind)
        state.rebinding.emplace(state.buffers.front(),
                                layout.elsewhere.empty() ? transport::Elsewhere{} : layout.elsewhere.front());
}

// Memory that a source shares with its pullers, null if there are none.
std::shared_ptr<transport::SharedSource> make_shared_source(const Planned &planned, const BufferLayout &layout) {
    std::shared_ptr<transport::SharedSource> shared;
    if (layout.pullers > 0)
        reserve_for(
            [&] {
                shared = std::make_shared<transport::SharedSource>(
                    layout.pullers, layout.count(), layout.part_bytes, layout.alignment, layout.elsewhere,
                    planned.source_window ? int64_t{sizeof(exec::WindowOffset)} : 0, layout.moving);
            },
            "transfer '{}', buffers of the source", planned.matched->name);
    return shared;
}

exec::SourceEnd make_source(const Planned &planned, const BufferLayout &layout,
                            const transport::UserMemory &memory) {
    const Endpoint &endpoint = *planned.source_endpoint;
    const auto &window = planned.source_window;
    exec::SourceEnd source;
    set_terms(source, endpoint);
    source.stream = planned.matched->stream;
    add_window(source, window);
    if (window)
        source.offsets.assign(layout.given.size(), window->at_rest());
    source.shared = make_shared_source(planned, layout);
    reserve_buffers(source, layout, endpoint, source.shared.get(), memory);
    add_rebinding(source, endpoint, layout);
    return source;
}

// The caller may set a sliding window's offset, or another buffer, until it waits for the frame. It may use
// buffers of its own while it does not wait. None of these sinks is filled ahead. With strips on either side, a
// sink that is filled ahead is filled in all its buffers. Without strips one buffer stays free until the caller
// waits for a frame.
exec::SinkEnd make_sink(const Planned &planned, const PlannedFlow &flow, const BufferLayout &layout,
                        const transport::UserMemory &memory) {
    exec::SinkEnd sink;
    set_terms(sink, *flow.endpoint);
    sink.strips = layout.strips;
    const bool any_given = std::any_of(layout.given.begin(), layout.given.end(),
                                       [](const void *buffer) { return buffer != nullptr; });
    const bool in_strips = planned.matched->source.strips.any() || planned.matched->sinks[flow.sink].strips.any();
    const bool rebinds = flow.endpoint->declaration().attributes.rebind != 0;
    sink.fill(flow.window || any_given || rebinds ? exec::FillsAhead::none
              : in_strips                         ? exec::FillsAhead::all
                                                  : exec::FillsAhead::all_but_one);
    add_window(sink, flow.window);
    reserve_buffers(sink, layout, *flow.endpoint, nullptr, memory);
    add_rebinding(sink, *flow.endpoint, layout);
    return sink;
}

// The library's buffers of a transfer in place. Both endpoints own them together, so the memory stays valid until
// both are destroyed. keeper: as in SourceEnd::keepers, because the user still has the buffers through the sink.
struct BuffersInPlace {
    std::vector<AlignedBuffer> private_ones = {};
    std::shared_ptr<transport::SharedSource> shared = {};
    std::shared_ptr<const char> keeper = std::make_shared<const char>();
};

void reserve_in_place(Reserved &reserved, const transport::UserMemory &memory) {
    const Planned &planned = reserved.sized.planned;
    const BufferLayout &layout = *reserved.sized.source;
    exec::SourceEnd &source = reserved.source.emplace();
    exec::SinkEnd &sink = reserved.sinks.front().emplace();
    set_terms(source, *planned.source_endpoint);
    set_terms(sink, *planned.flows.front().endpoint);
    sink.fill(exec::FillsAhead::none); // its buffer is the source's, whose frame must be inserted first
    const auto owned = std::make_shared<BuffersInPlace>();
    source.shared = owned->shared = make_shared_source(planned, layout);
    source.keepers = owned->keeper;
    for (int64_t i = 0; i < layout.count(); ++i) {
        void *buffer = layout.given[static_cast<size_t>(i)];
        if (buffer) {
            reserve_for([&] { prepare(buffer, layout.part_bytes, memory); },
                        "transfer '{}', buffers that source and sink share in place", planned.matched->name);
        } else if (source.shared) {
            buffer = source.shared->buffer(i);
        } else {
            reserve_for([&] { owned->private_ones.push_back(provided_buffer(layout)); },
                        "transfer '{}', buffers that source and sink share in place", planned.matched->name);
            buffer = owned->private_ones.back().data();
        }
        source.buffers.push_back(static_cast<std::byte *>(buffer));
    }
    sink.buffers = source.buffers;
    sink.owned = {owned, &owned->private_ones};
    source.owned = sink.owned;
}

} // namespace

Reserved reserve_stage(Sized sized, const transport::UserMemory &memory) {
    Reserved reserved{std::move(sized)};
    const Planned &planned = reserved.sized.planned;
    reserved.sinks.resize(planned.flows.size());
    if (in_place(planned)) {
        reserve_in_place(reserved, memory);
        return reserved;
    }
    if (planned.source_endpoint)
        reserved.source = make_source(planned, *reserved.sized.source, memory);
    for (size_t f = 0; f < planned.flows.size(); ++f)
        if (const auto &layout = reserved.sized.flows[f].sink)
            reserved.sinks[f] = make_sink(planned, planned.flows[f], *layout, memory);
    return reserved;
}

} // namespace dri::commit
