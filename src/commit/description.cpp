// Wire forms of endpoints and distribution heads. Each put() and its get write and read the same
// fields in the same order.
#include "commit/description.hpp"

namespace dri::commit {

DistributionHead::DistributionHead(Reader &in)
    : id_(get_digest(in)), gdo_(model::get_gdo(in)), group_(model::get_group(in)), text_(in.get_string()) {}

void put(Writer &out, const DistributionHead &head) {
    put(out, head.id_);
    model::put(out, head.gdo_);
    model::put(out, head.group_);
    out.put(std::string_view(head.text_));
}

// The distribution travels as its digest. A process that lacks it requests it from a holder later (protocol.cpp).
void put(Writer &out, const Endpoint &endpoint, bool with_head) {
    const Declaration &d = endpoint.declaration();
    out.put(std::string_view(d.name));
    out.put(d.role);
    put(out, d.dist->id());
    model::put(out, d.layout);
    put(out, endpoint.attributes());
    model::put(out, d.strips);
    out.put(with_head);
    if (with_head)
        put(out, DistributionHead(*d.dist));
}

EndpointDescription get_description(Reader &in, int rank) {
    EndpointDescription endpoint;
    endpoint.rank = rank;
    endpoint.name = in.get_string();
    endpoint.role = in.get<Role>();
    endpoint.dist = get_digest(in);
    endpoint.layout = model::get_layout(in);
    endpoint.attributes = get_attributes(in);
    endpoint.strips = model::get_strips(in);
    if (in.get<bool>())
        endpoint.head = std::make_shared<DistributionHead>(in);
    return endpoint;
}

} // namespace dri::commit
