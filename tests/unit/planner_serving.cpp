// Replicated sources: which replica serves which sink, on artificial nodes.
#include "planner/planner.hpp"
#include "planner/serving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace dri::test {

namespace {

// A grid of blocks over n processes starting from rank `first`, with as many replicas as fit.
model::Distribution grid(const std::vector<int64_t> &sizes, const std::vector<int64_t> &parts, int n, int first) {
    model::Partition partition;
    for (int64_t p : parts) {
        model::CutRule cut;
        cut.kind = p == 1 ? model::CutKind::whole : model::CutKind::block;
        cut.nparts = p == 1 ? 0 : p;
        partition.push_back(cut);
    }
    std::vector<int> ranks;
    for (int i = 0; i < n; ++i)
        ranks.push_back(first + i);
    return {model::make_gdo(model::make_real(Scalar::float32), sizes), partition, model::Group(ranks)};
}

// blocks_of: ranks in blocks of per_node on each node. dealt_to: ranks dealt cyclically to `count` nodes.
planner::NodeMap blocks_of(int world, int per_node) {
    std::vector<int> nodes;
    for (int rank = 0; rank < world; ++rank)
        nodes.push_back(rank / per_node * per_node);
    return planner::NodeMap(nodes);
}
planner::NodeMap dealt_to(int world, int count) {
    std::vector<int> nodes;
    for (int rank = 0; rank < world; ++rank)
        nodes.push_back(rank % count);
    return planner::NodeMap(nodes);
}

// How many of the given sink positions each replica of a part serves, in the order of replicas.
std::vector<int> load(const model::Distribution &source, int64_t part, const model::Distribution &sink,
                      const planner::NodeMap &nodes, const std::vector<int> &positions) {
    std::map<int, int> served;
    const planner::Servers servers(source, part, nodes);
    for (int q : positions)
        ++served[servers.rank_for(sink, q)];
    std::vector<int> out;
    for (int64_t k = 0; k < source.replicas(); ++k)
        out.push_back(served[source.group().rank(source.position_of_part(part, k))]);
    int sum = 0;
    for (int n : out)
        sum += n;
    EXPECT_EQ(sum, static_cast<int>(positions.size())) << "a process without a replica serves";
    return out;
}

void expect_even(const std::vector<int> &load) {
    const auto [min, max] = std::minmax_element(load.begin(), load.end());
    EXPECT_LE(*max - *min, 1) << testing::PrintToString(load);
}

std::vector<int> positions(int n) {
    std::vector<int> out;
    for (int q = 0; q < n; ++q)
        out.push_back(q);
    return out;
}

} // namespace

TEST(Serving, AProcessPrefersItsOwnReplica) {
    const model::Distribution source = grid({60}, {2}, 6, 0), sink = grid({60}, {6}, 6, 0);
    for (const planner::NodeMap &nodes : {planner::NodeMap(), blocks_of(6, 3), dealt_to(6, 2), blocks_of(6, 6)})
        for (int64_t part : {0, 1})
            for (int q = 0; q < 6; ++q)
                if (q % 2 == part) {
                    EXPECT_EQ(planner::Servers(source, part, nodes).rank_for(sink, q), q);
                }
}

TEST(Serving, AReplicaOnItsNodeComesNext) {
    // Replicas on ranks 0 to 3, sinks on 4 to 15, and nodes of one replica and three sinks each.
    const model::Distribution source = grid({120}, {1}, 4, 0), sink = grid({120}, {12}, 12, 4);
    const planner::NodeMap nodes = dealt_to(16, 4);
    for (int q = 0; q < 12; ++q)
        EXPECT_EQ(planner::Servers(source, 0, nodes).rank_for(sink, q), (q + 4) % 4);
    expect_even(load(source, 0, sink, nodes, positions(12)));
}

TEST(Serving, ReplicasOfANodeServeAlternately) {
    // Nodes of eight ranks: two replicas and six sinks.
    std::vector<int> copies, sinks;
    for (int rank = 0; rank < 32; ++rank)
        (rank % 8 < 2 ? copies : sinks).push_back(rank);
    const auto gdo = model::make_gdo(model::make_real(Scalar::float32), std::vector<int64_t>{240});
    const model::Distribution source(gdo, {model::CutRule{}}, model::Group(copies));
    model::CutRule blocks;
    blocks.kind = model::CutKind::block;
    const model::Distribution sink(gdo, {blocks}, model::Group(sinks));
    const planner::NodeMap nodes = blocks_of(32, 8);
    for (int q = 0; q < 24; ++q)
        EXPECT_EQ(planner::Servers(source, 0, nodes).rank_for(sink, q) / 8, sinks[static_cast<size_t>(q)] / 8);
    EXPECT_EQ(load(source, 0, sink, nodes, positions(24)), std::vector<int>(8, 3));
}

TEST(Serving, AllReplicasServeAlternatelyIfNoneIsNear) {
    for (int copies : {1, 2, 3, 4, 7})
        for (int sinks : {1, 2, 5, 12, 28}) {
            const model::Distribution source = grid({280}, {1}, copies, 0),
                                      sink = grid({280}, {sinks}, sinks, copies);
            expect_even(load(source, 0, sink, {}, positions(sinks)));
            const model::Distribution all_of_it =
                grid({280}, {1}, sinks, copies); // every sink receives everything
            expect_even(load(source, 0, all_of_it, {}, positions(sinks)));
        }
}

// Two replicas of each half of the columns. The sinks of a half are every second position of a grid of 4 by 2.
TEST(Serving, AlternationDoesNotFollowTheGrid) {
    const model::Distribution source = grid({40, 40}, {1, 2}, 4, 0), sink = grid({40, 40}, {4, 2}, 8, 4);
    for (int64_t part : {0, 1})
        EXPECT_EQ(load(source, part, sink, {}, part ? std::vector<int>{1, 3, 5, 7} : std::vector<int>{0, 2, 4, 6}),
                  (std::vector<int>{2, 2}));
}

// The maximum of the bytes that a replica sends, divided by their mean.
double max_over_mean(const model::Distribution &source, const model::Distribution &sink,
                     const planner::NodeMap &nodes) {
    const planner::Side from{std::make_shared<model::Distribution>(source), {model::Layout{}}};
    const planner::Side to{std::make_shared<model::Distribution>(sink), {model::Layout{}}};
    double max = 0, sum = 0;
    for (int rank : source.group().ranks()) {
        const auto bytes = static_cast<double>(plan::send_bytes(planner::make_plan(from, to, {}, rank, nodes)));
        max = std::max(max, bytes);
        sum += bytes;
    }
    EXPECT_GT(sum, 0);
    return max * source.group().size() / sum;
}

// Ranks dealt cyclically to nodes, as many launchers do: the sinks of a node have positions with a common step.
// The replicas lie on all nodes or on half of them.
void expect_even_on_dealt_nodes(int nodes, int copies_per_node, int sinks_per_node) {
    const int copies = nodes * copies_per_node, sinks = nodes * sinks_per_node;
    for (const auto &source_parts : {std::vector<int64_t>{1, 1}, {2, 1}, {1, 2}})
        for (const auto &sink_parts : {std::vector<int64_t>{sinks, 1}, {sinks / 2, 2}})
            for (int used_nodes : {nodes, 2 * nodes}) {
                if (copies % (source_parts[0] * source_parts[1]) != 0)
                    continue;
                const model::Distribution source = grid({480, 480}, source_parts, copies, 0);
                const model::Distribution sink = grid({480, 480}, sink_parts, sinks, copies);
                EXPECT_LE(max_over_mean(source, sink, dealt_to(copies + sinks, used_nodes)), 1.5)
                    << model::to_text(source) << " to " << model::to_text(sink) << " on " << used_nodes
                    << " nodes";
            }
}

TEST(Serving, LoadIsEvenIfRanksAreDealtToNodes) {
    for (int nodes : {2, 3, 8})
        for (int copies_per_node : {2, 3, 4})
            for (int sinks_per_node : {4, 6, 8})
                expect_even_on_dealt_nodes(nodes, copies_per_node, sinks_per_node);
}

TEST(NodeMap, ListsTheRanksOfEachNode) {
    const planner::NodeMap nodes({0, 1, 0, 3, 1, 0});
    ASSERT_TRUE(nodes.shared());
    EXPECT_EQ(nodes.count(), 3);
    const std::map<int, std::vector<int>> expected{{0, {0, 2, 5}}, {1, {1, 4}}, {3, {3}}};
    int64_t before = 0;
    for (const auto &[node, ranks] : expected) {
        const auto found = nodes.ranks_on(node);
        EXPECT_EQ(std::vector<int>(found.begin(), found.end()), ranks) << node;
        EXPECT_EQ(nodes.nodes_before(node), before++) << node;
    }
    EXPECT_FALSE(planner::NodeMap().shared());
}

TEST(Serving, PlansOfBothSidesAgreeOnAnyNodes) {
    const planner::Side source{std::make_shared<model::Distribution>(grid({48, 20}, {2, 1}, 8, 0)),
                               {model::Layout{}}};
    const planner::Side sink{std::make_shared<model::Distribution>(grid({48, 20}, {4, 2}, 8, 4)),
                             {model::Layout{}}};
    for (const planner::NodeMap &nodes :
         {planner::NodeMap(), blocks_of(12, 4), dealt_to(12, 3), blocks_of(12, 12)}) {
        std::set<std::pair<int, int>> sends, receives;
        int64_t bytes = 0;
        for (int rank = 0; rank < 12; ++rank) {
            const plan::Plan plan = planner::make_plan(source, sink, {}, rank, nodes);
            for (const plan::Message &m : plan.sends)
                EXPECT_TRUE(sends.insert({rank, m.peer}).second);
            for (const plan::Message &m : plan.receives)
                EXPECT_TRUE(receives.insert({m.peer, rank}).second);
            bytes += plan::self_bytes(plan) + plan::send_bytes(plan);
        }
        EXPECT_EQ(sends, receives);
        EXPECT_EQ(bytes, 48 * 20 * 4);
    }
}

} // namespace dri::test
