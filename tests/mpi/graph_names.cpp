// Names of graphs with bytes that do not print are escaped in the texts and pictures of a plan.
#include "support/graphs.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <string>

namespace dri::test {
namespace {

TEST(GraphNames, AreShownEscaped) {
    const std::string odd = "a\x1B[2J\nb";
    NamedGraph graph(make_world());
    const int next = (world().rank + 1) % world().size, before = (world().rank + world().size - 1) % world().size;
    graph.input(odd, odd, 1);
    graph.sum("sum", {odd}, {});
    graph.output(odd, "sum");
    if (world().size > 1) {
        graph.send("sent", "sum", next, odd);
        graph.output("sent", "sent");
        graph.recv("got", before, odd, 1);
        graph.output("got", "got");
    }
    DRI_Node end{};
    const DRI_Node of = graph.node("sum");
    expect_success(DRI_graph_call(
                       graph.graph, odd.c_str(), [](void *, DRI_Call *) -> int { return DRI_SUCCESS; }, nullptr, 0,
                       &end, 1, &of),
                   "DRI_graph_call");
    const Plan plan = make_plan(graph.graph);
    const std::string words = described(plan);
    EXPECT_EQ(words.find('\x1B'), std::string::npos) << words;
    for (const char *line : {"calls 'a\\x1B[2J\\x0Ab'", "inputs: a\\x1B[2J\\x0Ab", "outputs: a\\x1B[2J\\x0Ab"})
        EXPECT_NE(words.find(line), std::string::npos) << words;
    std::string picture(20000, '\0');
    expect_success(DRI_plan_draw(plan, picture.data(), picture.size(), nullptr), "DRI_plan_draw");
    EXPECT_EQ(picture.find('\x1B'), std::string::npos) << picture;
    EXPECT_NE(picture.find("a\\\\x1B[2J\\\\x0Ab"), std::string::npos) << picture;
}

// Names and tags have 1 to DRI_MAX_NAME bytes, and those of that length arrive whole.
TEST(GraphNames, AreAsLongAsNamesMayBe) {
    const std::string longest(DRI_MAX_NAME, 'n'), too_long(DRI_MAX_NAME + 1, 'n');
    NamedGraph graph(make_world());
    const Gdo shape = make_gdo({1}, DRI_DOUBLE);
    graph.input("x", longest, 1);
    DRI_Node node{};
    const DRI_Node x = graph.node("x");
    const int next = (world().rank + 1) % world().size, before = (world().rank + world().size - 1) % world().size;
    for (const std::string &wrong : {too_long, std::string()}) {
        const char *name = wrong.c_str();
        EXPECT_EQ(DRI_graph_input(graph.graph, name, shape, &node), DRI_ERR_ARG);
        EXPECT_EQ(DRI_graph_recv(graph.graph, before, name, shape, &node), DRI_ERR_ARG);
        EXPECT_EQ(DRI_graph_send(graph.graph, x, next, name, &node), DRI_ERR_ARG);
        EXPECT_EQ(DRI_graph_output(graph.graph, name, x), DRI_ERR_ARG);
        EXPECT_EQ(DRI_graph_call(graph.graph, name, Sum::run, nullptr, 0, nullptr, 1, &x), DRI_ERR_ARG);
        EXPECT_EQ(node.id, 0u);
    }
    graph.output(longest, "x");
    if (world().size > 1) {
        graph.send("sent", "x", next, longest);
        graph.output("sent", "sent");
        graph.recv("got", before, longest, 1);
        graph.output("got", "got");
    }
    const Plan plan = make_plan(graph.graph);
    expect_success(DRI_plan_commit(plan, nullptr), "DRI_plan_commit");
    const double own = world().rank;
    expect_success(DRI_plan_set_input(plan, longest.c_str(), &own), "DRI_plan_set_input");
    expect_success(DRI_plan_run(plan), "DRI_plan_run");
    const void *data = nullptr;
    expect_success(DRI_plan_get_output(plan, world().size > 1 ? "got" : longest.c_str(), &data),
                   "DRI_plan_get_output");
    EXPECT_EQ(*static_cast<const double *>(data), before);
}

} // namespace
} // namespace dri::test
