// The calls of graph.h.
#include "graph/builder.hpp"
#include "outer/calls.hpp"

namespace dri::graph {

namespace {

std::span<const DRI_Node> nodes_of(const DRI_Node nodes[], int n, const char *name) {
    if (n < 0)
        fail(DRI_ERR_ARG, "n{} is {}, but must be at least 0", name, n);
    if (n > 0)
        outer::require_pointer(nodes, name);
    return {nodes, static_cast<size_t>(n)};
}

// Adds a node to a graph and gives the user its handle, which is null if that fails.
template <class Add> int add_node(const char *call, DRI_Graph graph, DRI_Node *node, const char *name, Add &&add) {
    return outer::run(call, [&] {
        DRI_Node &made = outer::null_handle(node, name);
        made = add(*GraphObjects::get(graph));
    });
}

} // namespace

} // namespace dri::graph

extern "C" {

int DRI_graph_create(DRI_Group group, DRI_Graph *graph) {
    return dri::outer::run("DRI_graph_create", [&] {
        DRI_Graph &made = dri::outer::null_handle(graph, "graph");
        made = dri::graph::GraphObjects::insert(std::make_shared<dri::graph::GraphBuilder>(group));
    });
}

int DRI_graph_input(DRI_Graph graph, const char *name, DRI_Gdo shape, DRI_Node *node) {
    return dri::graph::add_node("DRI_graph_input", graph, node, "node",
                                [&](auto &builder) { return builder.add_input(name, shape); });
}

int DRI_graph_data(DRI_Graph graph, DRI_Gdo shape, const void *data, DRI_Node *node) {
    return dri::graph::add_node("DRI_graph_data", graph, node, "node",
                                [&](auto &builder) { return builder.add_data(shape, data); });
}

int DRI_graph_value(DRI_Graph graph, DRI_Gdo shape, DRI_Node *node) {
    return dri::graph::add_node("DRI_graph_value", graph, node, "node",
                                [&](auto &builder) { return builder.add_value(shape); });
}

int DRI_graph_call(DRI_Graph graph, const char *name, DRI_Call_fn fn, void *context, int nout,
                   const DRI_Node out[], int nin, const DRI_Node in[]) {
    return dri::outer::run("DRI_graph_call", [&] {
        const auto found = dri::graph::GraphObjects::get(graph);
        found->add_call(name, fn, context, dri::graph::nodes_of(out, nout, "out"),
                        dri::graph::nodes_of(in, nin, "in"));
    });
}

int DRI_graph_recv(DRI_Graph graph, int src, const char *tag, DRI_Gdo shape, DRI_Node *node) {
    return dri::graph::add_node("DRI_graph_recv", graph, node, "node",
                                [&](auto &builder) { return builder.add_recv(src, tag, shape); });
}

int DRI_graph_send(DRI_Graph graph, DRI_Node data, int dest, const char *tag, DRI_Node *send) {
    return dri::graph::add_node("DRI_graph_send", graph, send, "send",
                                [&](auto &builder) { return builder.add_send(data, dest, tag); });
}

int DRI_graph_staple(DRI_Graph graph, DRI_Node send, DRI_Node to, DRI_Node *same) {
    return dri::graph::add_node("DRI_graph_staple", graph, same, "same",
                                [&](auto &builder) { return builder.add_staple(send, to); });
}

int DRI_graph_source(DRI_Graph graph, const char *name, DRI_Dist dist, DRI_Layout layout, DRI_Node *node) {
    return dri::graph::add_node("DRI_graph_source", graph, node, "node",
                                [&](auto &builder) { return builder.add_port(DRI_SOURCE, name, dist, layout); });
}

int DRI_graph_sink(DRI_Graph graph, const char *name, DRI_Dist dist, DRI_Layout layout, DRI_Node *node) {
    return dri::graph::add_node("DRI_graph_sink", graph, node, "node",
                                [&](auto &builder) { return builder.add_port(DRI_SINK, name, dist, layout); });
}

int DRI_graph_set_attr(DRI_Graph graph, DRI_Node port, DRI_Attr attr, int64_t value) {
    return dri::outer::run("DRI_graph_set_attr",
                           [&] { dri::graph::GraphObjects::get(graph)->set_attr(port, attr, value); });
}

int DRI_graph_set_scale(DRI_Graph graph, DRI_Node sink, double scale) {
    return dri::outer::run("DRI_graph_set_scale",
                           [&] { dri::graph::GraphObjects::get(graph)->set_scale(sink, scale); });
}

int DRI_graph_store(DRI_Graph graph, DRI_Node node) {
    return dri::outer::run("DRI_graph_store", [&] { dri::graph::GraphObjects::get(graph)->store(node); });
}

int DRI_graph_output(DRI_Graph graph, const char *name, DRI_Node node) {
    return dri::outer::run("DRI_graph_output",
                           [&] { dri::graph::GraphObjects::get(graph)->add_output(name, node); });
}

int DRI_graph_destroy(DRI_Graph *graph) {
    return dri::outer::run("DRI_graph_destroy", [&] { dri::graph::GraphObjects::destroy(graph, "graph"); });
}
}
