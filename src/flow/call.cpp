// Which endpoints a call is for.
#include "flow/call.hpp"

#include <algorithm>

namespace dri::flow {

bool CallEndpoints::includes_any(const Ledgers &l) const {
    return source || std::any_of(l.flows.begin(), l.flows.end(), [&](const FlowLedger &f) { return includes(f); });
}

CallEndpoints existing_of_all(const Ledgers &l, const CallEndpoints &asked) {
    CallEndpoints endpoints = asked;
    endpoints.source = false;
    const bool any_sink = endpoints.includes_any(l);
    endpoints.source = !l.source->left() && !(l.source->closed() && any_sink);
    return endpoints;
}

CallEndpoints started(const Ledgers &l, const CallEndpoints &asked) {
    CallEndpoints endpoints = existing(l, asked);
    endpoints.started_only = true;
    endpoints.source = endpoints.source && l.source->started();
    return endpoints;
}

} // namespace dri::flow
