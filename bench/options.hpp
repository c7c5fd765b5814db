#pragma once

#include "goals.hpp"

#include <optional>
#include <regex>

namespace bench {

enum ExitCode { exit_ok = 0, exit_failed = 1, exit_usage = 2 };

struct AskedCase {
    dri::test::CaseLine line;
    std::vector<Goal> goals;
};

struct Options {
    std::vector<AskedCase> cases;
    std::regex filter; // of row names
    std::string json_file, report_file;
    Effort effort;
};

// Collective. Reads the command line alike on all processes; the first one prints help and complaints. Without
// options to go on with, `exit_code` says how to leave.
std::optional<Options> parse_options(int argc, char **argv, int &exit_code);

} // namespace bench
