// Sums of bytes over plans.
#include "plan/plan.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::plan {

namespace {

// Sum of bytes_of over a list, with a check for overflow.
template <class List, class F> int64_t sum(const List &list, const F &bytes_of) {
    int64_t bytes = 0;
    for (const auto &one : list)
        bytes = checked_add(bytes, bytes_of(one));
    return bytes;
}

int64_t message_bytes(const std::vector<Message> &messages) {
    return sum(messages, [](const Message &m) { return m.bytes; });
}

} // namespace

int64_t copies_bytes(const std::vector<StridedCopy> &copies) { return sum(copies, copy_bytes); }

int64_t self_bytes(const Plan &plan) { return copies_bytes(plan.self); }

int64_t send_bytes(const Plan &plan) { return message_bytes(plan.sends); }

int64_t receive_bytes(const Plan &plan) { return message_bytes(plan.receives); }

int64_t pull_bytes(const Pull &pull) { return copies_bytes(pull.copies); }

int64_t pull_bytes(const Plan &plan) {
    return sum(plan.pulls, [](const Pull &pull) { return pull_bytes(pull); });
}

int64_t puller_bytes(const Plan &plan) {
    return sum(plan.pullers, [](const Puller &puller) { return puller.bytes; });
}

std::optional<int64_t> stretch_in_buffer(const Message &message, BufferUse use) {
    if (message.copies.size() != 1)
        return std::nullopt;
    const StridedCopy copy = message.copies.front();
    if (!copy.loops.empty() || !copy.tables.empty() || copy.conversion || copy.run_bytes != message.bytes)
        return std::nullopt;
    return use == BufferUse::written ? copy.dst_offset : copy.src_offset;
}

int64_t count_strips(const Plan &plan) { return std::max<int64_t>(std::ssize(plan.strips), 1); }

// A plan without strips counts as one strip that covers all lists.
Plan::Strip strip_end(const Plan &plan, int64_t k) {
    if (plan.strips.empty())
        return {plan.self.size(), plan.sends.size(), plan.receives.size(), puller_bytes(plan)};
    return plan.strips[static_cast<size_t>(k)];
}

} // namespace dri::plan
