// Memory for the messages of transfers in place. The staging of sends is a number of slots for all receivers
// together, and that of receives a number for all senders. docs/in_place_planning.md proves that the minimum
// numbers given here suffice.
#include "commit/in_place_staging.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "exec/lane_layout.hpp"
#include "plan/piece.hpp"
#include "transport/exchange_spec.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// Staging for more messages does not make a frame faster.
constexpr int64_t max_send_slots = 16;

// A halo of short rows has so much for its messages, whatever its quota: with one slot each way its rows would
// travel one after the other.
constexpr int64_t halo_bytes = int64_t{128} << 10;

// The messages of one direction that have slots, and the bytes of a slot: it holds any of them and starts at a
// cache line.
struct Staged {
    int64_t count = 0, slot_bytes = cache_line_bytes;
};

// at: where the messages lie that have none; empty: all have one.
Staged staged(const std::vector<plan::Message> &messages, const std::vector<int64_t> &at) {
    Staged all;
    for (size_t i = 0; i < messages.size(); ++i) {
        if (transport::is_outside(at, i))
            continue;
        ++all.count;
        all.slot_bytes = std::max(all.slot_bytes, round_up(messages[i].bytes, cache_line_bytes));
    }
    return all;
}

Staged staged_sends(const plan::Plan &plan, bool in_buffer) {
    return staged(plan.sends, in_buffer ? exec::sends_in_buffer(plan) : std::vector<int64_t>());
}

// Number of slots for which `bytes` suffice: at least `min_slots`, at most max_send_slots and the number of
// messages.
int64_t slots_for(const Staged &messages, int64_t min_slots, int64_t bytes) {
    return std::clamp(std::min(bytes / messages.slot_bytes, max_send_slots), std::min(min_slots, messages.count),
                      messages.count);
}

// A slot that several sends use has the length of the longest message. If every send has a slot of its own, each
// slot is only as long as its message, which may need less memory in total. All sends receive slots then.
int64_t send_slots(const plan::Plan &plan, int64_t bytes, bool in_buffer) {
    const Staged messages = staged_sends(plan, in_buffer);
    const int64_t some = slots_for(messages, plan.in_place->sends_at_once, bytes), all = messages.count;
    const auto bytes_of = [&](int64_t n) {
        exec::StagingBudget staging;
        staging.sends_from_buffer = in_buffer;
        staging.sends_in_place = n;
        return exec::send_layout(plan, staging).bytes();
    };
    return bytes_of(all) <= bytes_of(some) ? all : some;
}

// Number of messages that have slots in `bytes` together, from min_slots to max_slots.
int64_t slots_within(const Staged &messages, int64_t min_slots, int64_t max_slots, int64_t bytes) {
    return std::clamp(bytes / messages.slot_bytes, min_slots, std::max(min_slots, max_slots));
}

// Gives receives the slots for which `bytes` suffice.
void give_receives(const plan::Plan &plan, exec::StagingBudget &staging, int64_t bytes, bool in_buffer) {
    staging.receives_into_buffer = in_buffer;
    staging.receives_in_place = slots_for(
        staged(plan.receives, in_buffer ? exec::receives_in_buffer(plan) : std::vector<int64_t>()), 1, bytes);
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
exec::StagingBudget divide(const plan::Plan &plan, int64_t frames, int64_t bytes, bool in_buffer) {
    exec::StagingBudget staging;
    staging.frames = frames;
    staging.sends_from_buffer = in_buffer;
    const auto give_messages = [&](int64_t all) {
        staging.sends_in_place = send_slots(plan, all / 2, in_buffer);
        give_receives(plan, staging, all / 2, in_buffer);
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

exec::StagingBudget min_in_place_staging(const plan::Plan &plan, int64_t frames, bool in_buffer) {
    return divide(plan, frames, 0, in_buffer);
}

// Starts from the quota and reduces what exceeds a limit. The source's limit covers blocks and sends: blocks
// become shorter first, then fewer sends have slots. The sink's limit covers receives.
std::optional<exec::StagingBudget> in_place_staging(const plan::Plan &plan, int64_t frames,
                                                    const InPlaceMemory &memory) {
    const exec::StagingBudget min_staging = min_in_place_staging(plan, frames, memory.in_buffer);
    const int64_t quota = plan.in_place->keeps_sent ? std::max(memory.quota, halo_bytes) : memory.quota;
    exec::StagingBudget staging = divide(plan, frames, quota, memory.in_buffer);
    if (source_workspace(plan, staging) > memory.source_limit) {
        staging.block_bytes = block_within(plan, min_staging, staging.block_bytes, memory.source_limit);
        const int64_t left = memory.source_limit - blocks_bytes(plan, staging.block_bytes);
        if (source_workspace(plan, staging) > memory.source_limit)
            staging.sends_in_place = slots_within(staged_sends(plan, memory.in_buffer), min_staging.sends_in_place,
                                                  staging.sends_in_place, left);
    }
    if (sink_workspace(plan, staging) > memory.sink_limit)
        give_receives(plan, staging, memory.sink_limit, memory.in_buffer);
    if (source_workspace(plan, staging) > memory.source_limit || sink_workspace(plan, staging) > memory.sink_limit)
        return std::nullopt;
    return staging;
}

} // namespace dri::commit
