// What shares a message: the short nodes that go from one part to a process. And what all operations of a plan
// take in memory.
#include "graph/node_memory.hpp"
#include "support/allocation_counter.hpp"
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"
#include "support/world.hpp"
#include "unit/graph_simulated.hpp"

namespace dri::test {
namespace {

// Nodes of 8 bytes, 800 bytes, 16 KB and 8 bytes more than 16 KB from process 0 to process 1, and one short node
// to the last process.
TEST(GraphBundles, ShortNodesToAProcessShareATransfer) {
    if (world().size < 3)
        GTEST_SKIP() << "needs 3 processes";
    const int last = world().size - 1;
    const std::vector<std::pair<int, int64_t>> sent{{1, 1}, {1, 100}, {1, 2048}, {1, 2049}, {last, 1}};
    for (const bool is_stream : {false, true}) {
        const int64_t header = is_stream ? 320 : 64;
        graph::GraphBuilder builder(make_world());
        Sum sum;
        for (size_t i = 0; i < sent.size(); ++i) {
            const auto &[dest, elements] = sent[i];
            const Gdo shape = make_gdo({elements}, DRI_DOUBLE);
            const std::string tag = "node " + std::to_string(i);
            if (world().rank == 0) {
                const DRI_Node made = builder.add_value(shape);
                builder.add_call("make", Sum::run, &sum, std::span(&made, 1), {});
                builder.add_output(tag.c_str(), builder.add_send(made, dest, tag.c_str()));
            } else if (world().rank == dest) {
                builder.add_output(tag.c_str(), builder.add_recv(0, tag.c_str(), shape));
            }
        }
        const graph::PlanBody plan(builder);
        const auto carriers = graph::carriers_of(plan, is_stream, "test");
        if (world().rank == 1) {
            ASSERT_EQ(carriers.size(), 2u);
        } else {
            ASSERT_EQ(carriers.size(), world().rank == 0 ? 3u : world().rank == last ? 1u : 0u);
        }
        if (carriers.size() < 2)
            continue;
        const graph::Carrier &bundle = carriers[0], &whole = carriers[1];
        EXPECT_EQ(bundle.carried, 3);
        ASSERT_EQ(bundle.nodes.size(), 3u);
        EXPECT_EQ(bundle.nodes[0].offset, header);
        EXPECT_EQ(bundle.nodes[1].offset, header + 64);
        EXPECT_EQ(bundle.nodes[2].offset, header + 64 + 832);
        EXPECT_EQ(bundle.bytes, header + 64 + 832 + 16384);
        EXPECT_EQ(whole.nodes.size(), 1u);
        EXPECT_EQ(whole.bytes, header + 16448);
    }
}

// All operations of a plan, which every process holds.
TEST(GraphBundles, OperationsTakeFewBytes) {
    if (sanitized)
        GTEST_SKIP() << "the sanitizer's allocator is in use and counts nothing";
    for (const auto &[rounds, needs_all, most] :
         {std::tuple(2'000, false, 60), std::tuple(20'000, false, 55), std::tuple(20'000, true, 80)}) {
        constexpr int processes = 4;
        std::vector<graph::SimulatedGraph> graphs(processes);
        for (int rank = 0; rank < processes; ++rank) {
            graph::SimulatedGraph &one = graphs[static_cast<size_t>(rank)];
            int value = one.add(graph::NodeKind::data);
            for (int round = 0; round < rounds; ++round) {
                const std::string tag = "r" + std::to_string(round);
                one.send(value, (rank + 1) % processes, tag);
                const int received = one.recv((rank + processes - 1) % processes, tag);
                value = needs_all ? one.call({value, received}) : one.call({received});
            }
            one.body.outputs["out"] = value;
        }
        std::vector<graph::Reached> reached;
        std::vector<graph::ToldGraph> all;
        for (int rank = 0; rank < processes; ++rank) {
            const graph::GraphBody &body = graphs[static_cast<size_t>(rank)].body;
            all.push_back(graph::tell(body, reached.emplace_back(graph::reach(body)), rank));
        }
        const int64_t before = bytes_from_new();
        const graph::Operations operations(all);
        ASSERT_EQ(operations.count(), int64_t{processes} * rounds);
        EXPECT_LE((bytes_from_new() - before) / operations.count(), most) << rounds << " rounds";
        const int64_t last = operations.find({0, 1, "r" + std::to_string(rounds - 1)});
        EXPECT_EQ(operations.needs(last).size(), needs_all ? static_cast<size_t>(rounds) - 1 : 1);
    }
}

} // namespace
} // namespace dri::test
