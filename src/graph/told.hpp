// What each process tells the others about its graph, and as bytes.
#pragma once

#include "graph/number_lists.hpp"
#include "graph/shape.hpp"

#include <string>
#include <vector>

namespace dri::graph {

// What one process tells the others about its graph. What something needs is one number: of the recvs first, then
// of the sinks, then of the unions; -1: nothing.
struct ToldSend {
    int dest = -1;
    std::string tag;
    int shape = -1; // of the graph's
    int data = 0;   // the first of the process's sends that has the same node
    int needs = -1;
    bool begins = false; // computed from a call without inputs, which may end a stream
};

struct ToldRecv {
    int src = -1;
    std::string tag;
    int shape = -1; // of the graph's
};

struct ToldPort {
    std::string name;
    NodeShape whole;        // of the whole array
    bool converts = false;  // a sink
    int first_rank = -1;    // of the distribution's group
    Digest group{};         // of the list of its processes
    std::vector<int> ranks; // of the group, told by its first process only
    int needs = -1;         // of a source
    bool begins = false;    // a source: as in ToldSend
};

struct ToldGraph {
    int rank = -1;
    std::vector<NodeShape> shapes; // of sends and recvs
    std::vector<ToldSend> sends;
    std::vector<ToldRecv> recvs;
    std::vector<ToldPort> sources, sinks;
    NumberLists<int> unions; // each of numbers before its own
};

void put(Writer &out, const ToldGraph &told);
ToldGraph get_told(Reader &in);

} // namespace dri::graph
