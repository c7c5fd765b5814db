// Pictures of plans of many processes: rows with equal graphs are one.
#include "graph_simulated.hpp"

#include "graph/cut.hpp"
#include "graph/drawing.hpp"

#include <gtest/gtest.h>

namespace dri::graph {
namespace {

// Process r sends one value to its right neighbour. names: of the calls of each part.
std::string ring_picture(int processes, const std::vector<std::vector<std::vector<std::string>>> &names) {
    std::vector<SimulatedGraph> graphs(static_cast<size_t>(processes));
    for (int rank = 0; rank < processes; ++rank) {
        SimulatedGraph &graph = graphs[static_cast<size_t>(rank)];
        graph.send(graph.call({}), (rank + 1) % processes, "on");
        graph.body.outputs["got"] = graph.recv((rank + processes - 1) % processes, "on");
    }
    std::vector<Reached> reached;
    const Operations operations = partition(graphs, reached);
    std::vector<DrawnProcess> drawn;
    for (int rank = 0; rank < processes; ++rank) {
        DrawnProcess &one = drawn.emplace_back();
        one.rank = rank;
        for (const auto &calls : names[static_cast<size_t>(rank) % names.size()])
            one.parts.push_back({calls, 0.001 * (1 + rank)});
        EXPECT_EQ(one.parts.size(), parts_of(operations, rank).size());
    }
    return draw_plan(operations, drawn);
}

size_t count(const std::string &text, const std::string &word) {
    size_t n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++n;
    return n;
}

TEST(GraphPicture, UpToSixtyFourProcessesHaveTheirOwnRows) {
    const std::string text = ring_picture(64, {{{"make"}, {}}});
    EXPECT_EQ(count(text, "subgraph cluster_"), 64u);
    EXPECT_NE(text.find("label=\"process 63\""), std::string::npos);
    EXPECT_EQ(count(text, "label=\"on\\n32 bytes\""), 64u);
}

TEST(GraphPicture, BeyondThatRowsWithEqualGraphsAreOne) {
    const std::string text = ring_picture(66, {{{"make"}, {}}, {{"filter"}, {}}, {{"filter"}, {}}});
    EXPECT_EQ(count(text, "subgraph cluster_"), 2u) << text;
    for (const char *label : {"label=\"22 processes from 0\"", "label=\"44 processes from 1\""})
        EXPECT_NE(text.find(label), std::string::npos) << text;
    EXPECT_EQ(count(text, "label=\"on\\n32 bytes\""), 3u) << "equal arrows are one\n" << text;
    EXPECT_NE(text.find("66 ms, the slowest"), std::string::npos) << "of a row it is that of the slowest process";
}

// Names may have the signs by which calls are told apart.
TEST(GraphPicture, CallsWithOddNamesAreNotMixedUp) {
    const std::string text = ring_picture(70, {{{"a,b"}, {}}, {{"a", "b"}, {}}, {{"a"}, {"b"}}, {{"a|1:b"}, {}}});
    EXPECT_EQ(count(text, "subgraph cluster_"), 4u) << text;
}

} // namespace
} // namespace dri::graph
