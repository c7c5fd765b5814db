// What processes tell each other of their ends when they commit.
#pragma once

#include "commit/endpoint.hpp"

namespace dri {

// A distribution without its partition, whose wire form may be large.
class DistributionHead {
public:
    explicit DistributionHead(const Distribution &dist)
        : id_(dist.id()), gdo_(dist.gdo()), group_(dist.group()), text_(to_text(dist)) {}
    explicit DistributionHead(Reader &in);

    const Digest &id() const { return id_; }
    const Gdo &gdo() const { return gdo_; }
    const Group &group() const { return group_; }
    friend void put(Writer &out, const DistributionHead &head);
    friend std::string to_text(const DistributionHead &head) { return head.text_; }

private:
    Digest id_;
    Gdo gdo_;
    Group group_;
    std::string text_;
};

struct EndpointDescription {
    int rank = 0; // of the process that holds the end
    std::string name;
    Role role = Role::source;
    Digest dist;
    std::shared_ptr<const DistributionHead> head; // null where the process leaves it to another one of the group
    Layout layout;
    Attributes attributes;
    Strips strips;
};

// Without the rank, which the receiver knows.
void put(Writer &out, const Endpoint &endpoint, bool with_head);
EndpointDescription get_description(Reader &in, int rank);

void put(Writer &out, const Attributes &attributes);
Attributes get_attributes(Reader &in);

} // namespace dri
