// stream_bench: how much of a transfer overlaps with the computation of its producers, by the number of buffers,
// with and without a progress thread.
#include "command_line.hpp"
#include "median.hpp"
#include "stream/pipe.hpp"
#include "world.hpp"

#include <nlohmann/json.hpp>

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace {

using bench::median;
using stream_bench::Pipe;
using stream_bench::Setting;
using stream_bench::Shape;
using Json = nlohmann::ordered_json;

struct Effort {
    double seconds = 0.2; // duration of each measurement
    double ratio = 1;     // computation time of a frame divided by its transfer time
    int repetitions = 5;
};

struct Row {
    Setting setting;
    double compute = 0, transfer = 0, both = 0; // seconds per frame
    // 1: the shorter one is hidden completely. 0: they run one after the other.
    double overlap() const { return (compute + transfer - both) / std::min(compute, transfer); }
};

std::int64_t frames_in(double seconds, double seconds_of_one) {
    return bench::from_first(static_cast<std::int64_t>(std::clamp(seconds / seconds_of_one, 10.0, 1e6)));
}

// Computation, transfer and both together are measured alternately, so that a change of the machine's speed
// affects them in the same way.
Row measure(const Setting &setting, Shape shape, const Effort &effort) {
    Pipe pipe(setting, shape);
    const double first = pipe.run(10, 0, true);
    const double transfer = pipe.run(frames_in(effort.seconds, first), 0, true);
    constexpr std::int64_t some = 100000;
    const double round = pipe.run(1, some, false) / static_cast<double>(some);
    const std::int64_t rounds =
        bench::from_first(std::max<std::int64_t>(1, static_cast<std::int64_t>(effort.ratio * transfer / round)));
    const std::int64_t frames = frames_in(effort.seconds, transfer * (1 + effort.ratio));
    std::vector<double> computes, transfers, boths;
    for (int i = 0; i < effort.repetitions; ++i) {
        computes.push_back(pipe.run(frames, rounds, false));
        transfers.push_back(pipe.run(frames, 0, true));
        boths.push_back(pipe.run(frames, rounds, true));
    }
    if (const std::int64_t wrong = pipe.count_wrong())
        throw std::runtime_error(std::to_string(wrong) + " elements did not arrive");
    return {setting, median(computes), median(transfers), median(boths)};
}

void print(const Row &row) {
    std::printf("| %s | %d | %s | %.3f | %.3f | %.3f | %.2f |\n", row.setting.way, row.setting.buffers,
                row.setting.thread ? "yes" : "no", 1e3 * row.compute, 1e3 * row.transfer, 1e3 * row.both,
                row.overlap());
    std::fflush(stdout);
}

Json to_json(const Row &row) {
    return {{"way", row.setting.way},          {"buffers", row.setting.buffers},    {"thread", row.setting.thread},
            {"compute_ms", 1e3 * row.compute}, {"transfer_ms", 1e3 * row.transfer}, {"both_ms", 1e3 * row.both},
            {"overlap", row.overlap()}};
}

int cores_allowed() {
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
}

bool threads_may_call() {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level >= MPI_THREAD_MULTIPLE;
}

void run_all(Shape shape, const std::vector<int> &buffers, const Effort &effort, const std::string &json_file) {
    const bench::World world = bench::world();
    if (world.is_first())
        std::printf("%d processes, %d cores, %lld x %lld complex float, computation %.2f times the transfer\n\n"
                    "| way | buffers | thread | compute ms | transfer ms | both ms | overlap |\n"
                    "|---|---|---|---|---|---|---|\n",
                    world.size, cores_allowed(), static_cast<long long>(shape.rows),
                    static_cast<long long>(shape.columns), effort.ratio);
    Json rows = Json::array();
    const std::pair<const char *, std::int64_t> ways[] = {
        {"direct", DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT}, {"message", DRI_WAY_MESSAGE}};
    for (const auto &[way, sum] : ways)
        for (const int n : buffers)
            for (const bool thread : {false, true}) {
                if (thread && !threads_may_call())
                    continue;
                const Row row = measure({way, sum, n, thread}, shape, effort);
                if (world.is_first())
                    print(row);
                rows.push_back(to_json(row));
            }
    if (!world.is_first() || json_file.empty())
        return;
    const Json all = {{"processes", world.size},  {"cores", cores_allowed()}, {"rows_of_matrix", shape.rows},
                      {"columns", shape.columns}, {"ratio", effort.ratio},    {"rows", rows}};
    std::ofstream file(json_file);
    file << all.dump(2) << '\n' << std::flush;
    if (!file)
        throw std::runtime_error("cannot write " + json_file);
}

// Collective. Checked at the start, so that no measurements are lost.
bool is_writable(const std::string &file) {
    return bench::on_all(!bench::world().is_first() || std::ofstream(file, std::ios::app).is_open());
}

} // namespace

int main(int argc, char **argv) {
    Shape shape{1024, 1024};
    std::vector<int> buffers{1, 2, 3};
    Effort effort;
    std::string json_file;
    common::CommandLine asked(
        "Overlap of a transfer with the computation of its producers:\n"
        "(compute + transfer - both) / the shorter of compute and transfer.\n"
        "The first half of the processes computes, and sends a matrix to the others by a corner turn, frame "
        "after\n"
        "frame. A single process sends it to itself. Direct: the sinks read the sources' buffers. Message: "
        "through MPI.");
    asked.add("--rows", shape.rows, {1, 1 << 20}, "Rows of the matrix, divided among the producers");
    asked.add("--columns", shape.columns, {1, 1 << 20}, "Columns, divided among the consumers");
    asked.add("--buffers", buffers, {1, 64}, "Buffers of each endpoint");
    asked.add("--ratio", effort.ratio, {0.01, 100}, "Computation time of a frame divided by its transfer time");
    asked.add("--min-time", effort.seconds, {0, 60}, "Approximate duration of a measurement in seconds");
    asked.add("--repetitions", effort.repetitions, {1, 1000}, "Measurements; the table shows their median");
    asked.add("--json", json_file, "Also write the rows to this file as JSON");
    if (DRI_init(&argc, &argv) != DRI_SUCCESS) {
        std::fprintf(stderr, "stream_bench: %s\n", DRI_error_message());
        return 1;
    }
    int code = 0;
    const bool quiet = !bench::world().is_first();
    if (const auto end = asked.parse(argc, argv, quiet)) {
        code = *end;
    } else if (!json_file.empty() && !is_writable(json_file)) {
        code = asked.refuse({"--json", "cannot write " + json_file}, quiet);
    } else {
        try {
            run_all(shape, buffers, effort, json_file);
        } catch (const std::exception &error) {
            std::fprintf(stderr, "stream_bench: %s\n", error.what());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    DRI_finalize();
    return code;
}
