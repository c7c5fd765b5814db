// Buffers of transfers in place.
#include "commit/in_place_buffers.hpp"

#include "model/distribution.hpp"

#include <algorithm>
#include <utility>

namespace dri::commit {

namespace {

int64_t alignment_of(const Endpoint &endpoint) { return endpoint.declaration().dist->gdo().type.alignment; }

} // namespace

// The user may pass each buffer to the source, to the sink, or to both. The library provides those that neither
// has.
BufferLayout shared_buffers(const Planned &planned) {
    const Endpoint &source = *planned.source_endpoint, &sink = *planned.flows.front().endpoint;
    BufferLayout layout{.given = source.declaration().buffers};
    const std::vector<void *> &others = sink.declaration().buffers;
    for (size_t i = 0; i < layout.given.size(); ++i)
        if (!layout.given[i])
            layout.given[i] = others[i];
    layout.part_bytes = layout.reserved_bytes = std::max(source.buffer_bytes(), sink.buffer_bytes());
    layout.alignment = std::max(alignment_of(source), alignment_of(sink));
    return layout;
}

bool uses_buffers(const plan::Plan &plan, const BufferLayout &buffers) {
    return plan.in_place->keeps_sent && std::all_of(buffers.given.begin(), buffers.given.end(),
                                                    [](const void *buffer) { return buffer == nullptr; });
}

// The checks of Endpoint see one endpoint alone. Here a buffer must also hold the larger part and satisfy both
// alignments.
void check_shared_buffers(const Planned &planned) {
    const auto &from = planned.source_endpoint->declaration().buffers,
               &to = planned.flows.front().endpoint->declaration().buffers;
    const std::string &name = planned.matched->name;
    if (from.size() != to.size())
        fail(DRI_ERR_ARG, "transfer '{}' is in place, but its source has {} buffers and its sink has {}", name,
             from.size(), to.size());
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i] && to[i] && from[i] != to[i])
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, but buffer {} of the source is at {} and that of the sink at {}",
                 name, i, from[i], to[i]);
    const BufferLayout layout = shared_buffers(planned);
    std::vector<std::pair<uintptr_t, size_t>> sorted;
    for (size_t i = 0; i < layout.given.size(); ++i) {
        const auto at = reinterpret_cast<uintptr_t>(layout.given[i]);
        if (at % static_cast<uintptr_t>(layout.alignment) != 0)
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, but buffer {} is not aligned to the {} bytes that its element types "
                 "need",
                 name, i, layout.alignment);
        if (at != 0 && layout.part_bytes > 0)
            sorted.emplace_back(at, i);
    }
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].first - sorted[i - 1].first < static_cast<uintptr_t>(layout.part_bytes))
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, so each buffer has {} bytes, but buffers {} and {} share memory",
                 name, layout.part_bytes, std::min(sorted[i - 1].second, sorted[i].second),
                 std::max(sorted[i - 1].second, sorted[i].second));
}

} // namespace dri::commit
