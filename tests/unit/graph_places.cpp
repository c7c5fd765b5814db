// Where nodes and calls of random graphs are, against the rules node by node.
#include "graph_simulated.hpp"

#include "graph/cut.hpp"
#include "support/dice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace dri::graph {
namespace {

// Three processes make values of what they have, and send some of them to the next one.
std::vector<SimulatedGraph> random_graphs(test::Dice &dice) {
    constexpr int processes = 3;
    std::vector<SimulatedGraph> graphs(processes);
    std::vector<std::vector<int>> have(processes);
    for (int rank = 0; rank < processes; ++rank)
        have[static_cast<size_t>(rank)].push_back(graphs[static_cast<size_t>(rank)].add(NodeKind::data));
    for (int step = 0; step < 25; ++step) {
        const int rank = static_cast<int>(dice.range(0, processes - 1)), next = (rank + 1) % processes;
        SimulatedGraph &own = graphs[static_cast<size_t>(rank)];
        std::vector<int> &nodes = have[static_cast<size_t>(rank)];
        const auto any = [&] { return nodes[static_cast<size_t>(dice.range(0, std::ssize(nodes) - 1))]; };
        if (dice.chance(30)) {
            const std::string tag = "step " + std::to_string(step);
            own.send(any(), next, tag);
            const int got = graphs[static_cast<size_t>(next)].recv(rank, tag);
            graphs[static_cast<size_t>(next)].body.outputs["got " + tag] = got;
            have[static_cast<size_t>(next)].push_back(got);
        } else if (dice.chance(12)) { // a call without outputs
            own.body.calls.push_back({});
            own.body.calls.back().name = "show";
            own.body.calls.back().in = {any(), any()};
        } else {
            nodes.push_back(own.call({any(), any()}));
            own.body.nodes.back().is_marked = dice.chance(20);
            if (dice.chance(15))
                own.body.outputs["value " + std::to_string(step)] = nodes.back();
        }
    }
    return graphs;
}

// The rules for one process.
class Places {
public:
    Places(const GraphBody &body, const Reached &reached, const Operations &operations, int rank)
        : body_(body), reached_(reached), operations_(operations), rank_(rank),
          found_(cut(body, reached, operations, rank)) {}

    void check() {
        for (const int node : reached_.nodes)
            check_node(node);
        for (const int call : reached_.calls)
            check_call(call);
    }

private:
    int node_part(int node) const { return found_.node_part[static_cast<size_t>(node)]; }
    int call_part(int call) const { return found_.call_part[static_cast<size_t>(call)]; }
    int last() const { return static_cast<int>(found_.parts.size()) - 1; }

    // Whether a node is the other one, or is computed from it on this process.
    bool is_made_of(int node, int other) const {
        if (node == other)
            return true;
        const int writer = body_.node(node).writer;
        if (writer < 0)
            return false;
        const auto &in = body_.call(writer).in;
        return std::any_of(in.begin(), in.end(), [&](int one) { return is_made_of(one, other); });
    }

    int part_with(const OperationName &name, bool sends) const {
        const int64_t at = operations_.find(name);
        for (int part = 0; part <= last(); ++part) {
            const PartOperations &own = found_.parts[static_cast<size_t>(part)];
            const auto &list = sends ? own.sends : own.recvs;
            if (std::find(list.begin(), list.end(), at) != list.end())
                return part;
        }
        ADD_FAILURE() << "no part has " << name.text();
        return -1;
    }

    bool is_stored(int node) const {
        if (body_.node(node).is_marked || body_.node(node).kind == NodeKind::recv)
            return true;
        for (const int send : reached_.sends)
            if (body_.node(send).of == node)
                return true;
        for (const auto &[name, output] : body_.outputs)
            if (body_.value_of(output) == node)
                return true;
        return false;
    }

    void check_node(int node) {
        const GraphNode &own = body_.node(node);
        EXPECT_EQ(found_.is_stored[static_cast<size_t>(node)], is_stored(node)) << node;
        if (own.kind == NodeKind::recv) {
            EXPECT_EQ(node_part(node), part_with({own.peer, rank_, own.name}, false)) << node;
            return;
        }
        if (own.kind == NodeKind::data)
            return;
        if (is_stored(node)) {
            int wanted = last();
            for (const int send : reached_.sends)
                if (const GraphNode &one = body_.node(send); is_made_of(one.of, node))
                    wanted = std::min(wanted, part_with({rank_, one.peer, one.name}, true));
            EXPECT_EQ(node_part(node), wanted) << "stored " << node;
            return;
        }
        int first = last();
        for (const int call : reached_.calls)
            if (const auto &in = body_.call(call).in; std::find(in.begin(), in.end(), node) != in.end())
                first = std::min(first, call_part(call));
        EXPECT_EQ(node_part(node), first) << "not stored " << node;
    }

    void check_call(int call) {
        const GraphCall &own = body_.call(call);
        for (const int out : own.out)
            EXPECT_EQ(call_part(call), node_part(out)) << "call " << call;
        for (const int in : own.in) {
            const bool is_promoted = found_.is_promoted[static_cast<size_t>(in)];
            EXPECT_LE(node_part(in), call_part(call)) << "call " << call;
            EXPECT_TRUE(is_promoted || node_part(in) < 0 || node_part(in) == call_part(call)) << "call " << call;
        }
        if (!own.out.empty())
            return;
        // Where the last of its inputs can be: what is received, and what is stored, has its part.
        int wanted = 0;
        std::set<int> seen(own.in.begin(), own.in.end());
        std::vector<int> open(seen.begin(), seen.end());
        while (!open.empty()) {
            const int node = open.back();
            open.pop_back();
            if (is_stored(node))
                wanted = std::max(wanted, node_part(node));
            else if (body_.node(node).writer >= 0)
                for (const int in : body_.call(body_.node(node).writer).in)
                    if (seen.insert(in).second)
                        open.push_back(in);
        }
        EXPECT_EQ(call_part(call), wanted) << "call " << call << " without outputs";
    }

    const GraphBody &body_;
    const Reached &reached_;
    const Operations &operations_;
    int rank_;
    ProcessCut found_;
};

TEST(GraphPlaces, AreThoseOfTheRules) {
    int parts = 0;
    for (uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        test::Dice dice(seed);
        const auto graphs = random_graphs(dice);
        std::vector<Reached> reached;
        const Operations operations = partition(graphs, reached);
        for (size_t rank = 0; rank < graphs.size(); ++rank) {
            Places(graphs[rank].body, reached[rank], operations, static_cast<int>(rank)).check();
            parts += static_cast<int>(parts_of(operations, static_cast<int>(rank)).size());
        }
    }
    EXPECT_GT(parts, 1800) << "most processes have several parts";
}

} // namespace
} // namespace dri::graph
