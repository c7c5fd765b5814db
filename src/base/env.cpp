// Calls getenv. No other file of the sources does.
#include "base/env.hpp"

#include <cstdlib>

namespace dri::inline base {

const char *setting_name(Setting setting) {
    switch (setting) {
    case Setting::log: return "DRI_LOG";
    case Setting::isa: return "DRI_ISA";
    case Setting::ways: return "DRI_WAYS";
    case Setting::setup_timeout: return "DRI_SETUP_TIMEOUT";
    case Setting::timeout: return "DRI_TIMEOUT";
    case Setting::bulk: return "DRI_BULK";
    case Setting::check: return "DRI_CHECK";
    case Setting::report: return "DRI_REPORT";
    }
    return "";
}

std::optional<std::string> variable(const char *name) {
    const char *value = std::getenv(name);
    if (!value || !*value)
        return std::nullopt;
    return std::string(value);
}

std::optional<std::string> setting(Setting setting) { return variable(setting_name(setting)); }

} // namespace dri::inline base
