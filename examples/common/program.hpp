// Common steps of the programs' processes: start, fail together, end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace common {

enum ExitCode { exit_ok = 0, exit_internal = 1, exit_usage = 2, exit_data = 3, exit_output = 4 };

// A failure with its exit code. If every process knows of the failure, all throw it and end with the same code.
struct Failure : std::runtime_error {
    Failure(ExitCode failed_with, const std::string &message) : std::runtime_error(message), code(failed_with) {}
    ExitCode code;
};

int process_rank();
int process_count();
bool is_first_process();

double now(); // seconds; comparable between the processes of a node

// Collective. Runs `work` on one process alone. All processes throw what it throws.
void on_process(int rank, const std::function<void()> &work);
void on_first_process(const std::function<void()> &work);

// Collective. Runs `work` on every process. All processes throw what it throws on the lowest rank on which it
// fails.
void on_every_process(const std::function<void()> &work);

// Collective. Copies the bytes of process `from` to every process.
void broadcast(void *data, std::int64_t bytes, int from = 0);

// Throws Failure(exit_output) unless the file can be written. Creates the file if it does not exist.
void require_writable(const std::filesystem::path &path);

// Runs `work` that may fail on some processes alone. A failure ends the job with its code and message, because the
// other processes do not know of it and would wait for ever.
void alone(const char *program, const std::function<void()> &work);

// Starts DRI, runs `work` on the command line, ends DRI, and returns the program's exit code. If all processes
// throw a Failure or an error of DRI, the first one prints the message. Any other exception ends the job.
int run_program(const char *program, int argc, char **argv, const std::function<int(int, char **)> &work);

} // namespace common
