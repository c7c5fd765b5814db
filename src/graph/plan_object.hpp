// The object behind a plan's handle.
#pragma once

#include "graph/plan_body.hpp"
#include "outer/objects.hpp"

namespace dri::graph {

class PlanObject {
public:
    explicit PlanObject(GraphBuilder &graph) : body_(graph) {}

    const PlanBody &body() const { return body_; }
    void require_idle() const {}

private:
    PlanBody body_;
};

using PlanObjects = outer::Objects<DRI_Plan, PlanObject, HandleKind::graph_plan>;

} // namespace dri::graph
