// Which endpoints a call is for.
#include "flow/call.hpp"

namespace dri::flow {

bool CallEndpoints::includes_any(const Ledgers &l) const {
    for (size_t i = 0; i < l.flows.size(); ++i)
        if (includes(l, i))
            return true;
    return source;
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
