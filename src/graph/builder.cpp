// Nodes and calls. A node's handle has the graph's number in its upper half, so that one of another graph is
// refused.
#include "graph/builder.hpp"

#include "graph/ports.hpp"
#include "graph/tags.hpp"

#include <dri/dist.h>

#include <algorithm>
#include <atomic>
#include <set>

namespace dri::graph {

namespace {

uint64_t next_serial() {
    static std::atomic<uint32_t> count{0};
    return uint64_t{++count} << 32;
}

} // namespace

GraphBuilder::GraphBuilder(DRI_Group group) : serial_(next_serial()), body_(std::make_shared<GraphBody>()) {
    const outer::Partners given = partners_of(group);
    // A group of its own, because the user may destroy theirs.
    outer::require(DRI_group_create(static_cast<int>(given.ranks.size()), given.ranks.data(), group_.out()));
    scope_ = {group_.get(), given.ranks};
}

void GraphBuilder::require_open() const {
    if (is_closed_)
        fail(DRI_ERR_STATE, "the graph is partitioned, so nothing can be added");
}

std::shared_ptr<GraphBody> GraphBuilder::close() {
    is_closed_ = true;
    return body_;
}

int GraphBuilder::index_of(DRI_Node node, uint64_t serial, size_t nodes, const char *what) {
    const uint64_t at = (node.id & 0xffffffffu) - 1;
    if (!node.id || (node.id & ~uint64_t{0xffffffffu}) != serial || at >= nodes)
        fail(DRI_ERR_ARG, "{} is no node of this graph", what);
    return static_cast<int>(at);
}

int GraphBuilder::index(DRI_Node node, const char *what) const {
    return index_of(node, serial_, body_->nodes.size(), what);
}

int GraphBuilder::readable(DRI_Node node, const char *what) const {
    const int found = index(node, what);
    if (body_->node(found).kind == NodeKind::send)
        fail(DRI_ERR_ARG, "{} is a send, which has no value", what);
    return found;
}

void GraphBuilder::require_member(int rank, const char *what) const {
    if (std::find(scope_.ranks.begin(), scope_.ranks.end(), rank) == scope_.ranks.end())
        fail(DRI_ERR_ARG, "{} is {}, which is not in the graph's group", what, rank);
}

GraphNode &GraphBuilder::add(NodeKind kind) {
    GraphNode &made = body_->nodes.emplace_back();
    made.kind = kind;
    return made;
}

DRI_Node GraphBuilder::last() const { return {serial_ | body_->nodes.size()}; }

DRI_Node GraphBuilder::add_input(const char *name, DRI_Gdo shape) {
    require_open();
    const std::string checked = checked_name(name, "name");
    const NodeShape read = shape_of(shape);
    if (!body_->inputs.try_emplace(checked, static_cast<int>(body_->nodes.size())).second)
        fail(DRI_ERR_DUPLICATE, "the graph has an input '{}'", checked);
    GraphNode &made = add(NodeKind::input);
    made.name = checked;
    made.shape = body_->shapes.add(read);
    return last();
}

DRI_Node GraphBuilder::add_data(DRI_Gdo shape, const void *data) {
    require_open();
    const NodeShape read = shape_of(shape);
    if (read.bytes() > 0)
        outer::require_pointer(data, "data");
    GraphNode &made = add(NodeKind::data);
    made.data = data;
    made.shape = body_->shapes.add(read);
    return last();
}

DRI_Node GraphBuilder::add_value(DRI_Gdo shape) {
    require_open();
    const int read = body_->shapes.add(shape_of(shape));
    add(NodeKind::value).shape = read;
    return last();
}

void GraphBuilder::add_call(const char *name, DRI_Call_fn fn, void *context, std::span<const DRI_Node> out,
                            std::span<const DRI_Node> in) {
    require_open();
    GraphCall made{checked_name(name, "name"), fn, context, {}, {}, {}};
    if (!fn)
        fail(DRI_ERR_ARG, "fn is NULL");
    std::set<int> written;
    for (const DRI_Node node : out) {
        const int at = index(node, "a node in out");
        const GraphNode &found = body_->node(at);
        if (found.kind != NodeKind::value && found.kind != NodeKind::source)
            fail(DRI_ERR_ARG, "the call '{}' writes a node that is neither a value nor a source port", name);
        if (found.writer >= 0 || !written.insert(at).second)
            fail(DRI_ERR_ARG, "the call '{}' writes a node that the call '{}' writes already", name,
                 found.writer >= 0 ? body_->call(found.writer).name : made.name);
        made.out.push_back(at);
    }
    for (const DRI_Node node : in) {
        const int at = readable(node, "a node in in");
        if (body_->node(at).kind == NodeKind::staple)
            made.keeps.push_back(at);
        made.in.push_back(body_->value_of(at));
    }
    for (const int at : made.out)
        body_->nodes[static_cast<size_t>(at)].writer = static_cast<int>(body_->calls.size());
    body_->calls.push_back(std::move(made));
}

DRI_Node GraphBuilder::add_recv(int src, const char *tag, DRI_Gdo shape) {
    require_open();
    require_member(src, "src");
    const std::string checked = checked_name(tag, "tag");
    const int read = body_->shapes.add(shape_of(shape));
    GraphNode &made = add(NodeKind::recv);
    made.peer = src;
    made.name = checked;
    made.shape = read;
    return last();
}

DRI_Node GraphBuilder::add_send(DRI_Node data, int dest, const char *tag) {
    require_open();
    require_member(dest, "dest");
    const int sent = readable(data, "data");
    if (body_->node(body_->value_of(sent)).port >= 0)
        fail(DRI_ERR_ARG, "data is a port, which only its transfer moves");
    const std::string checked = checked_name(tag, "tag");
    GraphNode &made = add(NodeKind::send);
    made.peer = dest;
    made.name = checked;
    made.of = body_->value_of(sent);
    made.via = sent == made.of ? -1 : sent;
    return last();
}

DRI_Node GraphBuilder::add_staple(DRI_Node send, DRI_Node to) {
    require_open();
    const int kept = index(send, "send"), same = readable(to, "to");
    if (body_->node(kept).kind != NodeKind::send)
        fail(DRI_ERR_ARG, "send is no node of DRI_graph_send");
    GraphNode &made = add(NodeKind::staple);
    made.send = kept;
    made.of = body_->value_of(same);
    made.shape = body_->node(made.of).shape;
    made.via = same == made.of ? -1 : same;
    return last();
}

DRI_Node GraphBuilder::add_port(DRI_Role role, const char *name, DRI_Dist dist, DRI_Layout layout) {
    require_open();
    GraphPort made = make_port(role, checked_name(name, "name"), dist, layout);
    for (const GraphPort &other : body_->ports)
        if (role == DRI_SOURCE && other.role == role && body_->node(other.node).name == name)
            fail(DRI_ERR_DUPLICATE, "the graph has a source port '{}'", name);
    for (const int rank : made.ranks)
        require_member(rank, "a process of the distribution");
    made.node = static_cast<int>(body_->nodes.size());
    GraphNode &node = add(role == DRI_SOURCE ? NodeKind::source : NodeKind::sink);
    node.name = name;
    node.port = static_cast<int>(body_->ports.size());
    body_->ports.push_back(std::move(made));
    return last();
}

GraphPort &GraphBuilder::port(DRI_Node node) {
    require_open();
    const GraphNode &found = body_->node(index(node, "port"));
    if (found.port < 0)
        fail(DRI_ERR_ARG, "the node is no port");
    return body_->ports[static_cast<size_t>(found.port)];
}

void GraphBuilder::set_attr(DRI_Node node, DRI_Attr attr, int64_t value) {
    GraphPort &changed = port(node);
    set_port_attr(changed, body_->node(changed.node).name, attr, value);
}

void GraphBuilder::set_scale(DRI_Node sink, double scale) {
    GraphPort &changed = port(sink);
    set_port_scale(changed, body_->node(changed.node).name, scale);
}

void GraphBuilder::store(DRI_Node node) {
    require_open();
    body_->nodes[static_cast<size_t>(body_->value_of(readable(node, "node")))].is_marked = true;
}

void GraphBuilder::add_output(const char *name, DRI_Node node) {
    require_open();
    const std::string checked = checked_name(name, "name");
    const int found = index(node, "node");
    if (!body_->outputs.try_emplace(checked, found).second)
        fail(DRI_ERR_DUPLICATE, "the graph has an output '{}'", checked);
}

} // namespace dri::graph
