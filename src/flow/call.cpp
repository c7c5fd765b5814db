// Which endpoints a call is for.
#include "flow/call.hpp"

namespace dri::flow {

bool Endpoints::includes(const Ledgers &ledgers, size_t flow) const {
    const auto &its = ledgers.flows[flow].sink;
    return its && !its->left() && (all_sinks || sink == flow) && (!started_only || its->started());
}

bool Endpoints::includes_any(const Ledgers &l) const {
    for (size_t i = 0; i < l.flows.size(); ++i)
        if (includes(l, i))
            return true;
    return source;
}

Endpoints existing(const Ledgers &l, const Endpoints &asked) {
    Endpoints endpoints = asked;
    if (!asked.all_sinks || !asked.source)
        return endpoints;
    endpoints.source = false;
    const bool any_sink = endpoints.includes_any(l);
    endpoints.source = !l.source->left() && !(l.source->closed() && any_sink);
    return endpoints;
}

Endpoints started(const Ledgers &l, const Endpoints &asked) {
    Endpoints endpoints = existing(l, asked);
    endpoints.started_only = true;
    endpoints.source = endpoints.source && l.source->started();
    return endpoints;
}

} // namespace dri::flow
