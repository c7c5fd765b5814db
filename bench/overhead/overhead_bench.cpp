// overhead_bench: what a frame costs a process beside its bytes, as the number of its peers grows. Every process
// is a thread with the loopback transport, so a large job needs no machine. Looks behind the library's interface
// for that.
#include "command_line.hpp"
#include "job.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>

namespace {

using overhead_bench::Job;
using overhead_bench::Process;
using Json = nlohmann::ordered_json;

struct Row {
    int processes = 0, peers = 0;
    const char *way = "";
    // Microseconds of a core, for a process and a frame.
    double source = 0, sink = 0; // one thread runs all processes in turn: nobody waits
    double together = 0;         // each has a thread: with all waits and changes of threads
    std::string failure;         // why there are no times
};

struct Effort {
    double seconds = 0.1; // of each repetition
    int repetitions = 7;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double wall() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of all threads.
double cpu() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Halves {
    double sources = 0, sinks = 0; // seconds
};

Halves run_in_turn(Job &job, int64_t frames) {
    Halves time;
    for (int64_t frame = 0; frame < frames; ++frame) {
        const double begin = wall();
        for (int rank = 0; rank < job.size(); ++rank)
            job.at(rank).source->run();
        const double middle = wall();
        for (int rank = 0; rank < job.size(); ++rank)
            job.at(rank).sink->run();
        time.sources += middle - begin;
        time.sinks += wall() - middle;
    }
    return time;
}

struct Seconds {
    double wall = 0, cpu = 0; // of all threads
};

Seconds run_together(Job &job, int64_t frames) {
    std::vector<Seconds> marks;
    job.on_all(
        [frames](Process &p) {
            for (int64_t frame = 0; frame < frames; ++frame)
                p.transfer->do_all();
        },
        [&marks] {
            marks.push_back({wall(), cpu()});
        });
    return {marks.at(1).wall - marks.at(0).wall, marks.at(1).cpu - marks.at(0).cpu};
}

int64_t frames_in(double seconds, double seconds_of_one) {
    return static_cast<int64_t>(std::clamp(seconds / seconds_of_one, 3.0, 1e6));
}

void check(Job &job) {
    if (const int64_t wrong = job.count_wrong())
        dri::fail(DRI_ERR_INTERNAL, "{} elements did not arrive", wrong);
}

Row measure(int processes, int group, const char *way, int64_t ways, const Effort &effort) {
    Row row{processes, group - 1, way, 0, 0, 0, ""};
    Job job(processes, group, ways);
    const Halves first = run_in_turn(job, 1);
    check(job);
    constexpr int64_t some = 3;
    const int64_t in_turn = frames_in(effort.seconds, first.sources + first.sinks);
    const int64_t at_once = frames_in(effort.seconds, run_together(job, some).wall / some);
    std::vector<double> sources, sinks, together;
    for (int i = 0; i < effort.repetitions; ++i) {
        const Halves time = run_in_turn(job, in_turn);
        sources.push_back(time.sources / static_cast<double>(in_turn * processes));
        sinks.push_back(time.sinks / static_cast<double>(in_turn * processes));
        together.push_back(run_together(job, at_once).cpu / static_cast<double>(at_once * processes));
    }
    job.poison();
    run_together(job, 1);
    check(job);
    row.source = 1e6 * median(sources);
    row.sink = 1e6 * median(sinks);
    row.together = 1e6 * median(together);
    return row;
}

Row try_measure(int processes, int group, const char *way, int64_t ways, const Effort &effort) {
    try {
        return measure(processes, group, way, ways, effort);
    } catch (const dri::Error &error) {
        if (error.code() != DRI_ERR_MEMORY && error.code() != DRI_ERR_TRANSPORT)
            throw;
        return {processes, group - 1, way, 0, 0, 0, error.what()};
    }
}

void print(const Row &row) {
    std::printf("| %d | %d | %s ", row.processes, row.peers, row.way);
    if (row.failure.empty())
        std::printf("| %.2f | %.2f | %.2f |\n", row.source, row.sink, row.together);
    else
        std::printf("| - | - | - |\n");
    std::fflush(stdout);
    if (!row.failure.empty())
        std::fprintf(stderr, "overhead_bench: %d processes, %d peers, %s: %s\n", row.processes, row.peers, row.way,
                     row.failure.c_str());
}

Json to_json(const Row &row) {
    Json j = {{"processes", row.processes}, {"peers", row.peers}, {"way", row.way}};
    if (row.failure.empty())
        j.update({{"source_us", row.source}, {"sink_us", row.sink}, {"together_us", row.together}});
    else
        j["failure"] = row.failure;
    return j;
}

} // namespace

int main(int argc, char **argv) {
    std::vector<int> groups{2, 4, 8, 16, 32, 64, 128, 256};
    int processes = 0;
    Effort effort;
    std::string json_file;
    common::CommandLine asked(
        "What a frame costs a process beside its bytes, in us of a core, as the number of its peers grows.\n"
        "Each pair of processes of a group exchanges 8 bytes; every process is a thread of this one.");
    asked.add("--groups", groups, {2, 1024}, "Processes of a group: each has all others of its group for peers");
    asked.add("--processes", processes, {2, 1024},
              "Processes of the job, a multiple of each group; default: one group");
    asked.add("--min-time", effort.seconds, {0, 60}, "Seconds that each repetition takes, about");
    asked.add("--repetitions", effort.repetitions, {1, 1000}, "Repetitions, the median of which is shown");
    asked.add("--json", json_file, "Also write the rows to this file");
    if (const auto code = asked.parse(argc, argv))
        return *code;
    for (const int group : groups)
        if (processes % group != 0)
            return asked.refuse({"--processes", std::to_string(processes) + " is no multiple of the group of " +
                                                    std::to_string(group)});
    try {
        Json rows = Json::array();
        std::printf(
            "| processes | peers of each | way | source | sink | all together |\n|---|---|---|---|---|---|\n");
        const std::pair<const char *, int64_t> all[] = {{"direct", dri::all_ways},
                                                        {"message", dri::way_self | dri::way_message}};
        for (const auto &[way, ways] : all)
            for (const int group : groups) {
                const Row row = try_measure(processes ? processes : group, group, way, ways, effort);
                print(row);
                rows.push_back(to_json(row));
            }
        if (!json_file.empty() && !(std::ofstream(json_file) << Json{{"rows", rows}}.dump(2) << '\n'))
            dri::fail(DRI_ERR_ARG, "cannot write {}", json_file);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "overhead_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
