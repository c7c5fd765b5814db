// The noise beside each cell of a radar cube: a windowed average along range, without the guard cells next to the
// cell under test. Then the mean power of each beam. The cube is cut along range, so windows reach into the
// neighbours' parts. The result is compared with the definition, and with that of the same function on one
// process, bit by bit.
#include <chrono>
#include <cmath>
#include <command_line.hpp>
#include <cstdio>
#include <dri/dri.hpp>

static constexpr int64_t reach = 8, guard = 2;

struct Cube {
    int64_t ranges, beams, pulses;
};

struct Outcome {
    std::vector<float> noise;    // on the first process
    std::vector<double> pattern; // mean power of each beam
    double seconds = 0;
};

// Power that falls with the range, more of it in the middle beams, with speckle.
static float echo(const Cube &cube, const dri::Index<3> &at) {
    const auto mixed = uint64_t((at[0] * cube.beams + at[1]) * cube.pulses + at[2] + 1) * 0x9E3779B97F4A7C15u;
    const double speckle = double(mixed >> 40) / (1 << 24);
    const double beam = double(2 * at[1] - cube.beams + 1) / double(cube.beams);
    return float((0.5 + speckle) * std::exp(-4 * beam * beam) / (1.0 + double(at[0]) / double(cube.ranges)));
}

static Outcome run(const Cube &cube, const dri::Group &group) {
    const dri::Index<3> shape{cube.ranges, cube.beams, cube.pulses};
    dri::Array<float, 3> power(shape, group), noise(shape, group);
    dri::forall(dri::zip(power.domain(), power), [&](const dri::Index<3> &at, float &x) { x = echo(cube, at); });
    const auto start = std::chrono::steady_clock::now();
    /* [noise] */
    const auto in = power.ranges().expand(-reach, 0, 0);
    dri::apply(
        noise[in],
        [](auto out, auto p) {
            for (int64_t i = 0; i < out.extent(0); ++i)
                for (int64_t j = 0; j < out.extent(1); ++j)
                    for (int64_t k = 0; k < out.extent(2); ++k) {
                        float sum = 0;
                        for (int64_t d = guard + 1; d <= reach; ++d)
                            sum += p(i - d, j, k) + p(i + d, j, k);
                        out(i, j, k) = sum / float(2 * (reach - guard));
                    }
        },
        dri::reach(power[in], {reach, 0, 0}, {reach, 0, 0}));
    /* [/noise] */
    /* [pattern] */
    const double cells = double(cube.ranges * cube.pulses);
    std::vector<double> pattern;
    for (int64_t b = 0; b < cube.beams; ++b) {
        const dri::Ranges beam(dri::range(0, cube.ranges), dri::range(b, b + 1), dri::range(0, cube.pulses));
        pattern.push_back(dri::sum(power[beam]) / cells);
    }
    /* [/pattern] */
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return {noise.gather(0), pattern, time.count()};
}

static int64_t count_wrong(const Cube &cube, const Outcome &found) {
    int64_t wrong = 0;
    std::vector<double> sums(std::size_t(cube.beams));
    for (int64_t i = 0, place = 0; i < cube.ranges; ++i)
        for (int64_t j = 0; j < cube.beams; ++j)
            for (int64_t k = 0; k < cube.pulses; ++k, ++place) {
                sums[std::size_t(j)] += echo(cube, {i, j, k});
                double sum = 0;
                const bool is_in = i >= reach && i < cube.ranges - reach;
                for (int64_t d = guard + 1; is_in && d <= reach; ++d)
                    sum += double(echo(cube, {i - d, j, k})) + echo(cube, {i + d, j, k});
                wrong += !(std::abs(found.noise[std::size_t(place)] - sum / (2 * (reach - guard))) < 1e-6);
            }
    const double cells = double(cube.ranges * cube.pulses);
    for (std::size_t b = 0; b < sums.size(); ++b)
        wrong += !(std::abs(found.pattern[b] - sums[b] / cells) < 1e-12);
    return wrong;
}

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    int ranges = 200, beams = 12, pulses = 16;
    common::CommandLine asked("The noise beside each cell of a radar cube, and the mean pattern of its beams.");
    asked.add("--ranges", ranges, {2 * reach + 1, 1 << 20}, "Range cells");
    asked.add("--beams", beams, {1, 1 << 12}, "Beams");
    asked.add("--pulses", pulses, {1, 1 << 12}, "Pulses");
    if (const auto end = asked.parse(argc, argv, env.rank() != 0))
        return *end;
    const Cube cube{ranges, beams, pulses};
    const Outcome found = run(cube, dri::world());
    if (env.rank() != 0)
        return 0;
    const Outcome alone = run(cube, dri::Group{0});
    const int64_t wrong = count_wrong(cube, found);
    const bool is_same = found.noise == alone.noise;
    std::printf("%.3f ms on %d processes, %.3f ms on one; %lld elements are wrong; %s\n", 1e3 * found.seconds,
                env.size(), 1e3 * alone.seconds, static_cast<long long>(wrong),
                is_same ? "the same bits" : "the results differ");
    return is_same && wrong == 0 ? 0 : 1;
}
