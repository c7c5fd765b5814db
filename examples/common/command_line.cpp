#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>

namespace common {

namespace {

constexpr int exit_help = 0, exit_usage = 2;

// CLI::Range accepts NaN, which is neither below nor above a bound.
std::string require_finite(const std::string &text) {
    return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is not a finite number";
}

} // namespace

CommandLine::CommandLine(const char *what_the_program_does, const char *program)
    : app_(std::make_unique<CLI::App>(what_the_program_does, program)) {}

CommandLine::~CommandLine() = default;

CLI::Option *CommandLine::place(CLI::Option *option) const {
    return group_.empty() ? option : option->group(group_);
}

template <class Value> CLI::Option *CommandLine::add_value(const char *option, Value &value, const char *help) {
    return place(app_->add_option(option, value, help)->capture_default_str());
}

template <class Number>
CLI::Option *CommandLine::add_number(const char *option, Number &number, Range<Number> range, const char *help) {
    return add_value(option, number, help)->check(CLI::Range(range.min, range.max));
}

void CommandLine::add(const char *option, std::string &text, const char *help) { add_value(option, text, help); }

void CommandLine::add(const char *option, std::filesystem::path &path, const char *help) {
    CLI::Option *const added = place(app_->add_option(option, path, help));
    if (!path.empty())
        added->capture_default_str();
}

void CommandLine::add(const char *option, int &number, Range<int> range, const char *help) {
    add_number(option, number, range, help);
}

void CommandLine::add(const char *option, std::int64_t &number, Range<std::int64_t> range, const char *help) {
    add_number(option, number, range, help);
}

void CommandLine::add(const char *option, double &number, Range<double> range, const char *help) {
    add_number(option, number, range, help)->check(require_finite);
}

void CommandLine::add(const char *option, std::optional<double> &number, const char *help) {
    place(app_->add_option(option, number, help))->check(require_finite);
}

void CommandLine::add(const char *option, std::vector<int> &numbers, Range<int> range, const char *help) {
    add_value(option, numbers, help)->delimiter(',')->check(CLI::Range(range.min, range.max));
}

void CommandLine::add_repeated(const char *option, std::vector<std::string> &texts, const char *help) {
    place(app_->add_option(option, texts, help))->allow_extra_args(false);
}

void CommandLine::add_choice(const char *option, std::string &text, const std::vector<std::string> &of,
                             const char *help) {
    add_value(option, text, help)->check(CLI::IsMember(of));
}

void CommandLine::add_flag(const char *option, bool &flag, const char *help) {
    place(app_->add_flag(option, flag, help));
}

void CommandLine::require(const char *option) { app_->get_option(option)->required(); }

void CommandLine::end_help_with(const char *text) { app_->footer(text); }

std::optional<int> CommandLine::parse(int argc, char **argv, bool quiet) {
    try {
        app_->parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ParseError &error) {
        if (!quiet)
            app_->exit(error);
        return error.get_exit_code() == 0 ? exit_help : exit_usage;
    }
}

int CommandLine::refuse(const BadOption &bad, bool quiet) {
    if (!quiet)
        app_->exit(CLI::ValidationError(bad.what()));
    return exit_usage;
}

} // namespace common
