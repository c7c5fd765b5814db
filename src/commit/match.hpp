// Matching the ends of one name: a pure function of what the processes say of them.
#pragma once

#include "commit/description.hpp"
#include "planner/node_map.hpp"
#include "planner/planner.hpp"

#include <span>
#include <string>
#include <vector>

namespace dri {

// One side of a name, complete.
struct MatchedSide {
    Digest dist;
    std::vector<int> ranks;      // by group position
    std::vector<Layout> layouts; // one per group position, or a single one for all
    double scale = 1;            // of a sink: the factor of its numbers
    Strips strips = {};          // dist is the first one's
    bool drops = false;          // a sink
};

// All ends of one name.
struct MatchedName {
    std::string name;
    MatchedSide source;
    std::vector<MatchedSide> sinks;
    PlanOptions options;
    bool stream = false;
};

// A name as one of its processes is told of it: of the sinks, a process of the source knows all, another one its
// own.
struct MatchedTransfer {
    std::string name;
    Side source;
    std::vector<Side> sinks;
    std::vector<int64_t> tags; // per sink its first one
    std::vector<bool> drops;   // per sink
    PlanOptions options;
    std::shared_ptr<const NodeMap> nodes;
    int rank = 0;        // of this process
    bool stream = false; // frames have headers
};

// Message tags of each sink: its first one is for data. Two are for sinks that drop.
inline int64_t tags_per_sink(bool stream) { return stream ? 4 : 1; }
inline int64_t header_tag(int64_t first) { return first + 1; }
inline int64_t drop_tag(int64_t first) { return first + 2; }

// endpoints: all of that name, in rising order of ranks. Fails with DRI_ERR_UNMATCHED or DRI_ERR_MISMATCH; with
// DRI_ERR_STATE where no end of a side has a head, which says that some end is missing, but not what there is to
// tell of it.
MatchedName match_endpoints(const std::string &name, std::span<const EndpointDescription> endpoints,
                            const Group &scope);

} // namespace dri
