// Memory of a frame: nodes that are never needed together share it.
#include "graph/node_memory.hpp"
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <map>
#include <random>

namespace dri::test {
namespace {

int64_t bytes_of_chain(int length, bool stored) {
    graph::GraphBuilder builder(make_world());
    const Gdo shape = make_gdo({1000}, DRI_DOUBLE);
    Sum sum;
    DRI_Node last = builder.add_input("in", shape);
    for (int i = 0; i < length; ++i) {
        const DRI_Node next = builder.add_value(shape);
        builder.add_call("step", Sum::run, &sum, std::span(&next, 1), std::span(&last, 1));
        if (stored)
            builder.add_output(("value " + std::to_string(i)).c_str(), next);
        last = next;
    }
    builder.add_output("out", last);
    const graph::PlanBody plan(builder);
    graph::FrameSteps frame = graph::steps_of(plan, graph::carriers_of(plan, false, "test"));
    return graph::place_in_memory(plan, frame);
}

TEST(GraphMemory, AChainNeedsTwoNodes) {
    const int64_t one = 8000; // a multiple of 64
    EXPECT_EQ(bytes_of_chain(1, false), one);
    EXPECT_EQ(bytes_of_chain(50, false), 2 * one);
    EXPECT_EQ(bytes_of_chain(50, true), 50 * one) << "outputs are kept";
}

// Random graphs: while a node is needed, nobody else has its place.
TEST(GraphMemory, NodesThatAreNeededTogetherShareNothing) {
    std::mt19937 dice(3);
    for (int round = 0; round < 50; ++round) {
        graph::GraphBuilder builder(make_world());
        Sum sum;
        std::vector<DRI_Node> nodes{builder.add_input("in", make_gdo({8}, DRI_DOUBLE))};
        for (int i = 0; i < 40; ++i) {
            const DRI_Node made = builder.add_value(make_gdo({1 + static_cast<int64_t>(dice() % 60)}, DRI_DOUBLE));
            const DRI_Node in[]{nodes[dice() % nodes.size()], nodes[dice() % nodes.size()]};
            builder.add_call("call", Sum::run, &sum, std::span(&made, 1), in);
            nodes.push_back(made);
        }
        builder.add_output("out", nodes.back());
        builder.add_output("other", nodes[nodes.size() / 2]);
        const graph::PlanBody plan(builder);
        graph::FrameSteps frame = graph::steps_of(plan, graph::carriers_of(plan, false, "test"));
        const int64_t bytes = graph::place_in_memory(plan, frame);
        // What is needed is found backwards: a set of live nodes before each step.
        std::map<int, bool> live;
        for (const auto &[name, node] : plan.body().outputs)
            live[node] = true;
        for (auto step = frame.steps.rbegin(); step != frame.steps.rend(); ++step) {
            if (step->kind != graph::StepKind::call)
                continue;
            const graph::GraphCall &call = plan.body().call(step->index);
            for (const auto *list : {&call.out, &call.in}) // a call reads while it writes
                for (const int node : *list)
                    live[node] = true;
            for (const auto &[a, is_live_a] : live)
                for (const auto &[b, is_live_b] : live) {
                    const auto &x = frame.homes[static_cast<size_t>(a)], &y = frame.homes[static_cast<size_t>(b)];
                    if (a == b || x.where != graph::NodeHome::Where::memory || y.where != x.where)
                        continue;
                    EXPECT_TRUE(x.offset + plan.body().bytes_of(a) <= y.offset ||
                                y.offset + plan.body().bytes_of(b) <= x.offset);
                    EXPECT_LE(x.offset + plan.body().bytes_of(a), bytes);
                }
            for (const int out : call.out)
                live.erase(out);
        }
    }
}

} // namespace
} // namespace dri::test
