// overhead_bench: cost of a frame per process apart from its bytes, as the number of peers grows. Every process is
// a thread with the loopback transport, so a large job needs no machine. Therefore this program uses internal
// headers of the library.
#include "command_line.hpp"
#include "face.hpp"
#include "job.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <deque>
#include <fstream>

namespace {

using overhead_bench::Job;
using overhead_bench::Process;
using overhead_bench::Shape;
using overhead_bench::Slides;
using Json = nlohmann::ordered_json;

struct Row {
    int processes = 0, peers = 0;
    std::string way;
    // Microseconds of one core per process and frame.
    double source = 0, sink = 0; // one thread runs all processes one after the other: nothing waits
    double concurrent = 0;       // one thread per process: includes waits and context switches
    std::string failure;         // why there are no times
};

struct Effort {
    double seconds = 0.1; // duration of each repetition
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

// CPU time of all threads in seconds.
double cpu() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct SideSeconds {
    double sources = 0, sinks = 0; // seconds
};

SideSeconds run_by_sides(Job &job, int64_t frames) {
    SideSeconds time;
    for (int64_t frame = 0; frame < frames; ++frame) {
        const double begin = wall();
        for (int rank = 0; rank < job.size(); ++rank)
            job.run_source(job.at(rank));
        const double middle = wall();
        for (int rank = 0; rank < job.size(); ++rank)
            job.run_sink(job.at(rank));
        time.sources += middle - begin;
        time.sinks += wall() - middle;
    }
    return time;
}

struct Seconds {
    double wall = 0, cpu = 0; // cpu: of all threads
};

Seconds run_concurrently(Job &job, int64_t frames) {
    std::vector<Seconds> marks;
    job.on_all(
        [&job, frames](Process &p) {
            for (int64_t frame = 0; frame < frames; ++frame)
                job.run_both(p);
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

// Measures one job.
class Series {
public:
    Series(const Shape &shape, const Effort &effort) : job_(shape) {
        const SideSeconds first = run_by_sides(job_, 1);
        check(job_);
        constexpr int64_t some = 3;
        by_side_frames_ = frames_in(effort.seconds, first.sources + first.sinks);
        concurrent_frames_ = frames_in(effort.seconds, run_concurrently(job_, some).wall / some);
    }

    void repeat() {
        const SideSeconds time = run_by_sides(job_, by_side_frames_);
        sources_.push_back(time.sources / static_cast<double>(by_side_frames_ * job_.size()));
        sinks_.push_back(time.sinks / static_cast<double>(by_side_frames_ * job_.size()));
        concurrent_.push_back(run_concurrently(job_, concurrent_frames_).cpu /
                              static_cast<double>(concurrent_frames_ * job_.size()));
    }

    void finish(Row &row) {
        job_.poison();
        run_concurrently(job_, 1);
        check(job_);
        row.source = 1e6 * median(sources_);
        row.sink = 1e6 * median(sinks_);
        row.concurrent = 1e6 * median(concurrent_);
    }

private:
    Job job_;
    int64_t by_side_frames_ = 0, concurrent_frames_ = 0; // frames per repetition
    std::vector<double> sources_, sinks_, concurrent_;
};

std::string slides_text(Slides slides) {
    return slides == Slides::none ? "" : slides == Slides::source ? ", source slides" : ", sink slides";
}

// Measures one row for each element of `all`. Their repetitions alternate, so that a change of the machine's speed
// affects all rows in the same way.
std::vector<Row> measure(const Shape &shape, const char *way, const std::vector<Slides> &all,
                         const Effort &effort) {
    std::vector<Row> rows;
    for (const Slides slides : all)
        rows.push_back({shape.processes, shape.group - 1, way + slides_text(slides), 0, 0, 0, ""});
    try {
        std::deque<Series> all_series;
        for (const Slides slides : all)
            all_series.emplace_back(Shape{shape.processes, shape.group, shape.ways, slides}, effort);
        for (int i = 0; i < effort.repetitions; ++i)
            for (Series &series : all_series)
                series.repeat();
        for (size_t i = 0; i < rows.size(); ++i)
            all_series[i].finish(rows[i]);
    } catch (const dri::Error &error) {
        if (error.code() != DRI_ERR_MEMORY && error.code() != DRI_ERR_TRANSPORT)
            throw;
        for (Row &row : rows)
            row.failure = error.what();
    }
    return rows;
}

void print(const Row &row) {
    std::printf("| %d | %d | %s ", row.processes, row.peers, row.way.c_str());
    if (row.failure.empty())
        std::printf("| %.2f | %.2f | %.2f |\n", row.source, row.sink, row.concurrent);
    else
        std::printf("| - | - | - |\n");
    std::fflush(stdout);
    if (!row.failure.empty())
        std::fprintf(stderr, "overhead_bench: %d processes, %d peers, %s: %s\n", row.processes, row.peers,
                     row.way.c_str(), row.failure.c_str());
}

Json to_json(const Row &row) {
    Json j = {{"processes", row.processes}, {"peers", row.peers}, {"way", row.way}};
    if (row.failure.empty())
        j.update({{"source_us", row.source}, {"sink_us", row.sink}, {"together_us", row.concurrent}});
    else
        j["failure"] = row.failure;
    return j;
}

} // namespace

int main(int argc, char **argv) {
    std::vector<int> groups{2, 4, 8, 16, 32, 64, 128, 256};
    int processes = 0;
    Effort effort;
    bool slide = false, face = false;
    std::string json_file;
    common::CommandLine asked(
        "Cost of a frame per process apart from its bytes, in us of one core, as the number of peers grows.\n"
        "Each pair of processes of a group exchanges 8 bytes. Every process is a thread of this program.");
    asked.add("--groups", groups, {2, 1024},
              "Processes per group; the peers of a process are all others of its group");
    asked.add("--processes", processes, {2, 1024},
              "Processes of the job, a multiple of each group size; default: one group");
    asked.add("--min-time", effort.seconds, {0, 60}, "Approximate duration of a repetition in seconds");
    asked.add("--repetitions", effort.repetitions, {1, 1000}, "Repetitions; the table shows their median");
    asked.add_flag("--slide", slide,
                   "Also measure, alternately, windows that slide in a longer array before each frame: at the "
                   "source, and at the sink");
    asked.add_flag("--face", face,
                   "Compare the C++ interface with the C interface instead, on the processes of mpirun");
    asked.add("--json", json_file, "Also write the rows to this file as JSON");
    if (const auto code = asked.parse(argc, argv))
        return *code;
    for (const int group : groups)
        if (processes % group != 0)
            return asked.refuse(
                {"--processes",
                 std::to_string(processes) + " is not a multiple of the group size " + std::to_string(group)});
    // Checked at the start, so that no measurements are lost.
    if (!json_file.empty() && !std::ofstream(json_file, std::ios::app).is_open())
        return asked.refuse({"--json", "cannot write " + json_file});
    std::vector<Slides> windows{Slides::none};
    if (slide)
        windows.insert(windows.end(), {Slides::source, Slides::sink});
    try {
        if (face)
            return overhead_bench::compare_interfaces(argc, argv, effort.seconds, effort.repetitions);
        Json rows = Json::array();
        std::printf("| processes | peers per process | way | source us | sink us | together us "
                    "|\n|---|---|---|---|---|---|\n");
        const std::pair<const char *, int64_t> all[] = {
            {"direct", dri::commit::all_ways}, {"message", dri::commit::way_self | dri::commit::way_message}};
        for (const auto &[way, ways] : all)
            for (const int group : groups)
                for (const Row &row :
                     measure({processes ? processes : group, group, ways}, way, windows, effort)) {
                    print(row);
                    rows.push_back(to_json(row));
                }
        if (!json_file.empty()) {
            std::ofstream file(json_file);
            file << Json{{"rows", rows}}.dump(2) << '\n' << std::flush;
            if (!file)
                dri::fail(DRI_ERR_ARG, "cannot write {}", json_file);
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "overhead_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
