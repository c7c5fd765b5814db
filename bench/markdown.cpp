#include "markdown.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

void write_machine(std::ostream &out, const Machine &machine, int processes, const Effort &effort) {
    out << machine.cpu << ", " << machine.cores << " cores";
    for (const std::string &cache : machine.caches)
        out << ", " << cache;
    out << ". " << machine.mpi << ", " << machine.fftw << ", DRI " << machine.dri << ". "
        << processes_text(processes, effort) << ", medians of " << effort.repetitions
        << " alternating rounds, slowest process, barrier to barrier.\n\n";
}

void write_case(std::ostream &out, const CaseResult &result) {
    out << "### `" << result.line << "`\n\n"
        << 1e-6 * static_cast<double>(result.bytes) << " MB, " << surroundings_text(result)
        << ".\n\n| row | median ms | GB/s | fraction of the limit | DRI speed-up |\n|---|---|---|---|---|\n";
    for (const RowResult &row : result.rows) {
        out << "| " << row.name << " | ";
        if (row.has_times())
            out << number_text(row.median_ms()) << " | " << number_text(gb_per_s(result, row)) << " | "
                << number_text(row.of_limit()) << " | " << number_text(row.dri_gain()) << " |\n";
        else
            out << "- | " << (row.is_right ? row.unfit : "wrong result") << " | | |\n";
    }
    for (const Judgement &j : result.judgements)
        out << (&j == result.judgements.data() ? "\n" : "") << "- Goal " << j.text << ": "
            << number_text(j.reached) << ", " << (j.reached && !j.holds() ? "**missed**" : j.verdict()) << ".\n";
    out << '\n';
}

} // namespace

void write_markdown(const std::string &file, const std::string &plot, const Machine &machine, int processes,
                    const Effort &effort, const std::vector<CaseResult> &results) {
    std::ofstream out(file);
    out << "# dri_bench\n\n## Results\n\n";
    write_machine(out, machine, processes, effort);
    out << "*DRI speed-up* is the time of the row divided by the time of DRI in the same rounds.\n\n"
        << "![Speed as a fraction of the limit](" << plot << ")\n\n";
    for (const CaseResult &result : results)
        write_case(out, result);
    if (!out.flush())
        throw std::runtime_error("cannot write " + file);
}

} // namespace bench
