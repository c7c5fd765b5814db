#include "outcome.hpp"

#include "frame.hpp"
#include "percentile.hpp"
#include "program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <stdexcept>

namespace pipeline_bench {
namespace {

bool same(const radar::Detection &a, const radar::Detection &b) {
    return a.range == b.range && a.speed == b.speed && a.snr == b.snr;
}

bool same_report(const radar::Report &a, const radar::Report &b) {
    return a.frame == b.frame && a.found == b.found && std::ranges::equal(a.strongest, b.strongest, same);
}

} // namespace

void Arrivals::add(const dri::Frame &frame, std::span<const radar::Report> reports) {
    Round &round = rounds_.back();
    round.arrivals.push_back(common::now());
    round.latencies.push_back(common::age(frame));
    for (const radar::Report &report : reports) {
        if (report.frame != frame.number)
            throw std::logic_error("a report belongs to another frame");
        reports_.push_back(report);
    }
}

double Arrivals::frames_per_second() const {
    std::vector<double> rates;
    for (const Round &round : rounds_)
        rates.push_back(static_cast<double>(round.arrivals.size() - unsteady) /
                        (round.arrivals.back() - round.arrivals[unsteady - 1]));
    return common::percentile(rates, 0.5);
}

double Arrivals::latency(double part) const {
    std::vector<double> all;
    for (const Round &round : rounds_)
        all.insert(all.end(), round.latencies.begin() + unsteady, round.latencies.end());
    return common::percentile(all, part);
}

std::int64_t Arrivals::found() const {
    std::int64_t sum = 0;
    for (const radar::Report &report : reports_)
        sum += report.found;
    return sum;
}

// Both programs run the same frames in the same order.
bool Arrivals::same_reports(const Arrivals &other) const {
    return std::ranges::equal(reports_, other.reports_, same_report);
}

void print_table(const Arrivals &by_dri, const Arrivals &by_mpi, const radar::Options &options,
                 const radar::Roles &roles) {
    std::printf(
        "| processes | front end | Doppler | buffers | moved by | frames/s | latency: median, ms | p99, ms | "
        "detections |\n|---|---|---|---|---|---|---|---|---|\n");
    const auto row = [&](const char *name, int buffers, const Arrivals &arrivals) {
        std::printf("| %zu | %zu | %zu | %d | %s | %.2f | %.1f | %.1f | %lld |\n", roles.everyone.size(),
                    roles.front.size(), roles.doppler.size(), buffers, name, arrivals.frames_per_second(),
                    1e3 * arrivals.latency(0.5), 1e3 * arrivals.latency(0.99),
                    static_cast<long long>(arrivals.found()));
    };
    row("DRI", options.buffers, by_dri);
    row("MPI_Alltoallv", 1, by_mpi);
    std::printf("All detections and cubes are equal.\n");
    std::fflush(stdout);
}

void print_moving(const Moving &moving, std::int64_t frames) {
    const double mine[3] = {moving.packing, moving.exchanging, moving.unpacking};
    std::vector<double> all(3 * static_cast<std::size_t>(common::process_count()));
    MPI_Gather(mine, 3, MPI_DOUBLE, all.data(), 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (!common::is_first_process())
        return;
    for (std::size_t rank = 0; 3 * rank < all.size(); ++rank) {
        const double scale = 1e3 / static_cast<double>(frames);
        std::printf(
            "MPI_Alltoallv, process %zu: %.1f ms packing, %.1f ms in the calls, %.1f ms unpacking per frame\n",
            rank, scale * all[3 * rank], scale * all[3 * rank + 1], scale * all[3 * rank + 2]);
    }
}

} // namespace pipeline_bench
