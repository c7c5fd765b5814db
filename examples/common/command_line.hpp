// The command line of a program: CLI11 behind an interface without templates. CLI11 takes longer to compile than
// most of the programs, so it is compiled once for all of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace common {

// An option whose form is right but whose value cannot be used.
class BadOption : public std::invalid_argument {
public:
    explicit BadOption(const std::string &why) : std::invalid_argument(why) {}
    BadOption(const std::string &option, const std::string &why) : BadOption(option + ": " + why) {}
};

template <class Number> struct Range { Number min, max; };

// An option that is not given keeps the value that its variable has before parse().
class CommandLine {
public:
    explicit CommandLine(const char *what_the_program_does, const char *program = "");
    ~CommandLine();

    void add(const char *option, std::string &text, const char *help);
    void add(const char *option, std::filesystem::path &path, const char *help);
    void add(const char *option, int &number, Range<int> range, const char *help);
    void add(const char *option, std::int64_t &number, Range<std::int64_t> range, const char *help);
    void add(const char *option, double &number, Range<double> range, const char *help);
    void add(const char *option, std::optional<double> &number, const char *help);
    // Numbers separated by commas.
    void add(const char *option, std::vector<int> &numbers, Range<int> range, const char *help);
    // Adds one text each time the option is given.
    void add_repeated(const char *option, std::vector<std::string> &texts, const char *help);
    // Accepts one of the texts in `of`.
    void add_choice(const char *option, std::string &text, const std::vector<std::string> &of, const char *help);
    void add_flag(const char *option, bool &flag, const char *help);
    // Options added from now on appear under this heading in the help. "" ends the group.
    void group(const char *name) { group_ = name; }
    void require(const char *option);
    void end_help_with(const char *text);

    // Returns nothing if the program is to go on, otherwise its exit code: 0 after help, 2 for wrong arguments.
    // Prints help or an error, unless `quiet`.
    std::optional<int> parse(int argc, char **argv, bool quiet = false);
    // Prints the error as parse() does. Returns exit code 2.
    int refuse(const BadOption &, bool quiet = false);

private:
    CLI::Option *place(CLI::Option *option) const;
    template <class Value> CLI::Option *add_value(const char *option, Value &value, const char *help);
    template <class Number>
    CLI::Option *add_number(const char *option, Number &number, Range<Number> range, const char *help);

    std::unique_ptr<CLI::App> app_;
    std::string group_;
};

} // namespace common
