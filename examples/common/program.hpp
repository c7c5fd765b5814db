// What the programs' processes do together beside moving arrays: start, fail alike, end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace common {

enum ExitCode { exit_ok = 0, exit_internal = 1, exit_usage = 2, exit_data = 3, exit_output = 4 };

// A failure. Where every process knows of it, all throw it, and all leave with the same code.
struct Failure : std::runtime_error {
    Failure(ExitCode failed_with, const std::string &message) : std::runtime_error(message), code(failed_with) {}
    ExitCode code;
};

// Turns the code of a DRI call into a Failure. DRI's collective calls fail on all processes alike.
void check(int dri_code);

int process_rank();
int process_count();
bool is_first_process();

double now(); // seconds; comparable between the processes of a node

// Runs `work` on one process alone. What it throws, all processes throw.
void on_process(int rank, const std::function<void()> &work);
void on_first_process(const std::function<void()> &work);

// Runs `work` on every process. What it throws on the first of those where it throws, all processes throw.
void on_every_process(const std::function<void()> &work);

// Gives every process the bytes of one.
void broadcast(void *data, std::int64_t bytes, int from = 0);

// Throws Failure(exit_output) unless the file can be written; makes it if there is none.
void require_writable(const std::filesystem::path &path);

// Runs `work` for what only some processes do: a failure here ends the job with its code and message, because
// the others do not know of it and would wait for ever.
void alone(const char *program, const std::function<void()> &work);

// Starts DRI, runs `work` on the command line, ends DRI; gives the program's exit code. Of a Failure, which all
// processes throw alike, the first one prints the message; any other exception ends the job.
int run_program(const char *program, int argc, char **argv, const std::function<int(int, char **)> &work);

} // namespace common
