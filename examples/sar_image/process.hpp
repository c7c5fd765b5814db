// What the processes do together beside moving arrays: fail alike, and measure stages.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sar {

enum ExitCode { exit_ok = 0, exit_internal = 1, exit_usage = 2, exit_data = 3, exit_output = 4 };

// A failure that every process knows of: all throw it, and all leave with the same code.
struct Failure : std::runtime_error {
    Failure(ExitCode failed_with, const std::string &message) : std::runtime_error(message), code(failed_with) {}
    ExitCode code;
};

// Turns the code of a DRI call into a Failure. DRI's collective calls fail on all processes alike.
void check(int dri_code);

bool is_first_process();

// Runs `work` on the first process alone. What it throws, all processes throw.
void on_first_process(const std::function<void()> &work);

// Gives every process the bytes of the first one.
void broadcast(void *data, std::int64_t bytes);

// Seconds that this process spent in each stage, waiting for others included.
class StageTimes {
public:
    template <typename Work> void measure(const std::string &stage, Work &&work) {
        const double start = now();
        std::forward<Work>(work)();
        seconds_.emplace_back(stage, now() - start);
    }

    // Collective: the table of the slowest process's times; empty on all processes but the first.
    std::string table() const;

private:
    static double now();
    std::vector<std::pair<std::string, double>> seconds_;
};

} // namespace sar
