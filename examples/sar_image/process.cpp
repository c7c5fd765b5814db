#include "process.hpp"

#include <algorithm>
#include <cstdio>
#include <dri/dri.h>
#include <mpi.h>

namespace sar {

void check(int dri_code) {
    if (dri_code != DRI_SUCCESS)
        throw Failure(exit_internal, std::string(DRI_error_string(dri_code)) + ": " + DRI_error_message());
}

bool is_first_process() {
    int rank = 0;
    check(DRI_world_rank(&rank));
    return rank == 0;
}

void broadcast(void *data, std::int64_t bytes) {
    constexpr std::int64_t piece = 1 << 30;
    for (std::int64_t done = 0; done < bytes; done += piece)
        MPI_Bcast(static_cast<char *>(data) + done, static_cast<int>(std::min(piece, bytes - done)), MPI_BYTE, 0,
                  MPI_COMM_WORLD);
}

void on_first_process(const std::function<void()> &work) {
    std::int64_t outcome[2] = {exit_ok, 0};
    std::string message;
    if (is_first_process()) {
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
    broadcast(outcome, sizeof outcome);
    if (outcome[0] == exit_ok)
        return;
    message.resize(static_cast<std::size_t>(outcome[1]));
    broadcast(message.data(), outcome[1]);
    throw Failure(static_cast<ExitCode>(outcome[0]), message);
}

double StageTimes::now() { return MPI_Wtime(); }

std::string StageTimes::table() const {
    std::string text = "Time of each stage, slowest process, waiting included:\n";
    double total = 0;
    for (const auto &[stage, seconds] : seconds_) {
        double slowest = 0;
        MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        total += slowest;
        char line[96];
        std::snprintf(line, sizeof line, "  %-34s %9.2f ms\n", stage.c_str(), 1e3 * slowest);
        text += line;
    }
    char line[96];
    std::snprintf(line, sizeof line, "  %-34s %9.2f ms\n", "sum", 1e3 * total);
    return is_first_process() ? text + line : std::string();
}

} // namespace sar
