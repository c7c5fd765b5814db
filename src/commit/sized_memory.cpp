// Adds up the memory of layouts.
#include "commit/sized_memory.hpp"

#include "base/checked.hpp"
#include "base/error.hpp"
#include "exec/plan_bytes.hpp"
#include "model/distribution.hpp"
#include "plan/plan.hpp"

namespace dri::commit {

int64_t tile_bytes(const PlannedFlow &flow) {
    if (!flow.tile_bytes)
        fail(DRI_ERR_INTERNAL, "the memory for tiles is asked for before it is known");
    return *flow.tile_bytes;
}

exec::EndpointMemory source_memory(const Sized &sized) {
    exec::EndpointMemory memory{.messages = sized.source->header_bytes(),
                                .copies = sized.source->copy_bytes(),
                                .buffers = sized.source->provided_bytes()};
    for (const SizedFlow &flow : sized.flows)
        for (const int64_t bytes :
             {flow.link.sends.bytes(), flow.headers.bytes(exec::Of::source), flow.drop.bytes(exec::Of::source)})
            memory.messages = checked_add(memory.messages, bytes);
    return memory;
}

exec::EndpointMemory sink_memory(const Sized &sized, size_t f) {
    const SizedFlow &flow = sized.flows[f];
    exec::EndpointMemory memory{.messages = flow.sink ? flow.sink->header_bytes() : 0,
                                .tiles = tile_bytes(sized.planned.flows[f]),
                                .buffers = flow.sink ? flow.sink->provided_bytes() : 0};
    for (const int64_t bytes :
         {flow.link.receives.bytes(), flow.headers.bytes(exec::Of::sink), flow.drop.bytes(exec::Of::sink)})
        memory.messages = checked_add(memory.messages, bytes);
    return memory;
}

exec::EndpointMemory memory_of(const Endpoint &endpoint, const Sized &sized) {
    for (size_t f = 0; f < sized.flows.size(); ++f)
        if (sized.planned.flows[f].endpoint.get() == &endpoint)
            return sink_memory(sized, f);
    return source_memory(sized);
}

// A distribution that this process received for the commit alone is released with it, and does not count.
int64_t plan_bytes_of(const Endpoint &endpoint, const Sized &sized) {
    const MatchedTransfer &matched = *sized.planned.matched;
    int64_t of_source = matched.source.dist->kept_bytes();
    for (size_t f = 0; f < sized.flows.size(); ++f) {
        const PlannedFlow &flow = sized.planned.flows[f];
        const auto &sends = sized.flows[f].link.sends.messages;
        const exec::HeldBytes held = exec::plan_bytes(*flow.plan, sends.exchanges, sends.spec.in_order);
        if (flow.endpoint.get() == &endpoint)
            return held.sink + matched.sinks[flow.sink].dist->kept_bytes();
        of_source += held.source;
    }
    return of_source;
}

} // namespace dri::commit
