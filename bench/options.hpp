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
    std::regex filter; // selects rows by name
    std::string json_file, report_file;
    Effort effort;
};

// Collective. All processes parse the same command line; the first one prints help and errors. If the program must
// end now, returns nothing and sets `exit_code`.
std::optional<Options> parse_options(int argc, char **argv, int &exit_code);

} // namespace bench
