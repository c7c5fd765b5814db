#include "harness.hpp"

#include "stamps.hpp"
#include "world.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

// Keeps the times of the repetitions and prints nothing.
class Collector : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs)
            if (run.run_type == Run::RT_Iteration)
                times_ms.push_back(1e3 * run.real_accumulated_time / static_cast<double>(run.iterations));
    }

    std::vector<double> times_ms;
};

// From a barrier that all have reached to one that all have reached, for the slowest process.
double barrier_to_barrier(const Contest &contest, Barrier &barrier) {
    barrier();
    const double start = MPI_Wtime();
    contest.run();
    barrier();
    return greatest(MPI_Wtime() - start);
}

bool check_once(const Contest &contest, const Case &c) {
    const auto me = static_cast<size_t>(world().rank);
    const Part &part = contest.sink_is_source_part ? c.source.parts[me] : c.sink.parts[me];
    poison(c, part, {contest.sink, contest.sink_pitch});
    contest.run();
    return sum(count_wrong(c, part, {contest.sink, contest.sink_pitch})) == 0;
}

// As many iterations on all processes: each waits for the others.
int64_t choose_iterations(const Contest &contest, const Effort &effort, Barrier &barrier) {
    constexpr double most = 1e6;
    const double seconds = std::min(barrier_to_barrier(contest, barrier), barrier_to_barrier(contest, barrier));
    return from_first(static_cast<int64_t>(std::clamp(std::ceil(effort.min_seconds / seconds), 1.0, most)));
}

std::vector<double> measure(const std::string &name, const Contest &contest, int64_t iterations, int repetitions,
                            Barrier &barrier) {
    const auto loop = [&](benchmark::State &state) {
        for ([[maybe_unused]] auto iteration : state)
            state.SetIterationTime(barrier_to_barrier(contest, barrier));
    };
    benchmark::RegisterBenchmark(name.c_str(), loop)
        ->UseManualTime()
        ->Iterations(iterations)
        ->Repetitions(repetitions);
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::ClearRegisteredBenchmarks();
    return collector.times_ms;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

} // namespace

double RowResult::median_ms() const { return median(times_ms); }

double empty_frame_us(const Effort &effort, Barrier &barrier) {
    Contest nothing;
    nothing.run = [] {};
    const int64_t iterations = choose_iterations(nothing, effort, barrier);
    return 1e3 * median(measure("empty frame", nothing, iterations, effort.repetitions, barrier));
}

std::optional<double> best_ms(const std::vector<RowResult> &rows, Contender contender) {
    std::optional<double> least;
    for (const RowResult &row : rows)
        if (row.contender == contender && row.has_times())
            least = std::min(least.value_or(row.median_ms()), row.median_ms());
    return least;
}

RowResult run_row(const RowKind &kind, const Case &c, const Effort &effort, Barrier &barrier) {
    RowResult result;
    result.name = kind.name;
    result.contender = kind.contender;

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const Contest contest = kind.prepare(c);
    result.setup_ms = 1e3 * greatest(MPI_Wtime() - start);
    result.unfit = contest.unfit;
    if (!result.unfit.empty())
        return result;

    fill(c, own_part(c.source), {contest.source, contest.source_pitch});
    result.is_right = check_once(contest, c);
    if (!result.is_right)
        return result;
    result.iterations = choose_iterations(contest, effort, barrier);
    result.times_ms = measure(result.name, contest, result.iterations, effort.repetitions, barrier);
    result.is_right = check_once(contest, c);
    return result;
}

} // namespace bench
