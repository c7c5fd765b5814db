// Buffers and staging of transfers in place. In such a transfer the staging of sends is a number of slots for all
// receivers together, and that of receives a number for all senders. docs/in_place_planning.md proves that the
// minimum numbers given here suffice.
#include "commit/in_place.hpp"

#include "base/checked.hpp"
#include "commit/memory_estimate.hpp"
#include "exec/lane_layout.hpp"
#include "exec/transfer.hpp"
#include "plan/piece.hpp"
#include "plan/plan.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// Staging for more messages does not make a frame faster.
constexpr int64_t max_send_slots = 16;

const Endpoint &source_of(const DraftTransfer &draft) { return *draft.source_endpoint; }
const Endpoint &sink_of(const DraftTransfer &draft) { return *draft.flows.front().endpoint; }

int64_t alignment_of(const Endpoint &endpoint) { return endpoint.declaration().dist->gdo().type.alignment; }

// One address for each buffer, from whichever endpoint declares it. Null if neither does: the library provides it.
std::vector<void *> shared_buffers(const DraftTransfer &draft) {
    std::vector<void *> buffers = source_of(draft).declaration().buffers;
    const std::vector<void *> &others = sink_of(draft).declaration().buffers;
    for (size_t i = 0; i < buffers.size(); ++i)
        if (!buffers[i])
            buffers[i] = others[i];
    return buffers;
}

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

// This process's quota: one P-th of its part. In a square corner turn this suffices for messages (as it lies).
int64_t quota_bytes(const DraftTransfer &draft) {
    return larger_part_bytes(draft) / draft.matched->source.dist->group().size();
}

// Workspace of both endpoints with the draft's staging budget.
int64_t workspace_in_place(const DraftTransfer &draft) {
    return checked_add(source_estimate(draft).workspace(),
                       sink_estimate(draft, draft.flows.front(), {}).workspace());
}

// Divides `bytes` among sends and receives, half each. If the part is put in order, its blocks receive half of all
// and the messages share the other half. If that exceeds `bytes`, messages receive their minimum and the blocks
// what is left, or their own minimum.
void give_staging(DraftTransfer &draft, int64_t bytes) {
    DraftTransfer::Flow &flow = draft.flows.front();
    const auto give_messages = [&](int64_t all) {
        flow.staging.sends_in_place = send_slots(*flow.plan, all / 2);
        flow.staging.receives_in_place = slots_for(flow.plan->receives, 1, all / 2);
    };
    flow.staging.frames = std::ssize(source_of(draft).declaration().buffers);
    flow.staging.block_bytes = 0;
    const plan::InPlaceOrder &order = *flow.plan->in_place;
    if (order.before.empty() && order.after.empty())
        return give_messages(bytes);
    give_messages(bytes / 2);
    flow.staging.block_bytes = plan::arranging_block(order.before, order.after, bytes / 2);
    if (workspace_in_place(draft) <= bytes)
        return;
    give_messages(0);
    flow.staging.block_bytes = 0;
    flow.staging.block_bytes = plan::arranging_block(order.before, order.after, bytes - workspace_in_place(draft));
}

void set_attributes(exec::EndpointState &state, const Endpoint &endpoint) {
    state.buffer_bytes = endpoint.buffer_bytes();
    state.timeout = std::chrono::milliseconds(endpoint.declaration().attributes.timeout_ms);
    state.has_thread = endpoint.declaration().attributes.progress_thread != 0;
}

} // namespace

bool in_place(const DraftTransfer &draft) { return draft.matched->options.in_place; }

int64_t larger_part_bytes(const DraftTransfer &draft) {
    return std::max(source_of(draft).buffer_bytes(), sink_of(draft).buffer_bytes());
}

// The user may pass each buffer to the source, to the sink, or to both with the same address. The checks of
// Endpoint see one endpoint alone; here a buffer must also hold the larger part and satisfy both alignments.
void check_shared_buffers(const DraftTransfer &draft) {
    const auto &from = source_of(draft).declaration().buffers, &to = sink_of(draft).declaration().buffers;
    const std::string &name = draft.matched->name;
    if (from.size() != to.size())
        fail(DRI_ERR_ARG, "transfer '{}' is in place, but its source has {} buffers and its sink has {}", name,
             from.size(), to.size());
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i] && to[i] && from[i] != to[i])
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, but buffer {} of the source is at {} and that of the sink at {}",
                 name, i, from[i], to[i]);
    const int64_t bytes = larger_part_bytes(draft);
    std::vector<std::pair<uintptr_t, size_t>> sorted;
    const std::vector<void *> buffers = shared_buffers(draft);
    const auto alignment =
        static_cast<uintptr_t>(std::max(alignment_of(source_of(draft)), alignment_of(sink_of(draft))));
    for (size_t i = 0; i < buffers.size(); ++i) {
        const auto at = reinterpret_cast<uintptr_t>(buffers[i]);
        if (at % alignment != 0)
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, but buffer {} is not aligned to the {} bytes that its element types "
                 "need",
                 name, i, alignment);
        if (at != 0 && bytes > 0)
            sorted.emplace_back(at, i);
    }
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].first - sorted[i - 1].first < static_cast<uintptr_t>(bytes))
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, so each buffer has {} bytes, but buffers {} and {} share memory",
                 name, bytes, std::min(sorted[i - 1].second, sorted[i].second),
                 std::max(sorted[i - 1].second, sorted[i].second));
}

// Both endpoints own the library's buffers together, so the memory stays valid until both are destroyed.
void reserve_in_place(DraftTransfer &draft) {
    exec::SourceEnd source;
    exec::SinkEnd sink;
    set_attributes(source, source_of(draft));
    set_attributes(sink, sink_of(draft));
    sink.fill(false, false); // its buffer is the source's, whose frame must be inserted first
    const int64_t bytes = std::max(larger_part_bytes(draft), cache_line_bytes);
    const int64_t alignment = std::max(alignment_of(source_of(draft)), alignment_of(sink_of(draft)));
    auto owned = std::make_shared<std::vector<AlignedBuffer>>();
    for (void *buffer : shared_buffers(draft)) {
        if (buffer) {
            advise_huge_pages(buffer, larger_part_bytes(draft));
        } else {
            try {
                owned->emplace_back(bytes, alignment);
            } catch (const std::exception &) {
                const Error error = current_error();
                fail(error.code(), "transfer '{}', buffers that source and sink share in place: {}",
                     draft.matched->name, error.what());
            }
            buffer = owned->back().data();
        }
        source.buffers.push_back(static_cast<std::byte *>(buffer));
    }
    sink.buffers = source.buffers;
    source.shared_in_place = sink.shared_in_place = std::move(owned);
    draft.source = std::move(source);
    draft.flows.front().buffers = std::move(sink);
}

int64_t shared_buffer_bytes(const DraftTransfer &draft) {
    const std::vector<void *> buffers = shared_buffers(draft);
    return checked_mul(larger_part_bytes(draft), std::count(buffers.begin(), buffers.end(), nullptr));
}

// Starts from the quota and reduces what exceeds a limit. The source's limit covers blocks and sends: blocks
// become shorter first, then fewer sends have slots. The sink's limit covers receives.
bool fit_in_place(DraftTransfer &draft) {
    give_min_staging_in_place(draft);
    DraftTransfer::Flow &flow = draft.flows.front();
    const exec::StagingBudget min_staging = flow.staging;
    give_staging(draft, quota_bytes(draft));
    const int64_t limit = limit_of(source_of(draft)), sink_limit = limit_of(sink_of(draft));
    if (source_estimate(draft).workspace() > limit) {
        flow.staging.block_bytes = block_within(*flow.plan, min_staging, flow.staging.block_bytes, limit);
        const int64_t blocks = blocks_bytes(*flow.plan, flow.staging.block_bytes);
        if (source_estimate(draft).workspace() > limit)
            flow.staging.sends_in_place = slots_within(flow.plan->sends, min_staging.sends_in_place,
                                                       flow.staging.sends_in_place, limit - blocks);
    }
    if (sink_estimate(draft, flow, {}).workspace() > sink_limit)
        flow.staging.receives_in_place = slots_within(flow.plan->receives, min_staging.receives_in_place,
                                                      flow.staging.receives_in_place, sink_limit);
    return source_estimate(draft).workspace() <= limit && sink_estimate(draft, flow, {}).workspace() <= sink_limit;
}

void fit_in_place_or_fail(DraftTransfer &draft) {
    if (fit_in_place(draft))
        return;
    give_min_staging_in_place(draft);
    fail_beyond_limit(draft, draft, {});
}

void give_min_staging_in_place(DraftTransfer &draft) { give_staging(draft, 0); }

} // namespace dri::commit
