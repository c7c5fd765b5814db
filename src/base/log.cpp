#include "base/log.hpp"

#include "base/env.hpp"
#include "base/error.hpp"

#include <spdlog/sinks/stdout_sinks.h>

namespace dri {

std::shared_ptr<spdlog::logger> make_log(int rank) {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto log = std::make_shared<spdlog::logger>("dri", std::move(sink));
    log->set_pattern(fmt::format("[dri {}] [%l] %v", rank));
    const std::string name = setting(Setting::log).value_or("off");
    const auto level = spdlog::level::from_str(name);
    if (level == spdlog::level::off && name != "off")
        fail(DRI_ERR_ARG, "{}={}: not one of trace, debug, info, warning, error, critical, off",
             setting_name(Setting::log), name);
    log->set_level(level);
    log->flush_on(spdlog::level::trace);
    return log;
}

} // namespace dri
