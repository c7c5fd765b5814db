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

} // namespace
} // namespace dri::test
