// A 5 x 5 star of radius 2, whose coefficients fall with the distance: the stencil benchmark of the Parallel
// Research Kernels. A step is two statements, and one exchange of two rows with each neighbour. The result is
// compared with its closed form, and with that of the same function on one process, bit by bit.
#include <chrono>
#include <command_line.hpp>
#include <cstdio>
#include <dri/dri.hpp>

struct Outcome {
    std::vector<double> field; // on the first process
    double seconds = 0;
};

static Outcome run(int n, int steps, const dri::Group &group) {
    dri::Array<double, 2> x({n, n}, group), y({n, n}, group);
    dri::forall(dri::zip(x.domain(), x), [](auto i, auto j, double &to) { to = double(i + j); });
    const auto start = std::chrono::steady_clock::now();
    /* [star] */
    const auto in = x.ranges().expand(-2);
    for (int k = 0; k < steps; ++k) {
        y[in] += 0.25 * (x[in.shift(0, 1)] - x[in.shift(0, -1)] + x[in.shift(1, 0)] - x[in.shift(-1, 0)]) +
                 0.125 * (x[in.shift(0, 2)] - x[in.shift(0, -2)] + x[in.shift(2, 0)] - x[in.shift(-2, 0)]);
        x += 1;
    }
    /* [/star] */
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return {y.gather(0), time.count()};
}

// A plane of slope 1 along both dimensions: each step adds 0.25 * 4 + 0.125 * 8.
static int64_t count_wrong(const std::vector<double> &field, int n, int steps) {
    int64_t wrong = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const bool is_in = i >= 2 && i < n - 2 && j >= 2 && j < n - 2;
            wrong += field[std::size_t(i) * std::size_t(n) + std::size_t(j)] != (is_in ? 2.0 * steps : 0);
        }
    return wrong;
}

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    int n = 256, steps = 10;
    common::CommandLine asked("A 5 x 5 star stencil.");
    asked.add("--size", n, {5, 1 << 14}, "Points along each side");
    asked.add("--steps", steps, {1, 1000000}, "Steps");
    if (const auto end = asked.parse(argc, argv, env.rank() != 0))
        return *end;
    const Outcome found = run(n, steps, dri::world());
    if (env.rank() != 0)
        return 0;
    const Outcome alone = run(n, steps, dri::Group{0});
    const int64_t wrong = count_wrong(found.field, n, steps);
    const bool is_same = found.field == alone.field;
    std::printf("%.2f us a step on %d processes, %.2f us on one; %lld elements are wrong; %s\n",
                1e6 * found.seconds / steps, env.size(), 1e6 * alone.seconds / steps,
                static_cast<long long>(wrong), is_same ? "the same bits" : "the results differ");
    return is_same && wrong == 0 ? 0 : 1;
}
