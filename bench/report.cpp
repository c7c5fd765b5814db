#include "report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

using Json = nlohmann::ordered_json;

Json optional_json(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const CaseResult &result, const RowResult &row) {
    Json j = {{"row", row.name}, {"right", row.is_right}};
    if (!row.unfit.empty()) {
        j["right"] = nullptr;
        j["unfit"] = row.unfit;
    }
    if (row.has_times()) {
        j["setup_ms"] = row.setup_ms;
        j["iterations"] = row.iterations;
        j["times_ms"] = row.times_ms;
        j["limit_ms"] = row.limit_ms;
        j["dri_ms"] = row.dri_ms;
        j["median_ms"] = row.median_ms();
        j["gb_per_s"] = gb_per_s(result, row);
        j["of_limit"] = optional_json(row.of_limit());
        j["dri_speedup"] = optional_json(row.dri_gain());
    }
    return j;
}

Json to_json(const CaseResult &result) {
    Json rows = Json::array();
    for (const RowResult &row : result.rows)
        rows.push_back(to_json(result, row));
    Json goals = Json::array();
    for (const Judgement &j : result.judgements)
        goals.push_back({{"goal", j.text},
                         {"wanted", j.wanted},
                         {"reached", optional_json(j.reached)},
                         {"holds", j.reached ? Json(j.holds()) : Json(nullptr)}});
    return {{"case", result.line},
            {"bytes", result.bytes},
            {"flag_round_trip_ns", optional_json(result.round_trip_ns)},
            {"empty_frame_us", result.empty_frame_us},
            {"rebind_us", result.rebind_us},
            {"rows", std::move(rows)},
            {"goals", std::move(goals)}};
}

Json to_json(const Machine &machine) {
    return {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"cores_allowed", machine.cores_allowed},
            {"caches", machine.caches},
            {"mpi", machine.mpi},
            {"fftw", machine.fftw},
            {"dri", machine.dri},
            {"limit_isa", machine.limit_isa}};
}

} // namespace

double gb_per_s(const CaseResult &result, const RowResult &row) {
    return static_cast<double>(result.bytes) / row.median_ms() * 1e-6;
}

std::string number_text(std::optional<double> value) {
    char text[32] = "-";
    if (value)
        std::snprintf(text, sizeof text, *value < 0.1 ? "%.4f" : "%.2f", *value);
    return text;
}

std::string surroundings_text(const CaseResult &result) {
    const std::string round_trip = result.round_trip_ns
                                       ? "flag round trip " + number_text(*result.round_trip_ns) + " ns (" +
                                             (result.has_near_cores() ? "near" : "far") + " cores)"
                                       : "flag round trip not measured";
    return round_trip + ", empty frame " + number_text(result.empty_frame_us) + " us, rebind " +
           number_text(result.rebind_us) + " us";
}

bool CaseResult::is_right() const {
    return std::all_of(rows.begin(), rows.end(), [](const RowResult &row) { return row.is_right; });
}

std::string processes_text(int processes, const Effort &effort) {
    std::string text = std::to_string(processes) + " processes";
    if (effort.threads > 1)
        text += ", DRI with " + std::to_string(effort.threads) + " threads in each";
    return text;
}

void print_header(const Machine &machine, int processes, const Effort &effort, const Barrier &barrier) {
    std::printf("%s, %d cores", machine.cpu.c_str(), machine.cores);
    for (const std::string &cache : machine.caches)
        std::printf(", %s", cache.c_str());
    std::printf("\n%s, %s, DRI %s\n", machine.mpi.c_str(), machine.fftw.c_str(), machine.dri.c_str());
    std::printf("%s, medians of %d alternating rounds, barriers by %s, limit by %s stores\n",
                processes_text(processes, effort).c_str(), effort.repetitions, barrier.kind(),
                machine.limit_isa.c_str());
}

void print_table(const CaseResult &result) {
    std::printf("\n%s   %.3g MB, %s\n", result.line.c_str(), 1e-6 * static_cast<double>(result.bytes),
                surroundings_text(result).c_str());
    std::printf("  %-30s %11s %9s %9s %9s %11s\n", "row", "median ms", "GB/s", "of limit", "speed-up",
                "set-up ms");
    for (const RowResult &row : result.rows) {
        if (row.has_times())
            std::printf("  %-30s %11.4f %9.2f %9s %9s %11.2f%s\n", row.name.c_str(), row.median_ms(),
                        gb_per_s(result, row), number_text(row.of_limit()).c_str(),
                        number_text(row.dri_gain()).c_str(), row.setup_ms, row.is_right ? "" : "  WRONG RESULT");
        else
            std::printf("  %-30s %11s %s\n", row.name.c_str(), "-",
                        row.is_right ? row.unfit.c_str() : "WRONG RESULT");
    }
    for (const Judgement &j : result.judgements)
        std::printf("  goal: %s: %s, %s\n", j.text.c_str(), number_text(j.reached).c_str(), j.verdict());
    std::fflush(stdout);
}

void write_json(const std::string &file, const Machine &machine, int processes, const Effort &effort,
                const Barrier &barrier, const std::vector<CaseResult> &results) {
    Json cases = Json::array();
    for (const CaseResult &result : results)
        cases.push_back(to_json(result));
    const Json all = {{"machine", to_json(machine)},       {"processes", processes},
                      {"dri_threads", effort.threads},     {"repetitions", effort.repetitions},
                      {"min_seconds", effort.min_seconds}, {"barriers", barrier.kind()},
                      {"cases", std::move(cases)}};
    std::ofstream out(file);
    out << all.dump(2) << '\n';
    if (!out.flush())
        throw std::runtime_error("cannot write " + file);
}

} // namespace bench
