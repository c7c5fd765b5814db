// array_bench: statements, pieces and moves of distributed arrays beside the same by hand.
#include "arrays/row.hpp"
#include "command_line.hpp"
#include "median.hpp"
#include "world.hpp"

#include <dri/dri.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

namespace {

using array_bench::Row;
using bench::median;
using Json = nlohmann::ordered_json;

struct Effort {
    double seconds = 0.05; // duration of each measurement
    int repetitions = 9;
};

struct Result {
    std::string name, peer;
    double goal = 0, goal_us = 0;
    double us = 0, peer_us = 0;    // of a call, slowest process
    double ratio = 0, more_us = 0; // to the peer, medians of single rounds
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Microseconds of a call on the slowest process.
double run(const std::function<void(std::int64_t)> &calls, std::int64_t n) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    calls(n);
    return 1e6 * bench::greatest(now() - begin) / static_cast<double>(n);
}

void check(const Row &row) {
    if (const std::int64_t wrong = bench::sum(row.wrong()))
        throw std::runtime_error(row.name + ": " + std::to_string(wrong) + " elements are wrong");
}

// The library and its peer run alternately.
Result measure(const Row &row, const Effort &effort) {
    const auto times =
        bench::from_first(static_cast<std::int64_t>(std::clamp(effort.seconds / row.most_seconds, 2.0, 1e6)));
    run(row.by_hand, 2);
    run(row.by_dri, 2);
    check(row);
    std::vector<double> ours, peer, ratios, more;
    for (int i = 0; i < effort.repetitions; ++i) {
        peer.push_back(run(row.by_hand, times));
        ours.push_back(run(row.by_dri, times));
        ratios.push_back(ours.back() / peer.back());
        more.push_back(ours.back() - peer.back());
    }
    check(row);
    return {row.name, row.peer, row.goal, row.goal_us, median(ours), median(peer), median(ratios), median(more)};
}

bool meets_goal(const Result &r) { return r.goal > 0 ? r.ratio <= r.goal : r.more_us <= r.goal_us; }

void print(const Result &r) {
    std::printf("| %s | %s | %.2f | %.2f | %.2f | ", r.name.c_str(), r.peer.c_str(), r.us, r.peer_us, r.ratio);
    if (r.goal > 0)
        std::printf("%.2f", r.goal);
    else
        std::printf("+ %.1f us: %+.2f us", r.goal_us, r.more_us);
    std::printf(" | %s |\n", meets_goal(r) ? "yes" : "no");
    std::fflush(stdout);
}

void write_json(const std::vector<Result> &results, const std::string &name) {
    Json rows = Json::array();
    for (const Result &r : results)
        rows.push_back({{"row", r.name},
                        {"peer", r.peer},
                        {"us", r.us},
                        {"peer_us", r.peer_us},
                        {"ratio", r.ratio},
                        {"more_us", r.more_us},
                        {"goal", r.goal},
                        {"goal_us", r.goal_us}});
    std::ofstream file(name);
    file << Json{{"processes", bench::world().size}, {"rows", rows}}.dump(2) << '\n' << std::flush;
    if (!file)
        throw std::runtime_error("cannot write " + name);
}

void run_all(const std::string &only, const Effort &effort, const std::string &json_file) {
    const bool first = bench::world().is_first();
    std::vector<Result> results;
    bool has_head = false;
    for (const auto &rows : {array_bench::piece_rows(), array_bench::jacobi_rows(), array_bench::move_rows(),
                             array_bench::sum_rows()})
        for (const auto &make : rows) {
            const Row row = make();
            if (row.name.find(only) == std::string::npos)
                continue;
            results.push_back(measure(row, effort));
            if (first && !std::exchange(has_head, true))
                std::printf("%d processes\n\n| | by hand | us | by hand, us | ratio | goal | met |\n"
                            "|---|---|---|---|---|---|---|\n",
                            bench::world().size);
            if (first)
                print(results.back());
        }
    if (first && !json_file.empty())
        write_json(results, json_file);
}

} // namespace

int main(int argc, char **argv) {
    Effort effort;
    std::string only, json_file;
    common::CommandLine asked(
        "Pieces, statements, moves and sums of distributed arrays of doubles beside the same by hand. Times are\n"
        "those of the slowest process, ratios are medians of rounds in which both run one after the other.");
    asked.add("--row", only, "Only rows whose name has this text");
    asked.add("--min-time", effort.seconds, {0, 60}, "Approximate duration of a measurement in seconds");
    asked.add("--repetitions", effort.repetitions, {1, 1000}, "Measurements; the table shows their median");
    asked.add("--json", json_file, "Also write the rows to this file as JSON");
    if (DRI_init(&argc, &argv) != DRI_SUCCESS) {
        std::fprintf(stderr, "array_bench: %s\n", DRI_error_message());
        return 1;
    }
    int code = 0;
    if (const auto end = asked.parse(argc, argv, !bench::world().is_first())) {
        code = *end;
    } else {
        try {
            run_all(only, effort, json_file);
        } catch (const std::exception &error) {
            std::fprintf(stderr, "array_bench: %s\n", error.what());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    DRI_finalize();
    return code;
}
