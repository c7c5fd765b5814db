// Matching the ends of all processes by name: a pure function of what they told each other, so that all come
// to the same transfers or to the same error.
#pragma once

#include "commit/endpoint.hpp"
#include "planner/planner.hpp"

#include <span>
#include <string>
#include <vector>

namespace dri {

// What the others must know of an end.
struct EndDescription {
    int rank = 0;
    std::string name;
    Role role = Role::source;
    std::shared_ptr<const Distribution> dist;
    Layout layout;
    Attributes attributes;
};

// All ends of one name.
struct MatchedTransfer {
    std::string name;
    Side source;
    std::vector<Side> sinks;
    PlanOptions options;
};

Bytes to_wire(std::span<const std::shared_ptr<Endpoint>> ends);
std::vector<EndDescription> from_wire(std::span<const Bytes> by_position, const Group &scope);

// In rising order of names. Fails with DRI_ERR_UNMATCHED or DRI_ERR_MISMATCH.
std::vector<MatchedTransfer> match_ends(const std::vector<EndDescription> &ends, const Group &scope);

} // namespace dri
