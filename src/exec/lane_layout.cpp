// Computes the memory of lanes from a plan and a budget.
#include "exec/lane_layout.hpp"

#include "base/checked.hpp"
#include "exec/team_copies.hpp"
#include "plan/piece.hpp"
#include "transport/exchange_layout.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace dri::exec {

namespace {

// credits: as in ExchangeSpec. Of messages alike, those that cannot have memory at the same time are left out:
// only a plan for lengths has them, which is never sent.
std::vector<transport::MessageSpec> specs(const std::vector<plan::Message> &messages, int64_t note_bytes,
                                          int64_t credits) {
    std::vector<transport::MessageSpec> out;
    out.reserve(messages.size());
    for (const plan::Message &m : messages)
        for (int64_t i = 0; i < std::clamp<int64_t>(credits, 1, m.alike); ++i)
            out.push_back({m.peer, m.bytes + note_bytes});
    return out;
}

// In place a process starts a frame when it has received the one before. A message that it sends in each frame
// therefore answers those that it receives.
std::vector<char> answered_sends(const plan::Plan &plan) {
    std::set<int> senders;
    for (const plan::Message &m : plan.receives)
        senders.insert(m.peer);
    std::vector<char> answered;
    for (const plan::Message &m : plan.sends)
        answered.push_back(senders.contains(m.peer));
    return answered;
}

// Empty if all messages are in staging.
std::vector<int64_t> empty_unless_any(std::vector<int64_t> at) {
    if (std::count(at.begin(), at.end(), transport::in_staging) == std::ssize(at))
        at.clear();
    return at;
}

// The maximum number of messages that one strip of the source has for one receiver.
int64_t max_per_receiver(const plan::Plan &plan) {
    int64_t max_messages = 0;
    size_t at = 0;
    for (int64_t k = 0; k < plan::count_strips(plan); ++k) {
        int64_t messages = 0;
        const size_t first = at;
        for (const size_t end = plan::strip_end(plan, k).sends; at < end; ++at) { // grouped by receiver
            const bool next = at > first && plan.sends[at].peer == plan.sends[at - 1].peer;
            messages = (next ? messages : 0) + plan.sends[at].alike;
            max_messages = std::max(max_messages, messages);
        }
    }
    return max_messages;
}

// One exchange is enough: a frame is complete before the next frame of its buffer is handed over. All peers share
// the slots (pooled). If every send has a slot, its credits are unlimited: each slot is then only as long as its
// message.
SendLayout send_layout_in_place(const plan::Plan &plan, const StagingBudget &budget) {
    SendLayout layout;
    layout.frames = budget.frames;
    layout.messages.exchanges = plan.sends.empty() ? 0 : 1;
    layout.messages.spec.sends = specs(plan.sends, 0, transport::unlimited_credits);
    layout.messages.spec.pooled = true;
    layout.messages.spec.answered = answered_sends(plan);
    if (budget.sends_from_buffer)
        layout.messages.spec.sends_at = sends_in_buffer(plan);
    const auto &at = layout.messages.spec.sends_at;
    if (budget.sends_in_place <
        (at.empty() ? std::ssize(plan.sends) : std::count(at.begin(), at.end(), transport::in_staging)))
        layout.messages.spec.send_credits = budget.sends_in_place;
    layout.block_bytes = budget.block_bytes;
    const auto &[before, after] = std::tie(plan.in_place->before, plan.in_place->after);
    layout.blocks_bytes = plan::arranging_blocks_bytes(before, after, budget.block_bytes);
    layout.arranging_bytes = plan::arranging_bytes(before, after, budget.block_bytes);
    return layout;
}

} // namespace

int64_t MessageLayout::bytes() const {
    return exchanges == 0 ? 0 : checked_mul(transport::ExchangeLayout(spec).bytes(), exchanges);
}

std::vector<std::unique_ptr<transport::Exchange>> MessageLayout::prepare(transport::Transport &transport,
                                                                         int64_t tag) const {
    std::vector<std::unique_ptr<transport::Exchange>> prepared;
    if (exchanges == 0)
        return prepared;
    transport::ExchangeSpec tagged = spec;
    tagged.tag = tag;
    const auto shared = std::make_shared<const transport::ExchangeLayout>(std::move(tagged));
    prepared.reserve(static_cast<size_t>(exchanges));
    for (int64_t i = 0; i < exchanges; ++i)
        prepared.push_back(transport.prepare(shared));
    return prepared;
}

int64_t SendLayout::bytes() const { return checked_add(messages.bytes(), arranging_bytes); }

// Frame k starts only when frame k - frames has completed, and with it all of that frame's exchange. Therefore the
// exchange can be reused.
SendLayout send_layout(const plan::Plan &plan, const StagingBudget &budget) {
    if (plan.in_place)
        return send_layout_in_place(plan, budget);
    SendLayout layout;
    layout.frames = budget.frames;
    layout.round_robin = budget.frames == 0;
    if (plan.sends.empty())
        return layout;
    const int64_t strips = plan::count_strips(plan);
    layout.credit_frames = std::min(budget.frames, strips);
    layout.messages.spec.dense = budget.dense;
    if (budget.frames == 0) {
        layout.messages.exchanges = 1;
        layout.messages.spec.send_credits = budget.per_receiver;
    } else if (strips == 1) {
        layout.messages.exchanges = budget.frames;
    } else {
        layout.messages.exchanges = 1 + ceil_div(budget.frames - 1, strips);
        layout.messages.spec.send_credits =
            checked_mul(layout.credit_frames, std::max<int64_t>(max_per_receiver(plan), 1));
    }
    layout.messages.spec.in_order = !layout.round_robin;
    layout.messages.spec.sends = specs(plan.sends, plan.note_bytes, layout.messages.spec.send_credits);
    return layout;
}

std::vector<int64_t> sends_in_buffer(const plan::Plan &plan) {
    const std::vector<char> answered = answered_sends(plan);
    std::vector<int64_t> at;
    for (size_t i = 0; i < plan.sends.size(); ++i) {
        const plan::Message &m = plan.sends[i];
        const bool waits_for_its_receiver = answered[i] || m.bytes > sent_at_once;
        at.push_back(waits_for_its_receiver
                         ? plan::stretch_in_buffer(m, plan::BufferUse::read).value_or(transport::in_staging)
                         : transport::in_staging);
    }
    return empty_unless_any(std::move(at));
}

// A receive that waits for a slot is posted after all that need none. MPI matches those of one sender in the order
// of posting, so what follows a message in staging needs a slot, too.
std::vector<int64_t> receives_in_buffer(const plan::Plan &plan) {
    std::set<int> staged; // senders
    std::vector<int64_t> at;
    for (const plan::Message &m : plan.receives) {
        const auto stretch =
            staged.contains(m.peer) ? std::nullopt : plan::stretch_in_buffer(m, plan::BufferUse::written);
        if (!stretch)
            staged.insert(m.peer);
        at.push_back(stretch.value_or(transport::in_staging));
    }
    return empty_unless_any(std::move(at));
}

MessageLayout receive_layout(const plan::Plan &plan, const StagingBudget &budget) {
    MessageLayout layout;
    layout.exchanges = plan.receives.empty() ? 0 : 1;
    layout.spec.pooled = plan.in_place.has_value();
    layout.spec.dense = budget.dense;
    if (plan.in_place && budget.receives_into_buffer)
        layout.spec.receives_at = receives_in_buffer(plan);
    layout.spec.receive_credits = plan.in_place ? budget.receives_in_place : budget.per_sender;
    layout.spec.receives = specs(plan.receives, plan.note_bytes, layout.spec.receive_credits);
    return layout;
}

int64_t tile_bytes(const plan::Plan &plan, const std::function<bool(int peer)> &reads_elsewhere, int64_t threads,
                   int64_t min_bytes) {
    int64_t bytes = 0;
    for (const plan::Pull &pull : plan.pulls)
        if (reads_elsewhere(pull.peer))
            bytes = std::max(bytes, remote_scratch_bytes(pull.copies, threads, min_bytes));
    return bytes;
}

LinkLayout link_layout(const plan::Plan &plan, const StagingBudget &budget) {
    return {.sends = send_layout(plan, budget), .receives = receive_layout(plan, budget)};
}

} // namespace dri::exec
