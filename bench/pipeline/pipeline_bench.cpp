// pipeline_bench: frames per second and latency of examples/range_doppler, with the library's transfers and with
// blocking MPI calls. Both programs run alternately in one job. Their results must be equal.
#include "command_line.hpp"
#include "outcome.hpp"
#include "program.hpp"
#include "twin.hpp"

#include <dri/dri.hpp>

#include <limits>
#include <mpi.h>
#include <stdexcept>
#include <thread>

namespace {

using namespace pipeline_bench;

struct Asked {
    radar::Options options;
    int rounds = 3;
};

bool parse(int argc, char **argv, Asked &asked, int &exit_code) {
    radar::Radar &radar = asked.options.radar;
    constexpr common::Range<int> processes{0, 1 << 20};
    common::CommandLine line(
        "Frames per second and latency of the range-Doppler program with DRI and with MPI_Alltoallv.",
        "pipeline_bench");
    line.add("--channels", radar.channels, {1, 1024}, "Channels of the antenna");
    line.add("--pulses", radar.pulses, {2, 1 << 16}, "Pulses of a frame");
    line.add("--ranges", radar.ranges, {1, 1 << 20}, "Range samples of a pulse");
    line.add("--chirp", radar.chirp, {1, 1 << 16}, "Samples of the transmitted pulse");
    line.add("--front", asked.options.front, processes, "Processes of the front end; 0: about half");
    line.add("--doppler", asked.options.doppler, processes, "Processes of the Doppler stage; 0: the rest");
    line.add("--nbuffs", asked.options.buffers, {1, 64}, "Buffers of each endpoint of DRI's transfers");
    line.add("--frames", asked.options.frames, {2, 1 << 20},
             "Measured frames per round, after two that are not measured");
    line.add("--rounds", asked.rounds, {1, 1 << 20}, "Rounds; each runs both programs");
    line.end_help_with(
        "Exit codes: 0 success; 1 the results differ, or an error of MPI or of the library; 2 wrong "
        "arguments.");
    if (const auto code = line.parse(argc, argv, !common::is_first_process())) {
        exit_code = *code;
        return false;
    }
    return true;
}

// Throws Failure on all processes if a count of an exchange may exceed MPI's int.
void require_counts(const radar::Options &options) {
    const radar::Radar &radar = options.radar;
    const std::int64_t overlap = common::process_count() * (radar.chirp + 2 * options.cfar.reach());
    const std::int64_t numbers = 2 * radar.channels * radar.pulses * (radar.ranges + overlap);
    if (numbers > std::numeric_limits<int>::max())
        throw common::Failure(common::exit_usage, "the frame is too large for the counts of MPI_Alltoallv");
}

// Collective. Number of elements that differ, summed over all processes.
std::int64_t count_different(std::span<const radar::cfloat> a, std::span<const radar::cfloat> b) {
    std::int64_t here = a.size() == b.size() ? 0 : 1, all = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        here += a[i] != b[i];
    MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

// A barrier during which the frames that this process has handed over make progress.
void await_everyone() {
    MPI_Request all;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    for (int done = 0; !done;) {
        dri::progress();
        std::this_thread::yield();
        MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    }
}

int measure(const Asked &asked) {
    radar::Options options = asked.options;
    const radar::Roles roles = radar::deal_roles(common::process_count(), options.front, options.doppler);
    require_counts(options);
    const std::int64_t frames = options.frames + Arrivals::unsteady; // of a round
    options.frames = asked.rounds * frames;
    radar::prepare_input(options);

    std::optional<radar::Pipeline> pipeline;
    common::alone("pipeline_bench", [&] { pipeline.emplace(options, roles); });
    dri::commit();
    Twin twin(options, roles);
    Arrivals by_dri, by_mpi; // at the tracker
    std::int64_t different = 0;
    for (int round = 0; round < asked.rounds; ++round) {
        const auto run = [&](bool dri) {
            await_everyone();
            common::alone("pipeline_bench", [&] {
                Arrivals &arrivals = dri ? by_dri : by_mpi;
                arrivals.begin_round();
                const auto follow = [&](const dri::Frame &frame, auto reports) { arrivals.add(frame, reports); };
                for (std::int64_t frame = 0; frame < frames; ++frame)
                    if (dri)
                        radar::run_frame(*pipeline, follow);
                    else
                        twin.run_frame(follow);
            });
        };
        run(round % 2 == 0);
        run(round % 2 != 0);
        different += count_different(pipeline->front.lines(), twin.lines());
        different += count_different(pipeline->doppler.pulses(), twin.pulses());
    }
    common::alone("pipeline_bench", [&] {
        if (radar::run_frame(*pipeline, [](const dri::Frame &, auto) {}))
            throw std::logic_error("the pipeline delivers more frames than there are");
    });
    common::on_process(roles.tracker[0], [&] {
        if (different > 0)
            throw common::Failure(common::exit_internal, std::to_string(different) + " elements differ");
        if (!by_dri.same_reports(by_mpi))
            throw common::Failure(common::exit_internal, "the detections differ");
        print_table(by_dri, by_mpi, options, roles);
    });
    print_moving(twin.moving(), asked.rounds * frames);
    return common::exit_ok;
}

int run(int argc, char **argv) {
    Asked asked;
    asked.options.frames = 20;
    int exit_code = common::exit_ok;
    return parse(argc, argv, asked, exit_code) ? measure(asked) : exit_code;
}

} // namespace

int main(int argc, char **argv) { return common::run_program("pipeline_bench", argc, argv, run); }
