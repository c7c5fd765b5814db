// What each process tells the others about its graph, and as bytes.
#pragma once

#include "base/checked.hpp"
#include "graph/shape.hpp"

#include <span>
#include <string>
#include <vector>

namespace dri::graph {

// Lists of numbers, one behind the other in one memory.
struct NumberLists {
    std::vector<int> first{0}, all;

    size_t size() const { return first.size() - 1; }
    std::span<const int> operator[](size_t i) const {
        return {all.data() + first[i], static_cast<size_t>(first[i + 1] - first[i])};
    }
    // Adds to the list that close() ends.
    void push_back(int number) { all.push_back(number); }
    void close() { first.push_back(narrow<int>(static_cast<int64_t>(all.size()))); }
};

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
    NumberLists unions; // each of numbers before its own
};

void put(Writer &out, const ToldGraph &told);
ToldGraph get_told(Reader &in);

} // namespace dri::graph
