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

// Seconds from one barrier to the next with the contest's work between, for the slowest process.
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

// All processes use the same number of iterations, because they meet at barriers in each one.
int64_t choose_iterations(const Contest &contest, const Effort &effort, Barrier &barrier) {
    constexpr double max = 1e6;
    const double seconds = std::min(barrier_to_barrier(contest, barrier), barrier_to_barrier(contest, barrier));
    return from_first(static_cast<int64_t>(std::clamp(std::ceil(effort.min_seconds / seconds), 1.0, max)));
}

double measure(const std::string &name, const Contest &contest, int64_t iterations, Barrier &barrier) {
    const auto loop = [&](benchmark::State &state) {
        for ([[maybe_unused]] auto iteration : state)
            state.SetIterationTime(barrier_to_barrier(contest, barrier));
    };
    benchmark::RegisterBenchmark(name.c_str(), loop)->UseManualTime()->Iterations(iterations);
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::ClearRegisteredBenchmarks();
    return collector.times_ms.at(0);
}

// Median of the ratios, round by round. Empty if there are no rounds.
std::optional<double> median_ratio(const std::vector<double> &dividends, const std::vector<double> &divisors) {
    std::vector<double> ratios;
    for (size_t i = 0; i < std::min(dividends.size(), divisors.size()); ++i)
        ratios.push_back(dividends[i] / divisors[i]);
    return ratios.empty() ? std::nullopt : std::optional(median(std::move(ratios)));
}

} // namespace

double RowResult::median_ms() const { return median(times_ms); }

std::optional<double> RowResult::of_limit() const { return median_ratio(limit_ms, times_ms); }

std::optional<double> RowResult::dri_gain() const { return median_ratio(times_ms, dri_ms); }

double empty_frame_us(const Effort &effort, Barrier &barrier) {
    Contest nothing;
    nothing.run = [] {};
    const int64_t iterations = choose_iterations(nothing, effort, barrier);
    std::vector<double> times_ms;
    for (int i = 0; i < effort.repetitions; ++i)
        times_ms.push_back(measure("empty frame", nothing, iterations, barrier));
    return 1e3 * median(std::move(times_ms));
}

Row::Row(const RowKind &kind, const Case &c, const Effort &effort, Barrier &barrier) : case_(c) {
    result.name = kind.name;
    result.contender = kind.contender;

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    contest_ = kind.prepare(c);
    result.setup_ms = 1e3 * greatest(MPI_Wtime() - start);
    result.unfit = contest_.unfit;
    if (!result.unfit.empty())
        return;

    fill(c, own_part(c.source), {contest_.source, contest_.source_pitch});
    check_again();
    if (result.is_right)
        result.iterations = choose_iterations(contest_, effort, barrier);
}

double Row::repeat(Barrier &barrier) { return measure(result.name, contest_, result.iterations, barrier); }

void Row::check_again() { result.is_right = check_once(contest_, case_); }

} // namespace bench
