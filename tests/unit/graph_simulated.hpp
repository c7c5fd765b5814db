// Graphs of simulated processes, and what all of them tell each other.
#pragma once

#include "graph/telling.hpp"

#include <gtest/gtest.h>

namespace dri::graph {

// A graph of one process, without handles.
struct SimulatedGraph {
    GraphBody body;
    NodeShape shape{0, 8, 8, {4}};

    int add(NodeKind kind) {
        GraphNode &made = body.nodes.emplace_back();
        made.kind = kind;
        made.shape = body.shapes.add(shape);
        return static_cast<int>(body.nodes.size()) - 1;
    }
    int recv(int src, const std::string &tag) {
        const int node = add(NodeKind::recv);
        body.nodes.back().peer = src;
        body.nodes.back().name = tag;
        return node;
    }
    void send(int of, int dest, const std::string &tag) {
        const int node = add(NodeKind::send);
        body.nodes.back().peer = dest;
        body.nodes.back().name = tag;
        body.nodes.back().of = of;
        body.outputs["sent " + tag] = node;
    }
    // The end of a transfer between single elements of its processes.
    int port(DRI_Role role, const std::string &name, const std::vector<int> &ranks) {
        const int node = add(role == DRI_SOURCE ? NodeKind::source : NodeKind::sink);
        body.nodes.back().name = name;
        body.nodes.back().port = static_cast<int>(body.ports.size());
        GraphPort &made = body.ports.emplace_back();
        made.node = node;
        made.role = role;
        made.ranks = ranks;
        made.whole = shape;
        return node;
    }
    int call(const std::vector<int> &in) { return write(add(NodeKind::value), in); }
    // A call that writes a value or a source.
    int write(int node, const std::vector<int> &in) {
        body.nodes[static_cast<size_t>(node)].writer = static_cast<int>(body.calls.size());
        GraphCall &made = body.calls.emplace_back();
        made.name = "call";
        made.out = {node};
        made.in = in;
        return node;
    }
};

// What all processes tell, as they receive it.
inline Operations partition(const std::vector<SimulatedGraph> &graphs, std::vector<Reached> &reached,
                            size_t *told = nullptr) {
    std::vector<ToldGraph> all;
    for (size_t rank = 0; rank < graphs.size(); ++rank) {
        reached.push_back(reach(graphs[rank].body));
        Writer out;
        put(out, tell(graphs[rank].body, reached.back(), static_cast<int>(rank)));
        const Bytes bytes = out.take();
        if (told)
            *told += bytes.size();
        Reader in(bytes);
        all.push_back(get_told(in));
        EXPECT_TRUE(in.done());
    }
    return Operations(all);
}

} // namespace dri::graph
