#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>

namespace bench {

namespace {

// Ranges let NaN through: it is neither below nor above.
std::string require_finite(const std::string &text) {
    return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is no finite number";
}

template <class Value>
CLI::Option *add_with_default(CLI::App &app, const char *option, Value &value, const char *help) {
    return app.add_option(option, value, help)->capture_default_str();
}

} // namespace

CommandLine::CommandLine(const char *what_the_program_does)
    : app_(std::make_unique<CLI::App>(what_the_program_does)) {}

CommandLine::~CommandLine() = default;

void CommandLine::add(const char *option, std::string &text, const char *help) {
    app_->add_option(option, text, help);
}

void CommandLine::add(const char *option, int &number, Range<int> range, const char *help) {
    add_with_default(*app_, option, number, help)->check(CLI::Range(range.least, range.most));
}

void CommandLine::add(const char *option, double &number, Range<double> range, const char *help) {
    add_with_default(*app_, option, number, help)
        ->check(CLI::Range(range.least, range.most))
        ->check(require_finite);
}

void CommandLine::add(const char *option, std::vector<int> &numbers, Range<int> range, const char *help) {
    add_with_default(*app_, option, numbers, help)->delimiter(',')->check(CLI::Range(range.least, range.most));
}

void CommandLine::add_repeated(const char *option, std::vector<std::string> &texts, const char *help) {
    app_->add_option(option, texts, help)->allow_extra_args(false);
}

void CommandLine::require(const char *option) { app_->get_option(option)->required(); }

void CommandLine::end_help_with(const char *text) { app_->footer(text); }

std::optional<ExitCode> CommandLine::parse(int argc, char **argv, bool quiet) {
    try {
        app_->parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ParseError &error) {
        if (!quiet)
            app_->exit(error);
        return error.get_exit_code() == 0 ? exit_ok : exit_usage;
    }
}

ExitCode CommandLine::refuse(const BadOption &bad, bool quiet) {
    if (!quiet)
        app_->exit(CLI::ValidationError(bad.what()));
    return exit_usage;
}

} // namespace bench
