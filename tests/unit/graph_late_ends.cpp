// Transfers whose sources learn the end of a stream in different parts.
#include "graph_simulated.hpp"

#include "graph/late_ends.hpp"

namespace dri::graph {
namespace {

// Processes 0 and 1 are the source of "both", and process 2 takes it.
struct Pair {
    std::vector<SimulatedGraph> graphs = std::vector<SimulatedGraph>(3);

    int constant(size_t rank) { return graphs[rank].add(NodeKind::data); }
    void fill(size_t rank, const std::vector<int> &in, const std::string &name = "both") {
        SimulatedGraph &graph = graphs[rank];
        graph.write(graph.port(DRI_SOURCE, name, {0, 1}), in);
    }
    void take(const std::string &name = "both") {
        const int sink = graphs[2].port(DRI_SINK, name, {2});
        graphs[2].body.outputs[name] = sink;
    }
    LateEnd late() {
        take();
        std::vector<Reached> reached;
        return find_late_end(partition(graphs, reached));
    }
    int receive(size_t rank, int src, const std::string &tag) {
        const int node = graphs[rank].recv(src, tag);
        graphs[rank].body.outputs["got " + tag] = node;
        return node;
    }
};

TEST(GraphLateEnds, BothSourcesEndTheStreamThemselves) {
    Pair pair;
    pair.fill(0, {});
    pair.fill(1, {});
    EXPECT_EQ(pair.late().transfer, -1);
}

TEST(GraphLateEnds, NobodyEndsTheStream) {
    Pair pair;
    pair.fill(0, {pair.constant(0)});
    pair.fill(1, {pair.constant(1)});
    EXPECT_EQ(pair.late().transfer, -1);
}

// Process 1 fills the port from a constant, and learns the end from process 2, which has it from process 0.
TEST(GraphLateEnds, OneSourceLearnsTheEndBehindThePort) {
    Pair pair;
    const int made = pair.graphs[0].call({});
    pair.fill(0, {made});
    pair.graphs[0].send(made, 2, "made");
    pair.fill(1, {pair.constant(1)});
    pair.graphs[2].send(pair.graphs[2].recv(0, "made"), 1, "behind");
    pair.receive(1, 2, "behind");
    std::vector<Reached> reached;
    pair.take();
    const Operations operations = partition(pair.graphs, reached);
    const LateEnd found = find_late_end(operations);
    EXPECT_EQ(operations.name(found.transfer).tag, "both");
    EXPECT_EQ(found.late, 1);
    EXPECT_EQ(found.early, 0);
    try {
        require_ends_in_time(operations);
        FAIL() << "it is not refused";
    } catch (const Error &error) {
        EXPECT_EQ(error.code(), DRI_ERR_UNSUPPORTED);
        EXPECT_NE(std::string(error.what())
                      .find("process 1 learns the end of the stream only behind the source of "
                            "the transfer 'both', and process 0 before it"),
                  std::string::npos)
            << error.what();
    }
}

// Not the order in which the processes have declared the ports, but that of the names.
TEST(GraphLateEnds, TheFirstTransferByNameIsTold) {
    for (const std::vector<std::string> &names :
         {std::vector<std::string>{"apart", "both", "together"}, {"together", "both", "apart"}}) {
        Pair pair;
        const int made = pair.graphs[0].call({});
        for (const std::string &name : names)
            pair.fill(0, {made}, name);
        pair.graphs[0].send(made, 2, "made");
        pair.graphs[2].send(pair.graphs[2].recv(0, "made"), 1, "behind");
        pair.receive(1, 2, "behind");
        for (auto name = names.rbegin(); name != names.rend(); ++name)
            pair.fill(1, {pair.constant(1)}, *name);
        for (const std::string &name : names)
            pair.take(name);
        std::vector<Reached> reached;
        const Operations operations = partition(pair.graphs, reached);
        const LateEnd found = find_late_end(operations);
        ASSERT_GE(found.transfer, 0);
        EXPECT_EQ(operations.name(found.transfer).tag, "apart");
        EXPECT_EQ(found.late, 1);
        EXPECT_EQ(found.early, 0);
    }
}

// The sink fails with DRI_ERR_MISMATCH if process 0 ends the stream. It may never do so, and the plan run frames.
TEST(GraphLateEnds, OneSourceNeverLearnsTheEnd) {
    Pair pair;
    pair.fill(0, {});
    pair.fill(1, {pair.constant(1)});
    EXPECT_EQ(pair.late().transfer, -1);
}

TEST(GraphLateEnds, TheEndComesWithWhatThePortIsComputedFrom) {
    for (const bool reads_it : {false, true}) {
        Pair pair;
        const int made = pair.graphs[0].call({});
        pair.graphs[0].send(made, 1, "made");
        pair.fill(0, {made});
        const int got = pair.receive(1, 0, "made");
        pair.fill(1, reads_it ? std::vector<int>{got} : std::vector<int>{pair.constant(1)});
        // A source that all processes fill at once is in the batch behind what one of them needs.
        EXPECT_EQ(pair.late().transfer, reads_it ? -1 : 0);
    }
}

// What process 0 sends before its part ends tells nothing yet; what it sends in a later part does. Process 1 also
// learns the end behind the port, from process 2.
TEST(GraphLateEnds, AConstantThatLeavesEarlyCarriesNoEnd) {
    for (const bool is_later : {false, true}) {
        Pair pair;
        SimulatedGraph &first = pair.graphs[0], &second = pair.graphs[1];
        const int asked = first.recv(1, "asked");
        second.send(pair.constant(1), 0, "asked");
        const int got = pair.receive(1, 0, "later");
        if (is_later)
            first.send(first.call({asked, first.call({})}), 1, "later");
        else
            first.send(first.call({asked}), 1, "later");
        first.write(first.port(DRI_SOURCE, "both", {0, 1}), {asked, first.call({})});
        second.write(second.port(DRI_SOURCE, "both", {0, 1}), {got});
        first.send(first.call({asked, first.call({})}), 2, "made");
        pair.graphs[2].send(pair.graphs[2].recv(0, "made"), 1, "behind");
        pair.receive(1, 2, "behind");
        const LateEnd found = pair.late();
        EXPECT_EQ(found.transfer, is_later ? -1 : 0);
        EXPECT_EQ(found.late, is_later ? -1 : 1);
    }
}

} // namespace
} // namespace dri::graph
