// The directory of a name: the process that matches all endpoints of that name. The processes that hold endpoints
// send their descriptions to it, and it answers each with what concerns that process. Which process it is follows
// from the digest of the name, so all processes know it without communication.
#pragma once

#include "commit/match.hpp"
#include "model/group.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"
#include "planner/planner.hpp"
#include "transport/sparse_exchange.hpp"

#include <map>

namespace dri::commit {

// To the directories: descriptions of the endpoints `mine`. Only one process of each group sends the head of the
// group's distribution.
std::vector<transport::Parcel> describe_endpoints(Endpoints mine, const model::Group &scope, int rank);
// For names that do not match: their endpoints, each with the head of its distribution, and their bystanders among
// `mine` and the process's other endpoints.
std::vector<transport::Parcel> describe_disputed(Endpoints mine, Endpoints others,
                                                 const std::map<std::string, bool> &disputed,
                                                 const model::Group &scope, int rank);

// The descriptions that arrived, by name. Fails with DRI_ERR_INTERNAL if a parcel holds no description.
std::map<std::string, std::vector<EndpointDescription>>
read_descriptions(std::span<const transport::Parcel> arrived);

struct Disputed {
    std::vector<EndpointDescription> endpoints;
    std::vector<Bystander> bystanders;
};
std::map<std::string, Disputed> read_disputed(std::span<const transport::Parcel> arrived);

// What a process learns about one side of a name.
struct SideAnswer {
    Digest dist;
    int holder = 0; // a process that holds the distribution and sends it to this one on request
    std::vector<model::Layout> layouts;
    double scale = 1; // of a sink
    model::Strips strips;
    bool drops = false;           // a sink
    int64_t every = 1, phase = 0; // a sink
    int64_t tag = 0;              // of a sink: its first message tag
};

struct Answer {
    std::string name;
    planner::PlanOptions options;
    bool stream = false;
    SideAnswer source;
    std::vector<SideAnswer> sinks; // a process of the source learns all of them, any other process its own
};

// To the processes that hold endpoints. first_tag: the first tag of the first name's first sink. Further sinks and
// names use the tags that follow.
std::vector<transport::Parcel> answer_endpoints(std::span<const MatchedName> names, int64_t first_tag);
std::vector<Answer> read_answers(std::span<const transport::Parcel> arrived);

} // namespace dri::commit
