// Messages: how copies between two processes become packed messages. Both processes compute the same.
#pragma once

#include "plan/plan.hpp"

namespace dri {

// The copies in order, cut into messages of at most `limit` bytes, but never inside a number that is converted;
// copies from buffer to buffer.
std::vector<Message> split_messages(const std::vector<StridedCopy> &copies, int peer, int64_t limit);

// The sender's and the receiver's half of such messages. A message holds its copies' bytes one after the
// other, each in the order in which the destination has them: so the sender reorders while it packs, and
// the receiver writes long runs. Numbers that are converted travel in the smaller of their two representations.
Message pack_half(const Message &message);
Message unpack_half(const Message &message);

} // namespace dri
