// Adds nodes and calls to a graph, and checks each.
#pragma once

#include "graph/body.hpp"
#include "graph/exchange.hpp"
#include "outer/objects.hpp"

#include <mutex>
#include <span>

namespace dri::graph {

// The graph of one process until it is partitioned. One thread uses it at a time.
class GraphBuilder {
public:
    explicit GraphBuilder(DRI_Group group);

    DRI_Node add_input(const char *name, DRI_Gdo shape);
    DRI_Node add_data(DRI_Gdo shape, const void *data);
    DRI_Node add_value(DRI_Gdo shape);
    void add_call(const char *name, DRI_Call_fn fn, void *context, std::span<const DRI_Node> out,
                  std::span<const DRI_Node> in);
    DRI_Node add_recv(int src, const char *tag, DRI_Gdo shape);
    DRI_Node add_send(DRI_Node data, int dest, const char *tag);
    DRI_Node add_staple(DRI_Node send, DRI_Node to);
    DRI_Node add_port(DRI_Role role, const char *name, DRI_Dist dist, DRI_Layout layout);
    void set_attr(DRI_Node port, DRI_Attr attr, int64_t value);
    void set_scale(DRI_Node sink, double scale);
    void store(DRI_Node node);
    void add_output(const char *name, DRI_Node node);

    const outer::Partners &scope() const { return scope_; }
    const GraphBody &body() const { return *body_; }
    // Fails with DRI_ERR_STATE if the graph is partitioned.
    void require_open() const;
    // Closes the graph and hands on what it holds.
    std::shared_ptr<GraphBody> close();
    // The number of a node of this graph, open or not. Fails with DRI_ERR_ARG.
    static int index_of(DRI_Node node, uint64_t serial, size_t nodes, const char *what);
    uint64_t serial() const { return serial_; }

private:
    GraphNode &add(NodeKind kind);
    DRI_Node last() const;
    int index(DRI_Node node, const char *what) const;
    int readable(DRI_Node node, const char *what) const;
    void require_member(int rank, const char *what) const;
    GraphPort &port(DRI_Node node);

    outer::OwnedGroup group_;
    outer::Partners scope_;
    uint64_t serial_;
    std::shared_ptr<GraphBody> body_;
    bool is_closed_ = false;
};

using GraphObjects = outer::Objects<DRI_Graph, GraphBuilder, HandleKind::graph>;

} // namespace dri::graph
