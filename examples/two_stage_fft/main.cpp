// 2-D FFT of a large array in two stages with a corner turn between them, checked against FFTW-MPI.
#include "fftw_transform.hpp"
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
struct Times {
    double rows, turn, columns, whole;
};

class Stopwatch {
public:
    // Measures one frame stage by stage, and one as a whole. All processes start each stage together.
    template <class Transform> void measure(Transform &transform) {
        transform.load();
        const double rows = seconds_of([&] { transform.along_rows(); });
        const double turn = seconds_of([&] { transform.turn(); });
        const double columns = seconds_of([&] { transform.along_columns(); });
        const auto slowest = greatest({rows, turn, columns});
        rows_.push_back(slowest[0]);
        turns_.push_back(slowest[1]);
        columns_.push_back(slowest[2]);
        transform.load();
        wholes_.push_back(greatest({seconds_of([&] { transform.whole(); })})[0]);
    }
    Times medians() const { return {median(rows_), median(turns_), median(columns_), median(wholes_)}; }

private:
    std::vector<double> rows_, turns_, columns_, wholes_;
};

void print_headline(const Options &options) {
    std::printf("2-D FFT of %d x %d complex float over %d processes, %d frames\n", options.rows, options.columns,
                process_count(), options.frames);
}

void print_error(double error) {
    std::printf("  relative error against FFTW-MPI %.2g: %s\n", error, error < tolerance ? "correct" : "WRONG");
}

double run_alone(const Options &options) {
    TwoStageFft transform(options.rows, options.columns, options.planning);
    Stopwatch watch;
    {
        ProgressBar bar(options.frames, rank() == 0);
        for (int frame = 0; frame < options.frames; ++frame) {
            watch.measure(transform);
            bar.show(frame + 1);
        }
    }
    const double error = relative_error(transform, options.rows, options.columns, options.planning);
    if (rank() != 0)
        return error;
    const Times times = watch.medians();
    const double bytes = 8.0 * options.rows * options.columns;
    print_headline(options);
    std::printf("  FFTs along rows     %10.3f ms\n", 1e3 * times.rows);
    std::printf("  corner turn         %10.3f ms   %.2f GB/s\n", 1e3 * times.turn, 1e-9 * bytes / times.turn);
    std::printf("  FFTs along columns  %10.3f ms\n", 1e3 * times.columns);
    std::printf("  whole frame         %10.3f ms\n", 1e3 * times.whole);
    print_error(error);
    return error;
}

void print_comparison(const Times &here, const Times &fftw) {
    const auto line = [](const char *name, double mine, double theirs) {
        std::printf("  %-20s %10.3f ms %10.3f ms  %6.2f\n", name, 1e3 * mine, 1e3 * theirs, theirs / mine);
    };
    std::printf("  %-20s %13s %13s  %6s\n", "", "DRI", "FFTW-MPI", "gain");
    line("FFTs along rows", here.rows, fftw.rows);
    line("corner turn", here.turn, fftw.turn);
    line("FFTs along columns", here.columns, fftw.columns);
    line("whole frame", here.whole, fftw.whole);
}

// Measures both alternately, so that other load of the machine affects both in the same way.
double run_beside_fftw(const Options &options) {
    TwoStageFft here(options.rows, options.columns, options.planning);
    FftwTransform fftw(options.rows, options.columns, options.planning);
    Stopwatch watch_here, watch_fftw;
    {
        ProgressBar bar(options.frames, rank() == 0);
        for (int frame = 0; frame < options.frames; ++frame) {
            watch_here.measure(here);
            watch_fftw.measure(fftw);
            bar.show(frame + 1);
        }
    }
    const double error = fftw.difference(here);
    if (rank() == 0) {
        print_headline(options);
        print_comparison(watch_here.medians(), watch_fftw.medians());
        print_error(error);
    }
    return error;
}

int run(const Options &options) {
    fftwf_mpi_init();
    const double error = options.compare ? run_beside_fftw(options) : run_alone(options);
    return error < tolerance ? exit_ok : exit_wrong;
}

} // namespace

int main(int argc, char **argv) {
    try {
        dri::Environment env(argc, argv);
        int exit_code = exit_ok;
        try {
            if (const auto options = parse_options(argc, argv, rank() == 0, exit_code))
                exit_code = run(*options);
        } catch (const SharedFailure &failure) {
            exit_code = exit_wrong;
            if (rank() == 0)
                std::fprintf(stderr, "two_stage_fft: %s\n", failure.what());
        } catch (const std::exception &error) {
            // Other processes may wait for this one, so the whole job ends.
            std::fprintf(stderr, "two_stage_fft: process %d: %s\n", rank(), error.what());
            MPI_Abort(MPI_COMM_WORLD, exit_wrong);
        }
        env.finalize();
        return exit_code;
    } catch (const dri::Error &error) {
        std::fprintf(stderr, "two_stage_fft: %s\n", error.what());
        return exit_wrong;
    }
}
