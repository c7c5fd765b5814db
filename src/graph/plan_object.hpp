// The object behind a plan's handle.
#pragma once

#include "graph/runner.hpp"
#include "outer/objects.hpp"

namespace dri::graph {

class PlanObject {
public:
    PlanObject(GraphBuilder &graph, const std::function<void()> &check) : body_(graph, check) {}

    const PlanBody &body() const { return body_; }
    // Collective over the graph's group.
    void commit(const DRI_Plan_options *options);
    // Fails with DRI_ERR_STATE before the commit.
    Runner &runner() const;
    // The text for Graphviz. Collective over the graph's group; what the caller checks is part of it.
    std::string draw(const std::function<void()> &check) const;

    // One thread at a time: fails with DRI_ERR_STATE if another one uses the plan.
    class Use {
    public:
        explicit Use(PlanObject &plan);
        Use(const Use &) = delete;
        Use &operator=(const Use &) = delete;
        ~Use() { plan_.is_used_.store(false, std::memory_order_release); }

    private:
        PlanObject &plan_;
    };

private:
    PlanBody body_;
    std::unique_ptr<Runner> runner_;
    std::atomic<bool> is_used_{false};
};

using PlanObjects = outer::Objects<DRI_Plan, PlanObject, HandleKind::graph_plan>;

} // namespace dri::graph
