// Memory for the messages of transfers in place. The staging of sends is a number of slots for all receivers
// together, and that of receives a number for all senders. docs/in_place_planning.md proves that the minimum
// numbers given here suffice.
#include "commit/in_place_staging.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "exec/lane_layout.hpp"
#include "plan/piece.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// Staging for more messages does not make a frame faster.
constexpr int64_t max_send_slots = 16;

// Bytes of a slot, which holds any of the messages and starts at a cache line.
int64_t longest(const std::vector<plan::Message> &messages) {
    int64_t bytes = 1;
    for (const plan::Message &m : messages)
        bytes = std::max(bytes, m.bytes);
    return round_up(bytes, cache_line_bytes);
}

// Number of slots for which `bytes` suffice: at least `min_slots`, at most max_send_slots and the number of
// messages.
int64_t slots_for(const std::vector<plan::Message> &messages, int64_t min_slots, int64_t bytes) {
    const int64_t all = std::ssize(messages);
    return std::clamp(std::min(bytes / longest(messages), max_send_slots), std::min(min_slots, all), all);
}

// A slot that several sends use has the length of the longest message. If every send has a slot of its own, each
// slot is only as long as its message, which may need less memory in total. All sends receive slots then.
int64_t send_slots(const plan::Plan &plan, int64_t bytes) {
    const int64_t some = slots_for(plan.sends, plan.in_place->sends_at_once, bytes), all = std::ssize(plan.sends);
    const auto bytes_of = [&](int64_t n) {
        exec::StagingBudget staging;
        staging.sends_in_place = n;
        return exec::send_layout(plan, staging).bytes();
    };
    return bytes_of(all) <= bytes_of(some) ? all : some;
}

// Number of messages that have slots in `bytes` together, from min_slots to max_slots.
int64_t slots_within(const std::vector<plan::Message> &messages, int64_t min_slots, int64_t max_slots,
                     int64_t bytes) {
    return std::clamp(bytes / longest(messages), min_slots, std::max(min_slots, max_slots));
}

// Memory to put this process's part in order with blocks of that length, see kernel/arranger.hpp.
int64_t blocks_bytes(const plan::Plan &plan, int64_t block_bytes) {
    return plan::arranging_bytes(plan.in_place->before, plan.in_place->after, block_bytes);
}

// A block length for a limit: the best one for the memory that the smallest staging budget leaves, if it needs
// less memory than blocks of `block_bytes`. Otherwise block_bytes.
int64_t block_within(const plan::Plan &plan, const exec::StagingBudget &min_staging, int64_t block_bytes,
                     int64_t limit) {
    if (block_bytes == 0)
        return 0;
    const int64_t messages = exec::send_layout(plan, min_staging).messages.bytes();
    const int64_t block = plan::arranging_block(plan.in_place->before, plan.in_place->after, limit - messages);
    return blocks_bytes(plan, block) < blocks_bytes(plan, block_bytes) ? block : block_bytes;
}

// Workspace of the source, of the sink, and of both.
int64_t source_workspace(const plan::Plan &plan, const exec::StagingBudget &staging) {
    return exec::send_layout(plan, staging).bytes();
}
int64_t sink_workspace(const plan::Plan &plan, const exec::StagingBudget &staging) {
    return exec::receive_layout(plan, staging).bytes();
}
int64_t workspace(const plan::Plan &plan, const exec::StagingBudget &staging) {
    return checked_add(source_workspace(plan, staging), sink_workspace(plan, staging));
}

// Divides `bytes` among sends and receives, half each. If the part is put in order, its blocks receive half of all
// and the messages share the other half. If that exceeds `bytes`, messages receive their minimum and the blocks
// what is left, or their own minimum.
exec::StagingBudget divide(const plan::Plan &plan, int64_t frames, int64_t bytes) {
    exec::StagingBudget staging;
    staging.frames = frames;
    const auto give_messages = [&](int64_t all) {
        staging.sends_in_place = send_slots(plan, all / 2);
        staging.receives_in_place = slots_for(plan.receives, 1, all / 2);
    };
    const plan::InPlaceOrder &order = *plan.in_place;
    if (order.before.empty() && order.after.empty()) {
        give_messages(bytes);
        return staging;
    }
    give_messages(bytes / 2);
    staging.block_bytes = plan::arranging_block(order.before, order.after, bytes / 2);
    if (workspace(plan, staging) <= bytes)
        return staging;
    give_messages(0);
    staging.block_bytes = 0;
    staging.block_bytes = plan::arranging_block(order.before, order.after, bytes - workspace(plan, staging));
    return staging;
}

} // namespace

exec::StagingBudget min_in_place_staging(const plan::Plan &plan, int64_t frames) {
    return divide(plan, frames, 0);
}

// Starts from the quota and reduces what exceeds a limit. The source's limit covers blocks and sends: blocks
// become shorter first, then fewer sends have slots. The sink's limit covers receives.
std::optional<exec::StagingBudget> in_place_staging(const plan::Plan &plan, int64_t frames,
                                                    const InPlaceMemory &memory) {
    const exec::StagingBudget min_staging = min_in_place_staging(plan, frames);
    exec::StagingBudget staging = divide(plan, frames, memory.quota);
    if (source_workspace(plan, staging) > memory.source_limit) {
        staging.block_bytes = block_within(plan, min_staging, staging.block_bytes, memory.source_limit);
        const int64_t left = memory.source_limit - blocks_bytes(plan, staging.block_bytes);
        if (source_workspace(plan, staging) > memory.source_limit)
            staging.sends_in_place =
                slots_within(plan.sends, min_staging.sends_in_place, staging.sends_in_place, left);
    }
    if (sink_workspace(plan, staging) > memory.sink_limit)
        staging.receives_in_place = slots_within(plan.receives, min_staging.receives_in_place,
                                                 staging.receives_in_place, memory.sink_limit);
    if (source_workspace(plan, staging) > memory.source_limit || sink_workspace(plan, staging) > memory.sink_limit)
        return std::nullopt;
    return staging;
}

} // namespace dri::commit
