// A corner turn of a matrix that no process ever holds whole. The program computes the matrix in strips of rows
// and uses it in strips of columns. Between the two, the library stores the matrix once, cut over all processes.
//
// usage: strip_turn [rows columns rows_of_a_strip columns_of_a_strip matrices]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dri/dri.hpp>
#include <fstream>
#include <string>

static dri::cint16 value(int64_t row, int64_t column, int64_t matrix) {
    const uint64_t mixed = (uint64_t(row) * 2654435761u) ^ (uint64_t(column) * 40503u) ^ (uint64_t(matrix) << 20);
    return {int16_t(mixed), int16_t(mixed >> 16)};
}

static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The peak memory of this process in MB, or 0 if the system does not report it.
static double peak_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            return std::stod(line.substr(6)) * 1024e-6;
    return 0;
}

int main(int argc, char **argv) {
    dri::Environment env(argc, argv);
    int64_t numbers[] = {500, 700, 64, 100, 2};
    for (int i = 1; i < argc && i <= 5; ++i)
        numbers[i - 1] = std::atoll(argv[i]);
    const auto [rows, columns, rows_of_a_strip, columns_of_a_strip, matrices] = numbers;

    /* [strips] */
    // The first strips, each cut over all processes.
    const dri::Gdo<dri::cint16, 2> matrix(rows, columns);
    const auto upper = matrix.subset({0, 0}, {std::min(rows, rows_of_a_strip), columns});
    const auto left = matrix.subset({0, 0}, {rows, std::min(columns, columns_of_a_strip)});
    auto source = dri::source_strips("turn", matrix, 0, dri::Dist(upper, dri::cut_dim<2>(0)), {.buffers = 2});
    auto sink =
        dri::sink_strips("turn", matrix, 1, dri::Dist(left, dri::cut_dim<2>(1)), {.layout = dri::col_major});
    dri::commit();
    /* [/strips] */

    const double start = seconds();
    double in_calls = 0;
    int64_t wrong = 0;
    for (int64_t m = 0; m < matrices; ++m) {
        for (int64_t first = 0; first < rows; first += rows_of_a_strip) {
            source.forall([&](auto at, dri::cint16 &x) { x = value(first + at[0], at[1], m); });
            in_calls -= seconds();
            source.run();
            in_calls += seconds();
        }
        for (int64_t first = 0; first < columns; first += columns_of_a_strip) {
            in_calls -= seconds();
            const auto strip = sink.extract();
            in_calls += seconds();
            strip->forall([&](auto at, dri::cint16 &x) { wrong += x != value(at[0], first + at[1], m); });
            sink.release();
        }
    }
    std::printf(
        "process %d: %lld x %lld in strips, %lld times: %lld elements are wrong; %.2f s, of which %.2f s in "
        "the library; at most %.0f MB\n",
        env.rank(), (long long)rows, (long long)columns, (long long)matrices, (long long)wrong, seconds() - start,
        in_calls, peak_megabytes());
    return wrong > 0;
}
