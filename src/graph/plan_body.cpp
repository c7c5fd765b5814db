// Partitions a graph together with those of the other processes.
#include "graph/plan_body.hpp"

#include "graph/telling.hpp"
#include "outer/agree.hpp"

#include <dri/dist.h>
#include <dri/env.h>

#include <algorithm>
#include <cstring>

namespace dri::graph {

namespace {

void sort_names(std::vector<const char *> &names) {
    std::sort(names.begin(), names.end(), [](const char *a, const char *b) { return std::strcmp(a, b) < 0; });
}

} // namespace

PlanBody::PlanBody(GraphBuilder &graph, const std::function<void()> &check) : serial_(graph.serial()) {
    outer::require(DRI_world_rank(&rank_));
    const auto brought = exchange(graph.scope(), [&] {
        check();
        graph.require_open();
        reached_ = reach(graph.body());
        Writer out;
        put(out, tell(graph.body(), reached_, rank_));
        return out.take();
    });
    std::vector<ToldGraph> all;
    for (const Bytes &one : brought) {
        Reader in(one);
        all.push_back(get_told(in));
    }
    operations_ = std::make_unique<Operations>(all);
    const auto &ranks = graph.scope().ranks;
    outer::require(DRI_group_create(static_cast<int>(ranks.size()), ranks.data(), group_.out()));
    scope_ = {group_.get(), ranks};
    body_ = graph.close();
    cut_ = cut(*body_, reached_, *operations_, rank_);
    show_parts();
}

PlanBody::PlanBody(std::shared_ptr<GraphBody> body, Reached reached, const std::vector<ToldGraph> &all, int rank)
    : rank_(rank), body_(std::move(body)), reached_(std::move(reached)),
      operations_(std::make_unique<Operations>(all)), cut_(cut(*body_, reached_, *operations_, rank_)) {}

int PlanBody::index_of(DRI_Node node) const {
    return GraphBuilder::index_of(node, serial_, body_->nodes.size(), "node");
}

DRI_Operation PlanBody::operation(int64_t at, const char *name) const {
    return {operations_->src(at), operations_->dest(at), operations_->tag(at).c_str(), operations_->shape(at),
            name};
}

void PlanBody::check_pid(int pid) const {
    if (pid < 0 || pid >= static_cast<int>(shown_.size()))
        fail(DRI_ERR_ARG, "pid is {}, but the process has parts 0 to {}", pid, shown_.size() - 1);
}

const DRI_Graph_part &PlanBody::shown(int pid) const {
    check_pid(pid);
    return shown_[static_cast<size_t>(pid)].part;
}

void PlanBody::show_parts() {
    std::map<OperationName, int> sent, received; // the node of each operation
    for (const int send : reached_.sends)
        sent[{rank_, body_->node(send).peer, body_->node(send).name}] = body_->node(send).of;
    for (const int source : reached_.sources)
        sent[{-1, -1, body_->node(source).name}] = source;
    for (const int recv : reached_.recvs)
        received[{body_->node(recv).peer, rank_, body_->node(recv).name}] = recv;
    for (const int sink : reached_.sinks)
        received.try_emplace({-1, -1, body_->node(sink).name}, sink);
    const auto name = [&](const std::map<OperationName, int> &nodes, int64_t at) {
        return cut_.names[static_cast<size_t>(nodes.at(operations_->name(at)))].c_str();
    };
    shown_.resize(cut_.parts.size());
    for (size_t pid = 0; pid < shown_.size(); ++pid) {
        ShownPart &shown = shown_[pid];
        if (pid > 0)
            shown.needed.push_back(static_cast<int>(pid) - 1);
        for (const int64_t at : cut_.parts[pid].recvs)
            shown.recvs.push_back(operation(at, name(received, at)));
        for (const int64_t at : cut_.parts[pid].sends)
            shown.sends.push_back(operation(at, name(sent, at)));
        show_names(shown, static_cast<int>(pid));
        const auto length = [](const auto &list) { return static_cast<int>(list.size()); };
        shown.part = {static_cast<int>(pid), length(shown.needed),
                      length(shown.recvs),   length(shown.sends),
                      length(shown.inputs),  length(shown.part_inputs),
                      length(shown.outputs), shown.needed.data(),
                      shown.recvs.data(),    shown.sends.data(),
                      shown.inputs.data(),   shown.part_inputs.data(),
                      shown.outputs.data(),  {}};
    }
}

void PlanBody::show_names(ShownPart &shown, int pid) {
    std::set<int> inputs;
    const auto read = [&](int node) {
        if (body_->node(node).kind == NodeKind::input)
            inputs.insert(node);
    };
    for (const int call : reached_.calls)
        if (cut_.call_part[static_cast<size_t>(call)] == pid)
            for (const int in : body_->call(call).in)
                read(in);
    for (const int node : reached_.nodes) {
        const auto at = static_cast<size_t>(node);
        if (cut_.node_part[at] != pid)
            continue;
        read(node);
        const NodeKind kind = body_->node(node).kind;
        const bool is_received = kind == NodeKind::recv || kind == NodeKind::sink;
        if (!is_received && !cut_.names[at].empty() && !body_->outputs.contains(cut_.names[at]))
            shown.outputs.push_back(cut_.names[at].c_str());
    }
    for (const auto &[name, node] : body_->outputs)
        if (cut_.node_part[static_cast<size_t>(body_->value_of(node))] == pid)
            shown.outputs.push_back(name.c_str());
    for (const int node : inputs)
        shown.inputs.push_back(body_->node(node).name.c_str());
    for (const int node : cut_.reads[static_cast<size_t>(pid)])
        shown.part_inputs.push_back(cut_.names[static_cast<size_t>(node)].c_str());
    for (auto *names : {&shown.inputs, &shown.part_inputs, &shown.outputs})
        sort_names(*names);
}

} // namespace dri::graph
