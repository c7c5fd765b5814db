// A plan as one process holds it: its graph, the operations of all, and its parts.
#pragma once

#include "graph/builder.hpp"
#include "graph/cut.hpp"
#include "outer/owned.hpp"

#include <dri/graph_plan.h>

#include <atomic>

namespace dri::graph {

// A part with the lists that its public description points to.
struct ShownPart {
    std::vector<int> needed;
    std::vector<DRI_Operation> recvs, sends;
    std::vector<const char *> inputs, part_inputs, outputs;
    DRI_Graph_part part{};
};

class PlanBody {
public:
    // Collective over the graph's group. Closes the graph if it succeeds on all processes. What `check` refuses on
    // one of them fails on all.
    explicit PlanBody(
        GraphBuilder &graph, const std::function<void()> &check = [] {});

    // Of the process `rank`, where the graphs of all are known. Its parts have no descriptions.
    PlanBody(std::shared_ptr<GraphBody> body, Reached reached, const std::vector<ToldGraph> &all, int rank);

    const GraphBody &body() const { return *body_; }
    const Reached &reached() const { return reached_; }
    const Operations &operations() const { return *operations_; }
    const ProcessCut &parts() const { return cut_; }
    const outer::Partners &scope() const { return scope_; }
    int rank() const { return rank_; }

    // Keeps memory until the graph is destroyed.
    void keep(std::shared_ptr<const void> memory) const { body_->left.push_back(std::move(memory)); }

    int index_of(DRI_Node node) const;
    const DRI_Graph_part &shown(int pid) const;
    DRI_Operation operation(int64_t at, const char *name = nullptr) const;
    std::string describe() const;

private:
    void show_parts();
    void show_names(ShownPart &shown, int pid);
    void check_pid(int pid) const;

    outer::OwnedGroup group_;
    outer::Partners scope_;
    int rank_ = -1;
    uint64_t serial_ = 0;
    std::shared_ptr<GraphBody> body_;
    Reached reached_;
    std::unique_ptr<Operations> operations_;
    ProcessCut cut_;
    std::vector<ShownPart> shown_;
};

} // namespace dri::graph
