// Matching the endpoints of one name: a pure function of their descriptions.
#pragma once

#include "commit/bystander.hpp"
#include "commit/description.hpp"
#include "model/group.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"
#include "planner/node_map.hpp"
#include "planner/planner.hpp"

#include <span>
#include <string>
#include <vector>

namespace dri::commit {

// One side of a name. Every process of its group has declared its endpoint.
struct MatchedSide {
    Digest dist;
    std::vector<int> ranks;             // by group position
    std::vector<model::Layout> layouts; // one per group position, or a single one for all
    double scale = 1;                   // of a sink: the factor of its numbers
    model::Strips strips = {};          // if there are any, dist is that of the first strip
    bool drops = false;                 // a sink: it misses frames rather than hold the source back
    int64_t every = 1, phase = 0;       // a sink: it takes each frame whose number modulo `every` is `phase`
};

// All endpoints of one name.
struct MatchedName {
    std::string name;
    MatchedSide source;
    std::vector<MatchedSide> sinks;
    planner::PlanOptions options;
    bool stream = false;
};

// A name as one of its processes knows it. A process of the source knows all sinks, any other process its own.
struct MatchedTransfer {
    std::string name;
    planner::Side source;
    std::vector<planner::Side> sinks;
    std::vector<int64_t> tags;         // per sink its first message tag
    std::vector<bool> drops;           // per sink
    std::vector<int64_t> every, phase; // per sink, as in MatchedSide
    planner::PlanOptions options;
    std::shared_ptr<const planner::NodeMap> nodes;
    int rank = 0;        // of this process
    bool stream = false; // frames have headers
};

// Number of message tags of each sink: one for data; in a stream also one for headers and two for sinks that drop.
// The two functions below return a tag, given the sink's first one, which is for data. drop_tag() is the first of
// two.
inline int64_t tags_per_sink(bool stream) { return stream ? 4 : 1; }
inline int64_t header_tag(int64_t first) { return first + 1; }
inline int64_t drop_tag(int64_t first) { return first + 2; }

// endpoints: all of that name, in rising order of ranks. bystanders: what a message may add. Fails with
// DRI_ERR_UNMATCHED, DRI_ERR_MISMATCH, DRI_ERR_ARG or DRI_ERR_UNSUPPORTED. Fails with DRI_ERR_STATE if no endpoint
// of a side has a head: the endpoint that should have sent it is missing, and without the head the message cannot
// describe the side.
MatchedName match_endpoints(const std::string &name, std::span<const EndpointDescription> endpoints,
                            const model::Group &scope, std::span<const Bystander> bystanders = {});

} // namespace dri::commit
