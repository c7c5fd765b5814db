// The one reader of environment variables.
#pragma once

#include <optional>
#include <string>

namespace dri {

enum class Setting {
    log,           // DRI_LOG: level of the log: off (default), error, warn, info, debug
    isa,           // DRI_ISA: highest instruction set that kernels may use
    ways,          // DRI_WAYS: the ways that bytes may go, among them message
    setup_timeout, // DRI_SETUP_TIMEOUT: deadline of collective set-up calls, seconds
};

const char *setting_name(Setting setting);
// The variable's value; nothing where it is unset or empty.
std::optional<std::string> setting(Setting setting);

} // namespace dri
