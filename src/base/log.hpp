// The library's log. It is off unless DRI_LOG names a level, or DRI_REPORT is set. It writes to standard error;
// each line has the rank.
#pragma once

#include <spdlog/spdlog.h>

#include <memory>

namespace dri::inline base {

// Called once per session. The result is never spdlog's default logger, because that belongs to the program. Fails
// with DRI_ERR_ARG if DRI_LOG is not a level.
std::shared_ptr<spdlog::logger> make_log(int rank);

} // namespace dri::inline base
