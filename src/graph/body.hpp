// What one process has said about its graph, as plain data.
#pragma once

#include "graph/shape.hpp"
#include "outer/owned.hpp"

#include <dri/graph.h>

#include <map>
#include <memory>
#include <optional>

namespace dri::graph {

enum class NodeKind : uint8_t { input, data, value, recv, send, staple, source, sink };

struct GraphNode {
    NodeKind kind{};
    bool is_marked = false;     // by DRI_graph_store
    int shape = -1;             // of GraphBody::shapes; -1: a send or a port
    int writer = -1;            // value, source: the call
    int peer = -1;              // recv: the sender; send: the receiver
    int of = -1;                // send: the node that is sent; staple: the node whose value it has. No staples
    int send = -1;              // staple: what it keeps alive
    int via = -1;               // send, staple: the staple by which the user named `of`
    int port = -1;              // source, sink: of GraphBody::ports
    std::string name{};         // input: its name; recv, send: the tag; port: the transfer's name
    const void *data = nullptr; // data
};

struct GraphCall {
    std::string name;
    DRI_Call_fn fn = nullptr;
    void *context = nullptr;
    std::vector<int> out, in; // nodes; no staples
    std::vector<int> keeps;   // staples that it reads
};

struct GraphPort {
    int node = -1;
    DRI_Role role{};
    outer::OwnedDist dist;
    outer::OwnedLayout layout;
    std::vector<int> ranks; // of the distribution's group
    NodeShape whole;        // of the array
    std::map<int, int64_t> attributes;
    std::optional<double> scale;

    bool drops() const;
    bool converts() const;
};

struct GraphBody {
    ShapeTable shapes;
    std::vector<GraphNode> nodes;
    std::vector<GraphCall> calls;
    std::vector<GraphPort> ports;
    std::vector<std::shared_ptr<const void>> left; // memory of a plan that broke, until the graph is destroyed
    std::map<std::string, int> inputs, outputs;    // nodes by the user's names; of outputs also sends and staples

    const GraphNode &node(int index) const { return nodes[static_cast<size_t>(index)]; }
    const GraphCall &call(int index) const { return calls[static_cast<size_t>(index)]; }
    const GraphPort &port_of(int index) const { return ports[static_cast<size_t>(node(index).port)]; }
    // The node that has the value: of a staple the one that it stands for, of a send what is sent.
    int value_of(int index) const {
        const GraphNode &found = node(index);
        return found.kind == NodeKind::send || found.kind == NodeKind::staple ? found.of : index;
    }
    int64_t bytes_of(int index) const { return shapes.at(node(index).shape).bytes(); }
};

} // namespace dri::graph
