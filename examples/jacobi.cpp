// A plate whose first row is hot, until its temperature changes no more: Jacobi's iteration with five points. Each
// statement is one loop over arrays that no process holds whole. The result is compared with that of the same
// function on one process, bit by bit.
#include <chrono>
#include <command_line.hpp>
#include <cstdio>
#include <dri/dri.hpp>
#include <filesystem>
#include <heat_map.hpp>

struct Solution {
    std::vector<double> field; // on the first process
    int steps = 0;
    double seconds = 0;
};

static Solution solve(int n, double tolerance, const dri::Group &group) {
    const auto start = std::chrono::steady_clock::now();
    int steps = 0;
    /* [jacobi] */
    dri::Array<double, 2> a({n, n}, group), b({n, n}, group);
    a = 0.0;
    a[{dri::range(0, 1), dri::range(0, n)}] = 1.0;
    b = a;
    const auto in = a.ranges().expand(-1); // [1, n-1) squared
    double change;
    do {
        b[in] = 0.25 * (a[in.shift(-1, 0)] + a[in.shift(1, 0)] + a[in.shift(0, -1)] + a[in.shift(0, 1)]);
        change = dri::max(dri::abs(b[in] - a[in]));
        std::swap(a, b);
        ++steps;
    } while (change > tolerance);
    /* [/jacobi] */
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return {a.gather(0), steps, time.count()};
}

static void draw(const std::vector<double> &field, int n, const std::filesystem::path &file) {
    common::HeatMap map;
    map.x = {.title = "column", .first = 0, .last = n - 1.0, .cells = n};
    map.y = {.title = "row", .first = 0, .last = n - 1.0, .cells = n};
    map.db = [&](int column, int row) { return field[std::size_t(row) * std::size_t(n) + std::size_t(column)]; };
    map.top_db = 1;
    map.range_db = 1;
    map.unit = "temperature";
    map.title = "A plate whose first row is hot";
    common::write_heat_map(map, file);
}

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    int n = 64;
    double tolerance = 1e-5;
    std::filesystem::path picture;
    common::CommandLine asked("Jacobi's iteration on a plate whose first row is hot.");
    asked.add("--size", n, {3, 1 << 14}, "Points along each side of the plate");
    asked.add("--tolerance", tolerance, {0, 1}, "It ends when no temperature changes by more than this");
    asked.add("--picture", picture, "Also draw the field to this PNG file");
    if (const auto end = asked.parse(argc, argv, env.rank() != 0))
        return *end;
    const Solution found = solve(n, tolerance, dri::world());
    if (env.rank() != 0)
        return 0;
    const Solution alone = solve(n, tolerance, dri::Group{0});
    const bool is_same = found.field == alone.field && found.steps == alone.steps;
    std::printf("%d steps, %.2f us each on %d processes, %.2f us on one; %s\n", found.steps,
                1e6 * found.seconds / found.steps, env.size(), 1e6 * alone.seconds / alone.steps,
                is_same ? "the same bits" : "the results differ");
    if (!picture.empty())
        draw(found.field, n, picture);
    return is_same ? 0 : 1;
}
