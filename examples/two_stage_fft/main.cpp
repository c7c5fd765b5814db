// 2-D FFT of a large array in two stages with a corner turn between them, checked against FFTW-MPI.
#include "options.hpp"
#include "process.hpp"
#include "progress.hpp"
#include "reference.hpp"
#include "two_stage_fft.hpp"

#include <cstdio>
#include <exception>
#include <vector>

namespace {

using namespace fft;

constexpr double tolerance = 1e-5;

// Seconds of the slowest process: medians over the frames.
struct StageTimes {
    double rows, turn, columns;
};

StageTimes run_frames(TwoStageFft &transform, int frames) {
    std::vector<double> rows, turns, columns;
    ProgressBar bar(frames, rank() == 0);
    for (int frame = 0; frame < frames; ++frame) {
        const double row_seconds = seconds_of([&] { transform.along_rows(); });
        const double turn_seconds = seconds_of([&] { transform.turn(); });
        const double column_seconds = seconds_of([&] { transform.along_columns(); });
        const auto slowest = greatest({row_seconds, turn_seconds, column_seconds});
        rows.push_back(slowest[0]);
        turns.push_back(slowest[1]);
        columns.push_back(slowest[2]);
        bar.show(frame + 1);
    }
    return {median(rows), median(turns), median(columns)};
}

void report(const Options &options, const StageTimes &times, double error) {
    const double bytes = 8.0 * options.rows * options.columns;
    std::printf("2-D FFT of %d x %d complex float over %d processes, %d frames\n", options.rows, options.columns,
                process_count(), options.frames);
    std::printf("  FFTs along rows     %10.3f ms\n", 1e3 * times.rows);
    std::printf("  corner turn         %10.3f ms   %.2f GB/s\n", 1e3 * times.turn, 1e-9 * bytes / times.turn);
    std::printf("  FFTs along columns  %10.3f ms\n", 1e3 * times.columns);
    std::printf("  relative error against FFTW-MPI %.2g: %s\n", error, error < tolerance ? "right" : "WRONG");
}

int run(const Options &options) {
    fftwf_mpi_init();
    TwoStageFft transform(options.rows, options.columns, options.planning);
    const StageTimes times = run_frames(transform, options.frames);
    const double error = relative_error(transform, options.rows, options.columns, options.planning);
    if (rank() == 0)
        report(options, times, error);
    return error < tolerance ? exit_ok : exit_wrong;
}

} // namespace

int main(int argc, char **argv) {
    if (DRI_init(&argc, &argv) != DRI_SUCCESS) {
        std::fprintf(stderr, "two_stage_fft: %s\n", DRI_error_message());
        return exit_wrong;
    }
    int exit_code = exit_ok;
    try {
        if (const auto options = parse_options(argc, argv, rank() == 0, exit_code))
            exit_code = run(*options);
    } catch (const SharedFailure &failure) {
        exit_code = exit_wrong;
        if (rank() == 0)
            std::fprintf(stderr, "two_stage_fft: %s\n", failure.what());
    } catch (const std::exception &error) {
        // Others may wait for this process: end them, too.
        std::fprintf(stderr, "two_stage_fft: process %d: %s\n", rank(), error.what());
        MPI_Abort(MPI_COMM_WORLD, exit_wrong);
    }
    return DRI_finalize() == DRI_SUCCESS ? exit_code : exit_wrong;
}
