#include "program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dri/dri.hpp>
#include <exception>
#include <fstream>
#include <mpi.h>

namespace common {

int process_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int process_count() {
    int count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

bool is_first_process() { return process_rank() == 0; }

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch())
        .count(); // MPI_Wtime may count from each process's start
}

void broadcast(void *data, std::int64_t bytes, int from) {
    constexpr std::int64_t piece = 1 << 30;
    for (std::int64_t done = 0; done < bytes; done += piece)
        MPI_Bcast(static_cast<char *>(data) + done, static_cast<int>(std::min(piece, bytes - done)), MPI_BYTE,
                  from, MPI_COMM_WORLD);
}

void require_writable(const std::filesystem::path &path) {
    if (!std::ofstream(path, std::ios::app))
        throw Failure(exit_output, path.string() + ": cannot be written");
}

void on_first_process(const std::function<void()> &work) { on_process(0, work); }

void on_process(int rank, const std::function<void()> &work) {
    std::int64_t outcome[2] = {exit_ok, 0};
    std::string message;
    if (process_rank() == rank) {
        try {
            work();
        } catch (const Failure &failure) {
            outcome[0] = failure.code;
            message = failure.what();
        } catch (const std::exception &error) {
            outcome[0] = exit_internal;
            message = error.what();
        }
        outcome[1] = static_cast<std::int64_t>(message.size());
    }
    broadcast(outcome, sizeof outcome, rank);
    if (outcome[0] == exit_ok)
        return;
    message.resize(static_cast<std::size_t>(outcome[1]));
    broadcast(message.data(), outcome[1], rank);
    throw Failure(static_cast<ExitCode>(outcome[0]), message);
}

void on_every_process(const std::function<void()> &work) {
    std::exception_ptr failure;
    try {
        work();
    } catch (...) {
        failure = std::current_exception();
    }
    int first = failure ? process_rank() : process_count();
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < process_count())
        on_process(first, [&] { std::rethrow_exception(failure); });
}

void alone(const char *program, const std::function<void()> &work) {
    const auto end = [program](int code, const char *message) {
        std::fprintf(stderr, "%s: %s\n", program, message);
        MPI_Abort(MPI_COMM_WORLD, code);
    };
    try {
        work();
    } catch (const Failure &failure) {
        end(failure.code, failure.what());
    } catch (const std::exception &error) {
        end(exit_internal, error.what());
    }
}

int run_program(const char *program, int argc, char **argv, const std::function<int(int, char **)> &work) {
    int exit_code = exit_internal;
    try {
        dri::Environment env(argc, argv);
        alone(program, [&] {
            const auto fail = [&](ExitCode code, const std::string &message) {
                exit_code = code;
                if (is_first_process())
                    std::fprintf(stderr, "%s: %s\n", program, message.c_str());
            };
            try {
                exit_code = work(argc, argv);
            } catch (const Failure &failure) {
                fail(failure.code, failure.what());
            } catch (const dri::Error &error) {
                fail(exit_internal, std::string(error.name()) + ": " + error.what());
            }
        });
        env.finalize();
        return exit_code;
    } catch (const dri::Error &error) {
        std::fprintf(stderr, "%s: %s\n", program, error.what());
        return exit_internal;
    }
}

} // namespace common
