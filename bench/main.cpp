// dri_bench: the library and its peers on the same cases, in the same run.
#include "dri_objects.hpp"
#include "markdown.hpp"
#include "options.hpp"
#include "rebind.hpp"
#include "report.hpp"
#include "rounds.hpp"
#include "world.hpp"

#include <fftw3-mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace {

using namespace bench;

// The library's rows with other buffers run only if a goal needs them.
bool is_wanted(const RowKind &kind, const std::vector<Goal> &goals, const Options &options) {
    const bool is_special = kind.contender == Contender::dri_pitched || kind.contender == Contender::dri_malloc ||
                            kind.contender == Contender::dri_alloc;
    const auto asks = [&kind](const Goal &goal) { return is_about(goal, kind.contender); };
    return std::regex_search(kind.name, options.filter) &&
           (!is_special || std::any_of(goals.begin(), goals.end(), asks));
}

CaseResult run_case(const Case &c, const std::vector<Goal> &goals, const Options &options, Barrier &barrier) {
    std::vector<RowKind> wanted;
    for (const RowKind &kind : row_kinds())
        if (is_wanted(kind, goals, options))
            wanted.push_back(kind);
    const double empty_us = empty_frame_us(options.effort, barrier);
    static const double moved_us = rebind_us(options.effort.repetitions); // the same in all cases
    Rounds rounds = run_round_robin(wanted, c, options.effort, barrier);
    CaseResult result{print_case_line(c.line), c.bytes(), rounds.round_trip_ns, empty_us, moved_us,
                      std::move(rounds.rows),  {}};
    for (const Goal &goal : goals)
        result.judgements.push_back(judge(goal, result.rows, result.has_near_cores()));
    return result;
}

// Resolves all cases before anything runs, so that a case that does not fit the number of processes is found
// early.
std::vector<Case> resolve_all(const Options &options) {
    std::vector<Case> cases;
    cases.reserve(options.cases.size());
    for (const AskedCase &one : options.cases) {
        cases.push_back(resolve(one.line, world().size, chosen_grid));
        cases.back().dri_threads = options.effort.threads;
    }
    return cases;
}

int run(const Options &options) {
    const World w = world();
    std::vector<Case> cases;
    try {
        cases = resolve_all(options);
    } catch (const std::invalid_argument &error) {
        if (w.is_first())
            std::fprintf(stderr, "dri_bench: %s\n", error.what());
        return exit_usage;
    }

    fftwf_mpi_init();
    const Machine machine = describe_machine();
    Barrier barrier;
    if (w.is_first())
        print_header(machine, w.size, options.effort, barrier);
    std::vector<CaseResult> results;
    bool is_right = true;
    for (size_t i = 0; i < cases.size(); ++i) {
        results.push_back(run_case(cases[i], options.cases[i].goals, options, barrier));
        is_right &= results.back().is_right();
        if (w.is_first())
            print_table(results.back());
    }
    if (w.is_first() && !options.json_file.empty())
        write_json(options.json_file, machine, w.size, options.effort, barrier, results);
    if (w.is_first() && !options.report_file.empty()) {
        const std::string plot = options.report_file + ".svg";
        write_markdown(options.report_file, plot.substr(plot.find_last_of('/') + 1), machine, w.size,
                       options.effort, results);
    }
    return is_right ? exit_ok : exit_failed;
}

} // namespace

int main(int argc, char **argv) {
    if (DRI_init(&argc, &argv) != DRI_SUCCESS) {
        std::fprintf(stderr, "dri_bench: %s\n", DRI_error_message());
        return exit_failed;
    }
    int exit_code = exit_ok;
    try {
        if (const auto options = parse_options(argc, argv, exit_code))
            exit_code = run(*options);
    } catch (const SharedFailure &failure) {
        exit_code = exit_failed;
        if (world().is_first())
            std::fprintf(stderr, "dri_bench: %s\n", failure.what());
    } catch (const std::exception &error) {
        // Other processes may wait for this one, so the whole job ends.
        std::fprintf(stderr, "dri_bench: process %d: %s\n", world().rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, exit_failed);
    }
    return DRI_finalize() == DRI_SUCCESS ? exit_code : exit_failed;
}
