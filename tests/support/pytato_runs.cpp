// Cases that run plans.
#include "graph/plan_object.hpp"
#include "support/graph_program.hpp"
#include "support/pytato_cases.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri::test {

namespace {

std::vector<double> output_of(DRI_Plan plan, const std::string &name, size_t elements) {
    const void *data = nullptr;
    expect_success(DRI_plan_get_output(plan, name.c_str(), &data), "DRI_plan_get_output");
    const auto *const numbers = static_cast<const double *>(data);
    return numbers ? std::vector<double>(numbers, numbers + elements) : std::vector<double>();
}

Plan committed(DRI_Graph graph, const DRI_Plan_options *options = nullptr) {
    Plan plan = make_plan(graph);
    expect_success(DRI_plan_commit(plan, options), "DRI_plan_commit");
    return plan;
}

const Json &find_case(const Json &id, const std::vector<Json> &cases) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const Json &one) { return one["id"] == id; });
    static const Json none;
    return found == cases.end() ? none : *found;
}

} // namespace

void expect_outputs(DRI_Plan plan, const NamedGraph &graph, const Json &program, const Json &outputs) {
    for (const auto &[name, values] : outputs.items())
        EXPECT_EQ(output_of(plan, name, graph.elements(program["outputs"][name])),
                  values.get<std::vector<double>>())
            << name;
}

std::string check_pytato_orders(const Json &c, const std::vector<Json> &cases) {
    std::mt19937 dice(static_cast<unsigned>(world().rank) + 7);
    for (const Json &id : c["input"]["programs_of"]) {
        const Json &of = find_case(id, cases);
        if (of.is_null())
            continue;
        const int n = of["input"]["nranks"];
        if (const auto reason = left_out(n); reason && !reason->empty())
            return *reason;
        if (left_out(n))
            continue;
        const Group group = make_group(ranks(n));
        const auto rank = static_cast<size_t>(world().rank);
        const Json &program = of["input"]["programs"][rank];
        const auto graph = build_program(program, group, &dice);
        const Plan plan = committed(graph->graph);
        for (int run = 0; run < 50; ++run) {
            for (Sum &sum : graph->sums)
                sum.delay_us = static_cast<int>(dice() % 200);
            expect_success(DRI_plan_run(plan), "DRI_plan_run");
            expect_outputs(plan, *graph, program, of["expect"]["outputs"][rank]);
        }
    }
    return "";
}

std::string check_pytato_release(const Json &c, const std::vector<Json> &cases) {
    for (const Json &id : c["input"]["programs_of"]) {
        const Json &of = find_case(id, cases);
        if (of.is_null())
            continue;
        const int n = of["input"]["nranks"];
        if (const auto reason = left_out(n); reason && !reason->empty())
            return *reason;
        if (left_out(n))
            continue;
        const Json &program = of["input"]["programs"][static_cast<size_t>(world().rank)];
        const auto graph = build_program(program, make_group(ranks(n)));
        const Plan plan = committed(graph->graph);
        for (int run = 0; run < 3; ++run) {
            expect_success(DRI_plan_run(plan), "DRI_plan_run");
            const auto [held, with_outputs] = graph::PlanObjects::get(plan)->runner().held();
            EXPECT_EQ(held, with_outputs) << "received arrays that nobody reads any more are kept";
        }
        for (const Json &name : c["expect"]["live_at_end"])
            EXPECT_FALSE(output_of(plan, name, 1).empty());
    }
    return "";
}

std::string check_pytato_repeat(const Json &c) {
    if (const auto reason = left_out(2))
        return *reason;
    NamedGraph graph(make_group(ranks(2)));
    const int other = 1 - world().rank;
    graph.input("x", "x", 4);
    graph.recv("r", other, "x", 4);
    graph.send("s", "x", other, "x");
    graph.staple("h", "s", "r");
    graph.sum("y", {"x", "h"}, {});
    graph.output("out", "y");
    const Plan plan = committed(graph.graph);
    for (size_t i = 0; i < c["input"]["inputs"].size(); ++i) {
        const auto given = c["input"]["inputs"][i].get<std::vector<double>>();
        expect_success(DRI_plan_set_input(plan, "x", given.data()), "DRI_plan_set_input");
        expect_success(DRI_plan_run(plan), "DRI_plan_run");
        EXPECT_EQ(output_of(plan, "out", 4), c["expect"]["out"][i].get<std::vector<double>>());
    }
    return "";
}

std::string check_pytato_property(const Json &c) {
    const int first = c["input"]["seeds"][0], last = c["input"]["seeds"][1];
    for (int seed = first; seed <= last; ++seed)
        for (int n = 2; n <= std::min(4, world().size); ++n) {
            if (world().rank >= n)
                continue;
            std::mt19937 dice(static_cast<unsigned>(seed * 10 + n));
            const Program program = random_program(dice, n);
            const auto graph = graph_of(program, make_group(ranks(n)), world().rank, 0, dice);
            expect_frames(program, committed(graph->graph), world().rank, 0, 2);
        }
    return "";
}

} // namespace dri::test
