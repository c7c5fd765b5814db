// Messages: how copies between two processes become packed messages. Both processes compute the same.
#pragma once

#include "plan/plan.hpp"

namespace dri {

// The copies in order, cut into messages of at most `limit` bytes, but never inside a number that is converted;
// copies from buffer to buffer. A piece is a stretch of the source, and has some whole lines of the sink where the
// limit allows.
std::vector<Message> split_messages(const std::vector<StridedCopy> &copies, int peer, int64_t limit);

// The same copies in the pieces that messages of at most `limit` bytes would hold.
std::vector<StridedCopy> cut_copies(const std::vector<StridedCopy> &copies, int64_t limit);

// The length of the messages for these copies: chunks of chunk_bytes, or more where there would be hundreds, so
// that a plan does not grow with the array; never above message_bytes. Each halving makes chunks half as long, and
// as many again, up to some thousands.
int64_t message_limit(const std::vector<StridedCopy> &copies, int64_t message_bytes, int64_t chunk_bytes,
                      int halvings = 0);

// Which side reorders. At the pack a message has the order of the sink, at the unpack that of the source.
enum class ReorderAt { at_pack, at_unpack };

// The sender's and the receiver's half of such messages. A message holds its copies' bytes one after the
// other, densely, so the side that does not turn has long runs. Numbers that are converted travel in the smaller
// of their two representations.
Message pack_half(const Message &message, ReorderAt reorder_at);
Message unpack_half(const Message &message, ReorderAt reorder_at);

// Tables that are equal to those of the message before are kept once: pieces along one long list have the whole of
// the other one each.
void add_message(std::vector<Message> &messages, Message message);

} // namespace dri
