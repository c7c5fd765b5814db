// What processes send each other about their endpoints when they commit, and its wire form.
#pragma once

#include "commit/endpoint.hpp"
#include "model/distribution.hpp"
#include "model/gdo.hpp"
#include "model/group.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"

namespace dri::commit {

// A distribution without its partition: the wire form of a partition may be large. The id identifies the whole
// distribution, its partition included.
class DistributionHead {
public:
    explicit DistributionHead(const model::Distribution &dist)
        : id_(dist.id()), gdo_(dist.gdo()), group_(dist.group()), text_(model::to_text(dist)) {}
    explicit DistributionHead(Reader &in);

    const Digest &id() const { return id_; }
    const model::Gdo &gdo() const { return gdo_; }
    const model::Group &group() const { return group_; }
    friend void put(Writer &out, const DistributionHead &head);
    friend std::string to_text(const DistributionHead &head) { return head.text_; }

private:
    Digest id_;
    model::Gdo gdo_;
    model::Group group_;
    std::string text_;
};

struct EndpointDescription {
    int rank = 0; // of the process that holds the endpoint
    std::string name;
    Role role = Role::source;
    Digest dist;
    std::shared_ptr<const DistributionHead> head; // null: another process of the group sends it
    model::Layout layout;
    Attributes attributes;
    model::Strips strips;
};

// The wire form of an endpoint's description. It leaves out the rank, which the receiver knows as the sender's.
// with_head: whether the distribution's head is sent, too.
void put(Writer &out, const Endpoint &endpoint, bool with_head);
EndpointDescription get_description(Reader &in, int rank);

} // namespace dri::commit
