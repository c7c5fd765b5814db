// Makes the library's log from DRI_LOG.
#include "base/log.hpp"

#include "base/env.hpp"
#include "base/error.hpp"

#include <spdlog/sinks/stdout_sinks.h>

#include <utility>

namespace dri::inline base {

namespace {

using spdlog::level::level_enum;

level_enum log_level() {
    // A report of a wait is a warning.
    const std::string name = setting(Setting::log).value_or(setting(Setting::report) ? "warn" : "off");
    constexpr std::pair<const char *, level_enum> levels[] = {{"off", level_enum::off},
                                                              {"error", level_enum::err},
                                                              {"warn", level_enum::warn},
                                                              {"info", level_enum::info},
                                                              {"debug", level_enum::debug}};
    for (const auto &[word, level] : levels)
        if (name == word)
            return level;
    fail(DRI_ERR_ARG, "{}={}: must be one of off, error, warn, info, debug", setting_name(Setting::log), name);
}

} // namespace

std::shared_ptr<spdlog::logger> make_log(int rank) {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto log = std::make_shared<spdlog::logger>("dri", std::move(sink));
    log->set_pattern(fmt::format("[dri {}] [%l] %v", rank));
    log->set_level(log_level());
    log->flush_on(spdlog::level::trace);
    return log;
}

} // namespace dri::inline base
