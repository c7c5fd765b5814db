// The command line of the benchmark programs: CLI11 behind an interface without templates. It takes longer to
// compile than most of the programs, and so is compiled once for all of them.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

enum ExitCode { exit_ok = 0, exit_failed = 1, exit_usage = 2 };

// Options that cannot be followed though their form is right.
class BadOption : public std::invalid_argument {
public:
    explicit BadOption(const std::string &why) : std::invalid_argument(why) {}
    BadOption(const std::string &option, const std::string &why) : BadOption(option + ": " + why) {}
};

template <class Number> struct Range { Number least, most; };

// Every option keeps the value that it has before parse() where it is not given.
class CommandLine {
public:
    explicit CommandLine(const char *what_the_program_does);
    ~CommandLine();

    void add(const char *option, std::string &text, const char *help);
    void add(const char *option, int &number, Range<int> range, const char *help);
    void add(const char *option, double &number, Range<double> range, const char *help);
    // Numbers with commas between them.
    void add(const char *option, std::vector<int> &numbers, Range<int> range, const char *help);
    // One text each time the option is given.
    void add_repeated(const char *option, std::vector<std::string> &texts, const char *help);
    void require(const char *option);
    void end_help_with(const char *text);

    // Nothing where the program is to go on, else its exit code. Prints help or a complaint, unless `quiet`.
    std::optional<ExitCode> parse(int argc, char **argv, bool quiet = false);
    // Complains as parse() does.
    ExitCode refuse(const BadOption &, bool quiet = false);

private:
    std::unique_ptr<CLI::App> app_;
};

} // namespace bench
