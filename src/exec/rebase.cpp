// Moves the windows of endpoints, and their buffers; keeps buffers.
#include "exec/call_guard.hpp"
#include "exec/rebinding.hpp"
#include "exec/window.hpp"
#include "flow/refusal.hpp"
#include "transport/remote_memory.hpp"

#include <utility>

namespace dri::exec {

namespace {

const char *role_of(const flow::CallEndpoints &endpoint) { return endpoint.source ? "source" : "sink"; }

// The endpoint of a call, unless it is destroyed.
EndpointState &present(TransferParts &parts, const flow::CallEndpoints &endpoint) {
    if (endpoint.source) {
        if (parts.ledgers.source->left())
            parts.refuse(flow::Refusal{.reason = flow::Reason::source_left});
        return *parts.source;
    }
    if (parts.ledgers.flows[endpoint.sink].sink->left())
        parts.refuse(flow::Refusal{.reason = flow::Reason::sink_left});
    return *parts.flows[endpoint.sink].sink;
}

} // namespace

void LocalTransfer::rebase(const flow::CallEndpoints &endpoint, std::span<const int64_t> offset) {
    CallGuard guard(*this);
    guard.check_whole();
    EndpointState &state = present(parts_, endpoint);
    if (!state.window)
        fail(DRI_ERR_STATE,
             "transfer '{}': the window of the {} does not slide; set DRI_ATTR_REBASE before the commit",
             parts_.name, role_of(endpoint));
    try {
        state.next_offset = state.window->at(offset);
    } catch (const Error &error) {
        fail(error.code(), "transfer '{}', {}: {}", parts_.name, role_of(endpoint), error.what());
    }
}

void LocalTransfer::rebind(const flow::CallEndpoints &endpoint, std::byte *buffer,
                           const transport::Elsewhere &where) {
    CallGuard guard(*this);
    guard.check_whole();
    EndpointState &state = present(parts_, endpoint);
    if (!state.rebinding)
        fail(DRI_ERR_STATE,
             "transfer '{}': the buffer of the {} cannot change; set DRI_ATTR_REBIND before the commit",
             parts_.name, role_of(endpoint));
    transport::Elsewhere from = where;
    if (endpoint.source && !from.any() && parts_.source->shared &&
        parts_.source->shared->moving() == transport::Moving::read)
        from.address = transport::address_of(buffer);
    state.rebinding->set(buffer, from);
}

void LocalTransfer::set_timeout(const flow::CallEndpoints &endpoint, std::chrono::milliseconds timeout) {
    const CallGuard guard(*this);
    present(parts_, endpoint).timeout = timeout;
    parts_.features.timeouts = parts_.features.timeouts || timeout.count() > 0;
}

// Also of a transfer that is broken: its buffers are there until its endpoints are destroyed.
std::vector<std::shared_ptr<const void>> LocalTransfer::keep(const flow::CallEndpoints &endpoint) {
    const CallGuard guard(*this);
    const EndpointState &state = present(parts_, endpoint);
    if (!endpoint.source || !parts_.source->shared)
        return {state.owned};
    SourceEnd &source = *parts_.source;
    std::shared_ptr<const void> keeper = source.keepers.lock();
    if (!keeper)
        source.keepers = keeper = std::make_shared<const char>();
    return {state.owned, source.shared, std::move(keeper)};
}

} // namespace dri::exec
