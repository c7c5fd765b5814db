// Which endpoints a call is for.
#include "flow/call.hpp"

#include <algorithm>

namespace dri::flow {

bool CallEndpoints::includes_any_sink(const Ledgers &l) const {
    return std::any_of(l.flows.begin(), l.flows.end(), [&](const FlowLedger &f) { return includes(f); });
}

CallEndpoints started(const Ledgers &l, CallEndpoints asked) {
    CallEndpoints endpoints = existing(l, asked);
    endpoints.started_only = true;
    endpoints.source = endpoints.source && l.source->started();
    return endpoints;
}

} // namespace dri::flow
