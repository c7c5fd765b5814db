#include "options.hpp"

#include "command_line.hpp"
#include "row.hpp"
#include "world.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace bench {

namespace {

constexpr const char *default_cases[] = {
    "8B [1024,1024] block,* 01 -> *,block 10",
    "8B [4096,4096] block,* 01 -> *,block 10",
};

constexpr const char *explanation =
    "A case line: bytes of an element, sizes, and for source and sink a rule per dimension and the order in\n"
    "memory, slowest dimension first:\n"
    "  8B [97,64] block(4),* 01 -> *,block(7) 10\n"
    "Rules: *  block  block(P)  block(P,ceil|last|prop)  cyclic(P,BLOCK)  sizes(a:b:c). Without P, or with 0,\n"
    "the library chooses. Default cases: corner turns of 1024 and 4096 squared complex float.\n"
    "Goals may follow after a semicolon, as ratios with near and with far cores:\n"
    "  8B [64,64] block,* 01 -> *,block 10 ; limit 0.88/0.75, memcpy 0.9, hand 3, peers 5/7\n"
    "The goals pitch and malloc are also fractions of the limit. They belong to separate rows: the library with\n"
    "a pitch of its choice, and with buffers from malloc. The goal alloc is a fraction of the library's own\n"
    "speed, for the row with buffers in memory of DRI_alloc.\n"
    "GB/s count the whole array once. Times are those of the slowest process, from barrier to barrier. Each\n"
    "row is measured in rounds in which the limit and the library run beside it. Times and ratios are medians\n"
    "of the rounds; those of the limit and the library cover the rounds of all rows. The speed-up is the time\n"
    "of the row divided by that of the library. The data of every row are checked before and after.\n"
    "Start with: mpirun -n 2 --bind-to core dri_bench\n"
    "Exit codes: 0 success; 1 a row delivered wrong data, or an error; 2 wrong arguments or cases.";

// Returns the lines that are neither empty nor comments. The first process reads the file for all.
std::vector<std::string> lines_of(const std::string &file) {
    std::ostringstream text;
    bool opened = true;
    if (world().is_first()) {
        std::ifstream in(file);
        opened = in.is_open();
        text << in.rdbuf();
    }
    if (!on_all(opened))
        throw common::BadOption("--file", "cannot read " + file);
    std::istringstream all(from_first(text.str()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(all, line);)
        if (const auto start = line.find_first_not_of(" \t\r"); start != std::string::npos && line[start] != '#')
            lines.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    if (lines.empty())
        throw common::BadOption("--file", file + " has no case line");
    return lines;
}

std::vector<AskedCase> parse_cases(const std::vector<std::string> &lines) {
    std::vector<AskedCase> cases;
    for (const std::string &line : lines) {
        try {
            const auto semicolon = line.find(';');
            cases.push_back({dri::test::parse_case_line(line.substr(0, semicolon)),
                             parse_goals(semicolon == std::string::npos ? "" : line.substr(semicolon + 1))});
        } catch (const std::invalid_argument &error) {
            throw common::BadOption(error.what());
        }
    }
    return cases;
}

// Checks at the start that the file can be written, so that an hour of measuring is not lost.
void check_writable(const char *option, const std::string &file) {
    const bool can_write = !world().is_first() || std::ofstream(file, std::ios::app).is_open();
    if (!on_all(can_write))
        throw common::BadOption(option, "cannot write " + file);
}

std::regex parse_filter(const std::string &text) {
    std::regex filter;
    try {
        filter.assign(text, std::regex::icase);
    } catch (const std::regex_error &) {
        throw common::BadOption("--filter", "\"" + text + "\" is not a regular expression");
    }
    const auto rows = row_kinds();
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const RowKind &row) { return std::regex_search(row.name, filter); }))
        throw common::BadOption("--filter", "no row name matches \"" + text + "\"");
    return filter;
}

} // namespace

std::optional<Options> parse_options(int argc, char **argv, int &exit_code) {
    Options options;
    std::vector<std::string> lines;
    std::string file;
    std::string filter;
    common::CommandLine asked("Throughput of the library and of its peers on the same cases.");
    asked.add_repeated("--case", lines, "A case line; may be repeated");
    asked.add("--file", file, "File with case lines; # starts a comment line");
    asked.add("--filter", filter, "Only rows whose name matches this regular expression");
    asked.add("--repetitions", options.effort.repetitions, {7, 100'000},
              "Number of rounds; the table shows their median");
    asked.add("--min-time", options.effort.min_seconds, {0, 3600}, "Minimum duration of a repetition in seconds");
    asked.add("--threads", options.effort.threads, {1, 1024},
              "Threads per process in the library's rows; all other rows use one");
    asked.add("--json", options.json_file, "Also write all results to this file as JSON");
    asked.add(
        "--report", options.report_file,
        "Also write the tables to this file as Markdown. They show a plot of the same name with .svg appended, "
        "which scripts/bench_plot.py draws from the JSON");
    asked.end_help_with(explanation);
    const bool quiet = !world().is_first();
    if (const auto code = asked.parse(argc, argv, quiet)) {
        exit_code = *code;
        return std::nullopt;
    }
    try {
        if (!file.empty())
            for (const std::string &line : lines_of(file))
                lines.push_back(line);
        else if (lines.empty())
            lines.assign(std::begin(default_cases), std::end(default_cases));
        options.cases = parse_cases(lines);
        options.filter = parse_filter(filter);
        if (!options.json_file.empty())
            check_writable("--json", options.json_file);
        if (!options.report_file.empty())
            check_writable("--report", options.report_file);
    } catch (const common::BadOption &bad) {
        exit_code = asked.refuse(bad, quiet);
        return std::nullopt;
    }
    return options;
}

} // namespace bench
