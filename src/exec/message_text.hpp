// The text that explains the messages of a lane.
#pragma once

#include "exec/message_copies.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace dri::exec {

// A line per message, then one per copy with its kernel. Messages that differ in offsets only share their lines.
// verb: "to" or "from". in_rounds: as in place. at: as in transport::ExchangeSpec.
std::string message_text(const char *verb, const std::vector<plan::Message> &messages, const MessageCopies &copies,
                         bool in_rounds, const std::vector<int64_t> &at);

} // namespace dri::exec
