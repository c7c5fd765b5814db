// Memory of a frame: nodes that are never needed together share it.
#include "graph/node_memory.hpp"
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
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

// A long node is one buffer, to whatever processes it goes: one source with a sink for each. What goes to a
// process again is copied once.
TEST(GraphMemory, ALongNodeThatIsSentToManyIsCopiedNowhere) {
    graph::GraphBuilder builder(make_world());
    const Gdo shape = make_gdo({5000}, DRI_DOUBLE);
    Sum sum;
    std::vector<std::pair<int, std::string>> sends;
    for (int rank = 1; rank < world().size; ++rank)
        sends.emplace_back(rank, "a");
    if (world().size > 1)
        sends.emplace_back(1, "b");
    if (world().rank == 0) {
        const DRI_Node made = builder.add_value(shape);
        builder.add_call("make", Sum::run, &sum, std::span(&made, 1), {});
        for (const auto &[rank, tag] : sends)
            builder.add_output((tag + std::to_string(rank)).c_str(), builder.add_send(made, rank, tag.c_str()));
    }
    size_t received = 0;
    for (const auto &[rank, tag] : sends)
        if (rank == world().rank) {
            builder.add_output(tag.c_str(), builder.add_recv(0, tag.c_str(), shape));
            ++received;
        }
    const graph::PlanBody plan(builder);
    const auto carriers = graph::carriers_of(plan, false, "test");
    EXPECT_EQ(carriers.size(), world().rank == 0 ? std::min<size_t>(sends.size(), 2) : received);
    for (size_t i = 0; i < carriers.size(); ++i)
        EXPECT_EQ(carriers[i].name, "test:operation " + std::to_string(i)) << "the second one is (0, 1, 'b')";
    EXPECT_EQ(graph::steps_of(plan, carriers).copies.size(), world().rank == 0 && !sends.empty() ? 1u : 0u);
}

TEST(GraphMemory, ALongNodeArrivesEverywhere) {
    NamedGraph graph(make_world());
    constexpr size_t elements = 5000;
    const int n = world().size;
    if (world().rank == 0) {
        graph.input("x", "x", elements);
        graph.sum("y", {"x"}, {0, 2, 1, 0});
        for (int rank = 1; rank < n; ++rank)
            for (const std::string tag : {"a", "b"}) {
                const std::string name = tag + std::to_string(rank);
                graph.send(name, "y", rank, tag);
                graph.output(name, name);
            }
    } else {
        for (const std::string tag : {"a", "b"}) {
            graph.recv(tag, 0, tag, elements);
            graph.output(tag, tag);
        }
    }
    const Plan plan = make_plan(graph.graph);
    expect_success(DRI_plan_commit(plan, nullptr), "DRI_plan_commit");
    for (int frame = 0; frame < 4; ++frame) {
        const std::vector<double> x(elements, frame);
        if (world().rank == 0)
            expect_success(DRI_plan_set_input(plan, "x", x.data()), "DRI_plan_set_input");
        expect_success(DRI_plan_run(plan), "DRI_plan_run");
        for (const char *tag : {"a", "b"}) {
            if (world().rank == 0)
                continue;
            const void *data = nullptr;
            expect_success(DRI_plan_get_output(plan, tag, &data), "DRI_plan_get_output");
            const auto *const found = static_cast<const double *>(data);
            EXPECT_TRUE(std::all_of(found, found + elements, [&](double one) { return one == 2 * frame + 1; }));
        }
        barrier();
    }
}

} // namespace
} // namespace dri::test
