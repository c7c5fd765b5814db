// Compares the memory of layouts with limits.
#include "commit/workspace_limit.hpp"

#include "commit/sized_memory.hpp"
#include "exec/parts.hpp"
#include "model/distribution.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// The endpoint's name in a message: its role, and its distribution if this process is in several sinks.
std::string name_of(const Endpoint &endpoint, const Planned &planned) {
    const Declaration &d = endpoint.declaration();
    const auto sinks = std::count_if(planned.flows.begin(), planned.flows.end(),
                                     [](const PlannedFlow &flow) { return flow.endpoint != nullptr; });
    return d.role == Role::sink && sinks > 1 ? fmt::format("sink ({})", model::to_text(*d.dist))
                                             : role_name(d.role);
}

} // namespace

int64_t limit_of(const Endpoint &endpoint) { return endpoint.declaration().attributes.workspace_limit; }

bool fits(const Endpoint &endpoint, const Sized &sized) {
    return limit_of(endpoint) == no_limit || memory_of(endpoint, sized).workspace() <= limit_of(endpoint);
}

void fail_beyond_limit(const Sized &smallest, const Sized &by_source) {
    const Endpoint *closest = nullptr;
    exec::EndpointMemory needed;
    int64_t min_excess = INT64_MAX;
    const auto check = [&](const Endpoint &endpoint, const exec::EndpointMemory &memory) {
        const int64_t excess = memory.workspace() - limit_of(endpoint);
        if (excess <= 0 || excess >= min_excess)
            return;
        closest = &endpoint;
        needed = memory;
        min_excess = excess;
    };
    const Planned &planned = smallest.planned;
    if (planned.source_endpoint)
        check(*planned.source_endpoint, source_memory(by_source));
    for (size_t f = 0; f < planned.flows.size(); ++f)
        if (planned.flows[f].endpoint)
            check(*planned.flows[f].endpoint, sink_memory(smallest, f));
    if (!closest)
        fail(DRI_ERR_INTERNAL,
             "transfer '{}' was found to exceed a workspace limit, but none of its endpoints does",
             planned.matched->name);
    fail(DRI_ERR_LIMIT,
         "transfer '{}': the {} of process {} has DRI_ATTR_WORKSPACE_LIMIT {}, but it needs at least {} bytes: "
         "{} for messages, {} for copies of buffers, {} for tiles",
         planned.matched->name, name_of(*closest, planned), planned.matched->rank, limit_of(*closest),
         needed.workspace(), needed.messages, needed.copies, needed.tiles);
}

} // namespace dri::commit
