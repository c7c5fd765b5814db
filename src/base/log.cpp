#include "base/log.hpp"

#include "base/env.hpp"

#include <spdlog/sinks/stdout_sinks.h>

namespace dri {

std::shared_ptr<spdlog::logger> make_log(int rank) {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto log = std::make_shared<spdlog::logger>("dri", std::move(sink));
    log->set_pattern(fmt::format("[dri {}] [%l] %v", rank));
    const auto level = setting(Setting::log);
    // An unknown level means off, as spdlog has it.
    log->set_level(level ? spdlog::level::from_str(*level) : spdlog::level::off);
    log->flush_on(spdlog::level::trace);
    return log;
}

} // namespace dri
