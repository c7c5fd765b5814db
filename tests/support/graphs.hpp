// Graphs of tests: handles, and programs of simple calls on arrays of double.
#pragma once

#include "support/objects.hpp"

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace dri::test {

using Graph = Owned<DRI_Graph, DRI_graph_destroy>;
using Plan = Owned<DRI_Plan, DRI_plan_destroy>;

inline Graph make_graph(DRI_Group group) {
    Graph graph;
    expect_success(DRI_graph_create(group, graph.out()), "DRI_graph_create");
    return graph;
}

inline Plan make_plan(DRI_Graph graph) {
    Plan plan;
    expect_success(DRI_graph_partition(graph, plan.out()), "DRI_graph_partition");
    return plan;
}

inline DRI_Plan_options stream_options(int frames = 1, int timeout_ms = 0) {
    DRI_Plan_options options{};
    options.frames = frames;
    options.stream = 1;
    options.timeout_ms = timeout_ms;
    return options;
}

inline void commit_stream(DRI_Plan plan, int frames = 1, int timeout_ms = 0) {
    const DRI_Plan_options options = stream_options(frames, timeout_ms);
    expect_success(DRI_plan_commit(plan, &options), "DRI_plan_commit");
}

// What a simple call computes, element by element: factor * (sum of its inputs) + offset.
struct Sum {
    size_t elements = 0;
    double factor = 1, offset = 0;
    int delay_us = 0; // slept before

    static int run(void *context, DRI_Call *call);
};

// A graph with the nodes that it owns, by names of the test.
class NamedGraph {
public:
    explicit NamedGraph(DRI_Group group) : graph(make_graph(group)) {}

    void data(const std::string &id, std::vector<double> values);
    void input(const std::string &id, const std::string &name, size_t elements);
    void recv(const std::string &id, int src, const std::string &tag, size_t elements);
    void send(const std::string &id, const std::string &of, int dest, const std::string &tag);
    void staple(const std::string &id, const std::string &send, const std::string &to);
    void sum(const std::string &id, const std::vector<std::string> &of, const Sum &what);
    // A value, and the function of the test's that writes it.
    void call(const std::string &id, size_t elements, DRI_Call_fn fn, void *context = nullptr,
              const std::vector<std::string> &of = {});
    void store(const std::string &id);
    void output(const std::string &name, const std::string &id);

    DRI_Node node(const std::string &id) const { return nodes.at(id); }
    size_t elements(const std::string &id) const { return sizes.at(id); }

    Graph graph;
    std::map<std::string, DRI_Node> nodes;
    std::map<std::string, size_t> sizes;
    std::list<Sum> sums;

private:
    Gdo shape(const std::string &id, size_t elements);
    std::list<std::vector<double>> constants;
};

// The text of a plan.
std::string described(DRI_Plan plan);
using EndsName = std::tuple<int, int, std::string>; // src, dest, tag; -1, -1 for a transfer
// The operations that this one needs first, and those of a batch. Behind the last batch there are none.
std::set<EndsName> needs_in(DRI_Plan plan, const EndsName &name);
std::set<EndsName> batch_in(DRI_Plan plan, int batch);
// All faults of this thread's last call.
std::vector<DRI_Fault> faults_now();

} // namespace dri::test
