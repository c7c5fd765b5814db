// Moves the windows of endpoints.
#include "exec/call_guard.hpp"
#include "exec/window.hpp"
#include "flow/refusal.hpp"

namespace dri::exec {

namespace {

void rebase(EndpointState &state, const std::string &name, const char *role, std::span<const int64_t> offset) {
    if (!state.window)
        fail(DRI_ERR_STATE,
             "transfer '{}': the window of the {} does not slide; set DRI_ATTR_REBASE before the commit", name,
             role);
    try {
        state.next_offset = state.window->at(offset);
    } catch (const Error &error) {
        fail(error.code(), "transfer '{}', {}: {}", name, role, error.what());
    }
}

} // namespace

void LocalTransfer::rebase_source(std::span<const int64_t> offset) {
    CallGuard guard(*this);
    guard.check_whole();
    if (parts_.ledgers.source->left())
        parts_.refuse(flow::Refusal{.reason = flow::Reason::source_left});
    rebase(*parts_.source, parts_.name, "source", offset);
}

void LocalTransfer::rebase_sink(size_t flow, std::span<const int64_t> offset) {
    CallGuard guard(*this);
    guard.check_whole();
    if (parts_.ledgers.flows[flow].sink->left())
        parts_.refuse(flow::Refusal{.reason = flow::Reason::sink_left});
    rebase(*parts_.flows[flow].sink, parts_.name, "sink", offset);
}

} // namespace dri::exec
