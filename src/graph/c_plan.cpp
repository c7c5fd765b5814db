// The calls of graph_plan.h on graphs and plans.
#include "graph/plan_object.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

// Gives the user the first `most` of a list of operations, and the length of the list.
template <class List>
void give_operations(const PlanBody &plan, const List &list, int most, DRI_Operation ops[], int *n) {
    outer::require_pointer(n, "n");
    *n = 0;
    if (most < 0)
        fail(DRI_ERR_ARG, "most is {}, but must be at least 0", most);
    if (most > 0)
        outer::require_pointer(ops, "ops");
    for (size_t i = 0; i < std::min(list.size(), static_cast<size_t>(most)); ++i)
        ops[i] = plan.operation(list[i]);
    *n = static_cast<int>(list.size());
}

int64_t find_operation(const PlanBody &plan, const DRI_Operation &operation) {
    outer::require_pointer(operation.tag, "the operation's tag");
    const OperationName name{operation.src, operation.dest, operation.tag};
    const int64_t at = plan.operations().find(name);
    if (at < 0)
        fail(DRI_ERR_ARG, "the plan does not have {}", name.text());
    return at;
}

} // namespace

} // namespace dri::graph

extern "C" {

int DRI_graph_partition(DRI_Graph graph, DRI_Plan *plan) {
    return dri::outer::run("DRI_graph_partition", [&] {
        dri::graph::forget_faults();
        if (plan)
            *plan = {};
        const auto found = dri::graph::GraphObjects::get(graph);
        auto made =
            std::make_shared<dri::graph::PlanObject>(*found, [&] { dri::outer::require_pointer(plan, "plan"); });
        *plan = dri::graph::PlanObjects::insert(std::move(made));
    });
}

int DRI_plan_num_parts(DRI_Plan plan, int *n) {
    return dri::outer::run("DRI_plan_num_parts", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        dri::outer::require_pointer(n, "n");
        *n = static_cast<int>(found->body().parts().parts.size());
    });
}

int DRI_plan_get_part(DRI_Plan plan, int pid, const DRI_Graph_part **part) {
    return dri::outer::run("DRI_plan_get_part", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        dri::outer::require_pointer(part, "part");
        *part = &found->body().shown(pid);
    });
}

int DRI_plan_get_batch(DRI_Plan plan, int batch, int most, DRI_Operation ops[], int *n) {
    return dri::outer::run("DRI_plan_get_batch", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        if (batch < 0)
            dri::fail(DRI_ERR_ARG, "batch is {}, but must be at least 0", batch);
        const auto list = found->body().operations().in_batch(batch);
        dri::graph::give_operations(found->body(), list, most, ops, n);
    });
}

int DRI_plan_get_needs(DRI_Plan plan, DRI_Operation operation, int most, DRI_Operation ops[], int *n) {
    return dri::outer::run("DRI_plan_get_needs", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        const int64_t at = dri::graph::find_operation(found->body(), operation);
        dri::graph::give_operations(found->body(), found->body().operations().needs(at), most, ops, n);
    });
}

int DRI_plan_part_of(DRI_Plan plan, DRI_Node node, int *pid) {
    return dri::outer::run("DRI_plan_part_of", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        dri::outer::require_pointer(pid, "pid");
        const dri::graph::PlanBody &body = found->body();
        const int asked = body.index_of(node), value = body.body().value_of(asked);
        const auto at = static_cast<size_t>(value);
        *pid = body.reached().has(asked) && body.parts().is_stored[at] ? body.parts().node_part[at] : -1;
    });
}

int DRI_plan_get_name(DRI_Plan plan, DRI_Node node, const char **name) {
    return dri::outer::run("DRI_plan_get_name", [&] {
        const auto found = dri::graph::PlanObjects::get(plan);
        dri::outer::require_pointer(name, "name");
        *name = nullptr;
        const dri::graph::PlanBody &body = found->body();
        const int asked = body.index_of(node), value = body.body().value_of(asked);
        const std::string &own = body.parts().names[static_cast<size_t>(value)];
        if (body.reached().has(asked) && !own.empty())
            *name = own.c_str();
    });
}

int DRI_plan_describe(DRI_Plan plan, char *text, size_t n) {
    return dri::outer::run("DRI_plan_describe", [&] {
        dri::outer::give_text(dri::graph::PlanObjects::get(plan)->body().describe(), text, n);
    });
}

int DRI_plan_destroy(DRI_Plan *plan) {
    return dri::outer::run("DRI_plan_destroy", [&] {
        dri::outer::require_library();
        dri::outer::require_pointer(plan, "plan");
        const auto found = dri::graph::PlanObjects::get(*plan);
        const dri::graph::PlanObject::Use use(*found);
        dri::graph::PlanObjects::destroy(plan, "plan");
    });
}
}
