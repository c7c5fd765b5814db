// The environment variables of the library, and those of others that it follows. All are read through this file.
#pragma once

#include <optional>
#include <string>

namespace dri::inline base {

enum class Setting {
    log,           // DRI_LOG: level of the log: off (default), error, warn, info, debug
    isa,           // DRI_ISA: highest instruction set that kernels may use
    ways,          // DRI_WAYS: the ways (transport paths) that bytes may take; message must be one of them
    setup_timeout, // DRI_SETUP_TIMEOUT: deadline of collective set-up calls, in seconds
    timeout,       // DRI_TIMEOUT: timeout of endpoints without one of their own, in seconds
    bulk,          // DRI_BULK: off on any process: assignments of arrays go element by element
    check,         // DRI_CHECK: 1 on any process: collective calls of arrays compare what the processes give
    report,        // DRI_REPORT: after how many seconds a wait for a frame is reported in the log
};

const char *setting_name(Setting setting);
// The variable's value, or nothing if it is unset or empty.
std::optional<std::string> setting(Setting setting);
std::optional<std::string> variable(const char *name); // of another program, such as MPI's launcher

} // namespace dri::inline base
