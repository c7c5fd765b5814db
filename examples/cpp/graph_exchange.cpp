// Two processes or more compute, and each sends its result to the next one, as a graph. Run: mpirun -n 2
// cpp_graph_exchange
#include <dri/dri.hpp>

#include <array>
#include <iostream>

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    const int next = (env.rank() + 1) % env.size(), previous = (env.rank() + env.size() - 1) % env.size();
    // [graph]
    dri::Graph g;
    const auto x = g.input<double, 1>("x", {4});
    const auto squares = g.value<double, 1>({4}), sum = g.value<double, 1>({4});
    g.call(
        "square",
        [](dri::Call &, auto out, auto in) {
            for (int i = 0; i < 4; ++i)
                out(i) = in(i)*in(i);
        },
        squares, x); // the first call with a value writes it, the others read it
    const auto theirs = g.recv<double, 1>(previous, "squares", {4});
    g.call(
        "add",
        [](dri::Call &, auto out, auto a, auto b) {
            for (int i = 0; i < 4; ++i)
                out(i) = a(i) + b(i);
        },
        sum, squares, theirs);
    g.output("sum", sum);
    g.output("sent", g.send(squares, next, "squares"));
    // [/graph]
    // [run]
    dri::Plan plan = g.partition(); // checked on all processes
    plan.commit();
    std::array<double, 4> mine{};
    plan.input("x", dri::View<double, 1>(std::span<double>(mine)));
    double wrong = 0;
    for (int frame = 0; frame < 3; ++frame) {
        mine.fill(frame + env.rank());
        plan.run();
        for (const double value : plan.output<double, 1>("sum").span())
            wrong += value != mine[0] * mine[0] + (frame + previous) * (frame + previous);
    }
    // [/run]
    std::cout << "process " << env.rank() << ": " << wrong << " numbers are wrong\n"
              << (env.rank() ? "" : plan.describe());
    return wrong > 0;
}
