// What a process's environment sets for its collective calls and endpoints. Each process reads its own; they may
// differ.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace dri::commit {

// They fail with DRI_ERR_ARG if the setting is wrong.
std::chrono::nanoseconds set_up_time();      // DRI_SETUP_TIMEOUT
int64_t allowed_ways();                      // DRI_WAYS: the ways that endpoints of this process may use
std::chrono::milliseconds default_timeout(); // DRI_TIMEOUT: of waits for a frame; 0: none
std::optional<std::chrono::milliseconds> report_time(); // DRI_REPORT: such a wait is reported after that time
bool no_bulk();                                         // DRI_BULK is off
bool checks_calls();                                    // DRI_CHECK is 1

constexpr std::chrono::seconds default_set_up_time(300);

} // namespace dri::commit
