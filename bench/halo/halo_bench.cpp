// halo_bench: how long a process takes to refresh its overlap in place, beside the same exchange by hand.
#include "command_line.hpp"
#include "halo/contender.hpp"
#include "halo/counts.hpp"
#include "median.hpp"
#include "world.hpp"

#include <dri/dri.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

namespace {

using bench::median;
using halo_bench::Contender;
using halo_bench::Counts;
using halo_bench::Field;
using Json = nlohmann::ordered_json;

struct Effort {
    double seconds = 0.05; // duration of each measurement
    int repetitions = 9;
};

struct Row {
    std::string name;
    bool square = false;
    int64_t bytes = 0;                          // of a row
    double us = 0;                              // of a frame, slowest process
    double ratio = 0;                           // to the exchange by hand, median of the ratios of single rounds
    double starts = 0, looks = 0, switches = 0; // of a frame, mean of all processes
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Seconds per frame of the slowest process.
double run(Contender &one, int64_t frames) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    for (int64_t i = 0; i < frames; ++i)
        one.exchange();
    return bench::greatest(now() - begin) / static_cast<double>(frames);
}

void check(const Field &field, Contender &one, int64_t frame) {
    fill(field, one.array(), frame);
    one.exchange();
    if (const int64_t wrong = bench::sum(count_wrong(field, one.array(), frame)))
        throw std::runtime_error(one.name() + ": " + std::to_string(wrong) + " elements are wrong");
}

// One contender in the rounds of a size.
class Series {
public:
    Series(const Field &field, std::unique_ptr<Contender> one, const Effort &effort)
        : field_(field), one_(std::move(one)) {
        check(field_, *one_, 1);
        const double first = run(*one_, 20);
        frames_ = bench::from_first(static_cast<int64_t>(std::clamp(effort.seconds / first, 20.0, 1e6)));
    }

    double repeat() {
        const Counts before = halo_bench::counts();
        seconds_.push_back(run(*one_, frames_));
        const Counts made = halo_bench::counts() - before;
        starts_ += made.starts;
        looks_ += made.looks;
        switches_ += made.switches;
        return seconds_.back();
    }

    Row finish() {
        check(field_, *one_, 2);
        const double all = static_cast<double>(frames_) * static_cast<double>(seconds_.size()) *
                           static_cast<double>(bench::world().size);
        const auto of_frame = [all](int64_t mine) { return static_cast<double>(bench::sum(mine)) / all; };
        Row row{.name = one_->name(),
                .square = field_.square,
                .bytes = field_.bytes_of_row(),
                .us = 1e6 * median(seconds_)};
        row.starts = of_frame(starts_);
        row.looks = of_frame(looks_);
        row.switches = of_frame(switches_);
        return row;
    }

private:
    Field field_;
    std::unique_ptr<Contender> one_;
    int64_t frames_ = 0;
    std::vector<double> seconds_;
    int64_t starts_ = 0, looks_ = 0, switches_ = 0;
};

// All contenders of a size run alternately. The first one is the exchange by hand.
std::vector<Row> measure(const Field &field, const Effort &effort) {
    std::vector<Series> all;
    all.emplace_back(
        field, field.square ? halo_bench::make_square_by_hand(field) : halo_bench::make_by_hand(field), effort);
    all.emplace_back(field,
                     halo_bench::make_in_place(field, DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT, "all ways"),
                     effort);
    all.emplace_back(field, halo_bench::make_in_place(field, DRI_WAY_SELF | DRI_WAY_MESSAGE, "messages"), effort);
    std::vector<std::vector<double>> ratios(all.size());
    for (int i = 0; i < effort.repetitions; ++i) {
        const double by_hand = all.front().repeat();
        for (std::size_t k = 1; k < all.size(); ++k)
            ratios[k].push_back(all[k].repeat() / by_hand);
    }
    std::vector<Row> rows;
    for (std::size_t k = 0; k < all.size(); ++k) {
        rows.push_back(all[k].finish());
        rows.back().ratio = k == 0 ? 1 : median(ratios[k]);
    }
    return rows;
}

void print(const Row &row) {
    std::printf("| %s%lld | %s | %.2f | %.2f | %.1f | %.1f | %.2f |\n", row.square ? "square, " : "",
                static_cast<long long>(row.bytes), row.name.c_str(), row.us, row.ratio, row.starts, row.looks,
                row.switches);
    std::fflush(stdout);
}

Json to_json(const Row &row) {
    return {{"square", row.square}, {"bytes", row.bytes},   {"row", row.name},    {"us", row.us},
            {"ratio", row.ratio},   {"starts", row.starts}, {"looks", row.looks}, {"switches", row.switches}};
}

void run_all(const std::vector<Field> &fields, const Effort &effort, const std::string &json_file) {
    const bool first = bench::world().is_first();
    if (first)
        std::printf(
            "%d processes\n\n| bytes of a row | exchange | us | by hand = 1 | sends and receives | polls | "
            "switches |\n|---|---|---|---|---|---|---|\n",
            bench::world().size);
    Json rows = Json::array();
    for (const Field &field : fields)
        for (const Row &row : measure(field, effort)) {
            if (first)
                print(row);
            rows.push_back(to_json(row));
        }
    if (!first || json_file.empty())
        return;
    std::ofstream file(json_file);
    file << Json{{"processes", bench::world().size}, {"rows", rows}}.dump(2) << '\n' << std::flush;
    if (!file)
        throw std::runtime_error("cannot write " + json_file);
}

} // namespace

int main(int argc, char **argv) {
    std::vector<int> sizes{512, 4096, 32768, 1048576}, sides{64, 1024};
    Effort effort;
    std::string json_file;
    common::CommandLine asked(
        "Time to refresh one row of overlap at either side of a periodic field of doubles, in place, beside\n"
        "MPI_Irecv, MPI_Isend and MPI_Waitall of the same rows, and the overlap of square parts in two "
        "dimensions.\n"
        "Times are those of the slowest process, ratios "
        "are\n"
        "medians of rounds in which all exchanges run one after the other. The last three columns count, for "
        "each\n"
        "frame and process, messages, polls of MPI, and context switches.");
    asked.add("--bytes", sizes, {8, 1 << 30}, "Lengths of a row, multiples of 8");
    asked.add("--sides", sides, {1, 1 << 14},
              "Sides of square parts with overlap in both dimensions, in doubles; a list");
    asked.add("--min-time", effort.seconds, {0, 60}, "Approximate duration of a measurement in seconds");
    asked.add("--repetitions", effort.repetitions, {1, 1000}, "Measurements; the table shows their median");
    asked.add("--json", json_file, "Also write the rows to this file as JSON");
    if (DRI_init(&argc, &argv) != DRI_SUCCESS) {
        std::fprintf(stderr, "halo_bench: %s\n", DRI_error_message());
        return 1;
    }
    const bool quiet = !bench::world().is_first();
    int code = 0;
    if (const auto end = asked.parse(argc, argv, quiet)) {
        code = *end;
    } else if (std::any_of(sizes.begin(), sizes.end(), [](int n) { return n % 8 != 0; })) {
        code = asked.refuse({"--bytes", "a length is not a multiple of 8"}, quiet);
    } else {
        try {
            std::vector<Field> fields;
            for (const int bytes : sizes)
                fields.push_back({.columns = bytes / int64_t{sizeof(double)}});
            for (const int side : sides)
                fields.push_back({.rows = side, .columns = side, .square = true});
            run_all(fields, effort, json_file);
        } catch (const std::exception &error) {
            std::fprintf(stderr, "halo_bench: %s\n", error.what());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    DRI_finalize();
    return code;
}
