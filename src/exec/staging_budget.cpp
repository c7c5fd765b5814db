// Computes the staging for messages of a link. The same functions serve estimates and the prepared exchanges.
#include "exec/staging_budget.hpp"

#include "base/checked.hpp"
#include "transport/staging.hpp"

#include <algorithm>

namespace dri::exec {

std::vector<transport::MessageSpec> specs(const std::vector<plan::Message> &messages, int64_t note_bytes) {
    std::vector<transport::MessageSpec> out;
    for (const plan::Message &m : messages)
        out.push_back({m.peer, m.bytes + note_bytes});
    return out;
}

// Unlimited if every send has a slot: the slots can then be exactly as long as their messages.
int64_t send_credits_in_place(const plan::Plan &plan, int64_t slots) {
    return slots < std::ssize(plan.sends) ? slots : transport::unlimited_credits;
}

namespace {

// The maximum number of messages that one strip of the source has for one receiver.
int64_t max_per_receiver(const plan::Plan &plan) {
    int64_t max_messages = 0;
    size_t at = 0;
    for (int64_t k = 0; k < plan::count_strips(plan); ++k) {
        int64_t messages = 0;
        const size_t first = at;
        for (const size_t end = plan::strip_end(plan, k).sends; at < end; ++at) { // grouped by receiver
            messages = at > first && plan.sends[at].peer == plan.sends[at - 1].peer ? messages + 1 : 1;
            max_messages = std::max(max_messages, messages);
        }
    }
    return max_messages;
}

int64_t staging_in_place(const plan::Plan &plan, const StagingBudget &budget) {
    const transport::ExchangeLayout layout({.sends = specs(plan.sends),
                                            .send_credits = send_credits_in_place(plan, budget.sends_in_place),
                                            .pooled = true});
    return checked_add(layout.bytes(),
                       plan::arranging_bytes(plan.in_place->before, plan.in_place->after, budget.block_bytes));
}

} // namespace

// Frame k starts only when frame k - frames has completed, and with it all of that frame's exchange. Therefore the
// exchange can be reused.
SendStaging send_staging(const plan::Plan &plan, const StagingBudget &budget) {
    const int64_t strips = plan::count_strips(plan);
    if (budget.frames == 0)
        return {1, budget.per_receiver};
    if (strips == 1)
        return {budget.frames, transport::unlimited_credits};
    return {1 + ceil_div(budget.frames - 1, strips),
            checked_mul(std::min(budget.frames, strips), std::max<int64_t>(max_per_receiver(plan), 1))};
}

int64_t send_staging_bytes(const plan::Plan &plan, const StagingBudget &budget) {
    if (plan.in_place)
        return staging_in_place(plan, budget);
    const auto [exchanges, credits] = send_staging(plan, budget);
    const transport::ExchangeLayout layout({.sends = specs(plan.sends, plan.note_bytes), .send_credits = credits});
    return checked_mul(layout.bytes(), exchanges);
}

int64_t receive_staging_bytes(const plan::Plan &plan, const StagingBudget &budget) {
    if (plan.in_place)
        return transport::ExchangeLayout(
                   {.receives = specs(plan.receives), .receive_credits = budget.receives_in_place, .pooled = true})
            .bytes();
    return transport::ExchangeLayout(
               {.receives = specs(plan.receives, plan.note_bytes), .receive_credits = budget.per_sender})
        .bytes();
}

} // namespace dri::exec
