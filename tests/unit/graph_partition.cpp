// The partition as a function of what all processes tell: many simulated processes, each with a part of a large
// graph.
#include "graph_simulated.hpp"

#include "graph/cut.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace dri::graph {
namespace {

// Process r computes rounds of a value, which it sends to its right neighbour and which then depends on what the
// left one has sent.
std::vector<SimulatedGraph> ring(int processes, int rounds, int calls) {
    std::vector<SimulatedGraph> graphs(static_cast<size_t>(processes));
    for (int rank = 0; rank < processes; ++rank) {
        SimulatedGraph &graph = graphs[static_cast<size_t>(rank)];
        int value = graph.add(NodeKind::data);
        for (int round = 0; round < rounds; ++round) {
            const std::string tag = "round " + std::to_string(round);
            for (int i = 0; i < calls; ++i)
                value = graph.call({value});
            graph.send(value, (rank + 1) % processes, tag);
            value = graph.call({value, graph.recv((rank + processes - 1) % processes, tag)});
        }
        graph.body.outputs["out"] = value;
    }
    return graphs;
}

TEST(GraphPartition, RoundsBecomeBatchesAndParts) {
    const auto graphs = ring(5, 3, 2);
    std::vector<Reached> reached;
    const Operations operations = partition(graphs, reached);
    EXPECT_EQ(operations.count(), 15);
    ASSERT_EQ(operations.batches(), 3);
    for (int64_t batch = 0; batch < 3; ++batch)
        EXPECT_EQ(operations.in_batch(batch).size(), 5u);
    for (int rank = 0; rank < 5; ++rank) {
        const ProcessCut found =
            cut(graphs[static_cast<size_t>(rank)].body, reached[static_cast<size_t>(rank)], operations, rank);
        ASSERT_EQ(found.parts.size(), 4u);
        EXPECT_EQ(found.parts[0].recvs.size(), 0u);
        EXPECT_EQ(found.parts[3].sends.size(), 0u);
        // The calls of a round are where their value is sent, the last one at the end.
        EXPECT_EQ(found.call_part, (std::vector<int>{0, 0, 1, 1, 1, 2, 2, 2, 3}));
    }
}

TEST(GraphPartition, AChainOfManyNodesNeedsNoStack) {
    std::vector<SimulatedGraph> graphs(1);
    int value = graphs[0].add(NodeKind::data);
    for (int i = 0; i < 200000; ++i)
        value = graphs[0].call({value});
    graphs[0].body.outputs["out"] = value;
    std::vector<Reached> reached;
    const Operations operations = partition(graphs, reached);
    EXPECT_EQ(cut(graphs[0].body, reached[0], operations, 0).parts.size(), 1u);
}

TEST(GraphPartition, AHundredThousandNodesOnAThousandProcesses) {
    const auto graphs = ring(1000, 10, 7); // 101 nodes on each
    const auto start = std::chrono::steady_clock::now();
    std::vector<Reached> reached;
    const Operations operations = partition(graphs, reached);
    size_t parts = 0;
    for (int rank = 0; rank < 1000; ++rank)
        parts += cut(graphs[static_cast<size_t>(rank)].body, reached[static_cast<size_t>(rank)], operations, rank)
                     .parts.size();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(operations.count(), 10000);
    EXPECT_EQ(parts, 11000u);
    std::printf("partition of 101,000 nodes on 1,000 processes: %.3f s\n", took.count());
    EXPECT_LT(took.count(), 10); // 2 s on a machine that does nothing else
}

// Every value depends on all that was received before. What is told grows with the rounds and not with their
// square.
TEST(GraphPartition, AHundredThousandRoundsThatDependOnAllBefore) {
    const int rounds = test::rounds(100'000);
    const auto graphs = ring(2, rounds, 0);
    const auto start = std::chrono::steady_clock::now();
    std::vector<Reached> reached;
    size_t told = 0;
    const Operations operations = partition(graphs, reached, &told);
    const ProcessCut found = cut(graphs[0].body, reached[0], operations, 0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(operations.batches(), rounds);
    EXPECT_EQ(found.parts.size(), rounds + 1u);
    EXPECT_LT(told, 2u * rounds * 200u) << "bytes of all sends, receives and what they need";
    const int64_t last = operations.find({0, 1, "round " + std::to_string(rounds - 1)});
    const std::vector<int64_t> needs = operations.needs(last);
    ASSERT_EQ(needs.size(), rounds - 1u);
    for (const int64_t need : needs)
        EXPECT_EQ(operations.name(need).src, 1);
    std::printf("partition of %d rounds on 2 processes: %.3f s, %zu bytes told\n", rounds, took.count(), told);
    EXPECT_LT(took.count(), 10); // 1 s on a machine that does nothing else
}

} // namespace
} // namespace dri::graph
