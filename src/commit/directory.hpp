// The directory of a name: the process that the holders of its ends tell them to, that matches them, and that
// answers each with what concerns it. Which process that is follows from the name's digest; all know it without
// asking.
#pragma once

#include "commit/match.hpp"
#include "transport/sparse_exchange.hpp"

#include <map>

namespace dri {

using Endpoints = std::span<const std::shared_ptr<Endpoint>>;

// To the directories: the ends of this process, or those of one name. whole: each with its distribution's head;
// else that comes from one process of each group alone.
std::vector<Parcel> describe_endpoints(Endpoints mine, const Group &scope, int rank);
std::vector<Parcel> describe_endpoints_whole(Endpoints mine, const std::string &name, const Group &scope);

// What has come, by name. Fails with DRI_ERR_INTERNAL on what is no description.
std::map<std::string, std::vector<EndpointDescription>> read_descriptions(std::span<const Parcel> arrived);

// What a process is told of one side of a name.
struct SideAnswer {
    Digest dist;
    int holder = 0; // a process that holds the distribution and will send it to this one if asked
    std::vector<Layout> layouts;
    double scale = 1; // of a sink
    Strips strips;
    bool drops = false; // a sink
    int64_t tag = 0;    // of a sink
};

struct Answer {
    std::string name;
    PlanOptions options;
    bool stream = false;
    SideAnswer source;
    std::vector<SideAnswer> sinks;
};

// To the holders of ends. first_tag: the first tag of the first name's first sink; the others follow.
std::vector<Parcel> answer_endpoints(std::span<const MatchedName> names, int64_t first_tag);
std::vector<Answer> read_answers(std::span<const Parcel> arrived);

} // namespace dri
