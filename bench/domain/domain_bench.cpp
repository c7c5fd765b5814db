// domain_bench: maps, domains, arrays, loops and assignments beside the same work by hand, in rounds that
// alternate.
#include "command_line.hpp"
#include "contest.hpp"
#include "median.hpp"
#include "world.hpp"

#include <dri/dri.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

namespace {

using bench::median;
using domain_bench::Contest;
using domain_bench::Pair;
using Json = nlohmann::ordered_json;

struct Effort {
    double seconds = 0.05; // of one side in a round
    int rounds = 9;
};

struct Row {
    double ours = 0, theirs = 0, ratio = 0; // us of an operation; ratio: the median of those of single rounds
    bool is_met = false;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Seconds per turn of the slowest process.
double run(const std::function<void()> &turn, int64_t turns) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    for (int64_t i = 0; i < turns; ++i)
        turn();
    return bench::greatest(now() - begin) / static_cast<double>(turns);
}

void check(const Contest &contest, const Pair &pair) {
    const std::string fault = pair.fault ? pair.fault() : "";
    bench::agree_or_fail(fault.empty() ? "" : contest.what + ": " + fault);
}

int64_t turns_for(const std::function<void()> &turn, double seconds) {
    turn(); // makes plans
    const double first = std::max(run(turn, 2), 1e-9);
    return bench::from_first(static_cast<int64_t>(std::clamp(seconds / first, 1.0, 1e6)));
}

Row measure(const Contest &contest, const Effort &effort) {
    const Pair pair = contest.prepare();
    const int64_t ours = turns_for(pair.ours, effort.seconds);
    const int64_t theirs = pair.theirs ? turns_for(pair.theirs, effort.seconds) : 0;
    check(contest, pair);
    std::vector<double> us_ours, us_theirs, ratios;
    const double us = 1e6 / pair.operations;
    for (int i = 0; i < effort.rounds; ++i) {
        us_ours.push_back(us * run(pair.ours, ours));
        us_theirs.push_back(theirs ? us * run(pair.theirs, theirs) : 0);
        ratios.push_back(us_ours.back() / (us_theirs.back() + contest.allowance));
    }
    check(contest, pair);
    Row row{median(us_ours), median(us_theirs), median(ratios), false};
    row.is_met = row.ratio <= contest.goal;
    return row;
}

std::string goal_text(const Contest &contest) {
    char text[64];
    if (contest.peer.empty())
        std::snprintf(text, sizeof text, "%g us", contest.allowance);
    else if (contest.allowance > 0)
        std::snprintf(text, sizeof text, "+ %g us", contest.allowance);
    else
        std::snprintf(text, sizeof text, "%.2f", contest.goal);
    return text;
}

void print(const Contest &contest, const Row &row) {
    std::printf("| %s | %s | %.4g | ", contest.what.c_str(), contest.peer.empty() ? "-" : contest.peer.c_str(),
                row.ours);
    if (contest.peer.empty())
        std::printf("- | - | ");
    else
        std::printf("%.4g | %.3f | ", row.theirs, row.ours / row.theirs);
    std::printf("%s | %s |\n", goal_text(contest).c_str(), row.is_met ? "yes" : "no");
    std::fflush(stdout);
}

Json to_json(const Contest &contest, const Row &row) {
    return {{"row", contest.what}, {"peer", contest.peer}, {"us", row.ours},   {"peer us", row.theirs},
            {"ratio", row.ratio},  {"goal", contest.goal}, {"met", row.is_met}};
}

std::vector<Contest> all_contests() {
    std::vector<Contest> all;
    for (const auto &part :
         {domain_bench::queries, domain_bench::accesses, domain_bench::loops, domain_bench::assignments,
          domain_bench::first_assignments, domain_bench::updates, domain_bench::arrays})
        for (Contest &contest : part())
            all.push_back(std::move(contest));
    if (bench::world().size == 1)
        for (Contest &contest : domain_bench::teams())
            all.push_back(std::move(contest));
    return all;
}

void run_all(const std::string &only, const Effort &effort, const std::string &json_file) {
    const bool first = bench::world().is_first();
    if (first)
        std::printf("%d processes\n\n| what | beside | us | by hand, us | ratio | goal | met "
                    "|\n|---|---|---|---|---|---|---|\n",
                    bench::world().size);
    Json rows = Json::array();
    for (const Contest &contest : all_contests()) {
        if (contest.what.find(only) == std::string::npos)
            continue;
        const Row row = measure(contest, effort);
        if (first)
            print(contest, row);
        rows.push_back(to_json(contest, row));
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
    Effort effort;
    std::string only, json_file;
    common::CommandLine asked(
        "Maps, domains, arrays, loops and assignments beside the same work by hand. Times are those of the "
        "slowest\n"
        "process, ratios are medians of rounds in which both sides run one after the other. Every row is checked\n"
        "before and after it is measured.");
    asked.add("--only", only, "Rows whose name has this text");
    asked.add("--min-time", effort.seconds, {0, 60}, "Approximate duration of each side of a round in seconds");
    asked.add("--rounds", effort.rounds, {1, 1000}, "Rounds; the table shows their median");
    asked.add("--json", json_file, "Also write the rows to this file as JSON");
    int code = 0;
    try {
        const dri::Environment env(argc, argv);
        if (const auto end = asked.parse(argc, argv, !bench::world().is_first()))
            code = *end;
        else
            run_all(only, effort, json_file);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "domain_bench: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return code;
}
