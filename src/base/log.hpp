// The library's log: off unless DRI_LOG names a level. Lines go to standard error, each with the rank.
#pragma once

#include <spdlog/spdlog.h>

#include <memory>

namespace dri {

// Made once per environment; never spdlog's default logger, which belongs to the program.
std::shared_ptr<spdlog::logger> make_log(int rank);

} // namespace dri
