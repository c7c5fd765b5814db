// Turns the copies between two processes into packed messages. Both processes compute the same messages.
#pragma once

#include "plan/plan.hpp"
#include "planner/plan_options.hpp"

namespace dri::planner {

// Cuts the copies, in their order, into messages of at most `limit` bytes, but never inside a scalar that is
// converted. The messages' copies lead from buffer to buffer. A piece is a section of the source. It holds whole
// cache lines of the sink if the limit allows.
std::vector<plan::Message> split_messages(const std::vector<plan::StridedCopy> &copies, int peer, int64_t limit,
                                          PlanFor made_for = PlanFor::frames);

// The same copies, cut into the pieces that messages of at most `limit` bytes would hold.
std::vector<plan::StridedCopy> cut_copies(const std::vector<plan::StridedCopy> &copies, int64_t limit);

// The runs of a copy, if they have min_bytes or more and there are at most max_count of them. Otherwise the copy.
std::vector<plan::StridedCopy> stretches_of(const plan::StridedCopy &copy, int64_t min_bytes, int64_t max_count);

// Maximum length of the messages for these copies. A message is a chunk of chunk_bytes, and never longer than
// message_bytes. Chunks are longer if a pair would have more than 256 of them, so that a plan does not grow with
// the array. Each halving makes chunks half as long and allows twice as many, up to 16,384. The last but one also
// cuts little data into 2 messages, the last one into 4, of at least a cache line each: otherwise no limit on
// workspace would help a transfer whose messages are all short. The last one cuts less than 2 cache lines into
// halves, so that a message for and from each process is less than what the process holds.
int64_t message_limit(const std::vector<plan::StridedCopy> &copies, int64_t message_bytes, int64_t chunk_bytes,
                      int halvings = 0);

// Which side reorders. With at_pack a message has the order of the sink, with at_unpack that of the source.
enum class ReorderAt { at_pack, at_unpack };

// The sender's and the receiver's half of a message that split_messages made. A message holds the bytes of its
// copies one after the other, densely. The side that does not reorder therefore has long runs. Scalars that are
// converted travel in the smaller of the two types.
plan::Message pack_half(const plan::Message &message, ReorderAt reorder_at);
plan::Message unpack_half(const plan::Message &message, ReorderAt reorder_at);

// Appends a message. If its copies are the same as those of another message at other offsets, both share their
// memory. Tables equal to those of the message before share theirs: pieces cut along one long list each repeat the
// other lists whole. forms: the same for all messages of a plan.
void add_message(std::vector<plan::Message> &messages, plan::Message message, plan::CopyForms &forms);

} // namespace dri::planner
