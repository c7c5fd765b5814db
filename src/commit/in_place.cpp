#include "commit/in_place.hpp"

#include "base/checked.hpp"
#include "commit/needs.hpp"

#include <algorithm>

namespace dri {

namespace {

// Room for more messages than that makes nothing faster.
constexpr int64_t most_places = 16;

const Endpoint &source_of(const DraftTransfer &draft) { return *draft.source_end; }
const Endpoint &sink_of(const DraftTransfer &draft) { return *draft.flows.front().end; }

int64_t bytes_of_both(const DraftTransfer &draft) {
    return std::max(source_of(draft).buffer_bytes(), sink_of(draft).buffer_bytes());
}

int64_t alignment_of(const Endpoint &end) { return end.declaration().dist->gdo().type.alignment; }

// Null: the library's.
std::vector<void *> shared_buffers(const DraftTransfer &draft) {
    std::vector<void *> buffers = source_of(draft).declaration().buffers;
    const std::vector<void *> &others = sink_of(draft).declaration().buffers;
    for (size_t i = 0; i < buffers.size(); ++i)
        if (!buffers[i])
            buffers[i] = others[i];
    return buffers;
}

int64_t longest(const std::vector<Message> &messages) {
    int64_t bytes = 1;
    for (const Message &m : messages)
        bytes = std::max(bytes, m.bytes);
    return round_up(bytes, cache_line_bytes);
}

int64_t places(const std::vector<Message> &messages, int64_t least, int64_t bytes) {
    const int64_t all = std::ssize(messages);
    return std::clamp(std::min(bytes / longest(messages), most_places), std::min(least, all), all);
}

// All of them, too, where that takes less: places for some are as long as the longest message.
int64_t send_places(const Plan &plan, int64_t bytes) {
    const int64_t some = places(plan.sends, plan.in_place->sends_at_once, bytes), all = std::ssize(plan.sends);
    const auto bytes_of = [&](int64_t n) {
        MessageRoom room;
        room.sends_in_place = n;
        return send_room_bytes(plan, room);
    };
    return bytes_of(all) <= bytes_of(some) ? all : some;
}

int64_t share_bytes(const DraftTransfer &draft) {
    return bytes_of_both(draft) / draft.matched->source.dist->group().size();
}

int64_t workspace_of(const DraftTransfer &draft) {
    return checked_add(source_needs(draft).workspace(), sink_needs(draft, draft.flows.front(), {}).workspace());
}

// Half of it for what leaves, half for what comes; where the part is put in order, that takes half of both, and
// more where it must.
void give_room(DraftTransfer &draft, int64_t bytes) {
    DraftTransfer::Flow &flow = draft.flows.front();
    const auto give_messages = [&](int64_t all) {
        flow.room.sends_in_place = send_places(*flow.plan, all / 2);
        flow.room.receives_in_place = places(flow.plan->receives, 1, all / 2);
    };
    flow.room.frames = std::ssize(source_of(draft).declaration().buffers);
    flow.room.block_bytes = 0;
    const PlaceRule &rule = *flow.plan->in_place;
    if (rule.before.empty() && rule.after.empty())
        return give_messages(bytes);
    give_messages(bytes / 2);
    flow.room.block_bytes = arranging_block(rule.before, rule.after, bytes / 2);
    if (workspace_of(draft) <= bytes)
        return;
    give_messages(0);
    flow.room.block_bytes = 0;
    flow.room.block_bytes = arranging_block(rule.before, rule.after, bytes - workspace_of(draft));
}

End make_shared_end(const Endpoint &endpoint) {
    End end;
    end.buffer_bytes = endpoint.buffer_bytes();
    end.timeout = std::chrono::milliseconds(endpoint.declaration().attributes.timeout_ms);
    end.fills_ahead = false;
    end.has_thread = endpoint.declaration().attributes.progress_thread != 0;
    return end;
}

} // namespace

bool in_place(const DraftTransfer &draft) { return draft.matched->options.in_place; }

void check_shared_buffers(const DraftTransfer &draft) {
    const auto &from = source_of(draft).declaration().buffers, &to = sink_of(draft).declaration().buffers;
    const std::string &name = draft.matched->name;
    if (from.size() != to.size())
        fail(DRI_ERR_ARG, "transfer '{}' is in place, but its source has {} buffers and its sink {}", name,
             from.size(), to.size());
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i] && to[i] && from[i] != to[i])
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, but buffer {} of the source is at {} and of the sink at {}", name, i,
                 from[i], to[i]);
    const int64_t bytes = bytes_of_both(draft);
    std::vector<std::pair<uintptr_t, size_t>> sorted;
    const std::vector<void *> buffers = shared_buffers(draft);
    const auto alignment =
        static_cast<uintptr_t>(std::max(alignment_of(source_of(draft)), alignment_of(sink_of(draft))));
    for (size_t i = 0; i < buffers.size(); ++i) {
        const auto at = reinterpret_cast<uintptr_t>(buffers[i]);
        if (at % alignment != 0)
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, and buffer {} is not aligned to the {} bytes of its types", name, i,
                 alignment);
        if (at != 0 && bytes > 0)
            sorted.emplace_back(at, i);
    }
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].first - sorted[i - 1].first < static_cast<uintptr_t>(bytes))
            fail(DRI_ERR_ARG,
                 "transfer '{}' is in place, so a buffer has {} bytes, and buffers {} and {} share memory", name,
                 bytes, std::min(sorted[i - 1].second, sorted[i].second),
                 std::max(sorted[i - 1].second, sorted[i].second));
}

void reserve_in_place(DraftTransfer &draft) {
    End source = make_shared_end(source_of(draft)), sink = make_shared_end(sink_of(draft));
    const int64_t bytes = std::max(bytes_of_both(draft), cache_line_bytes);
    const int64_t alignment = std::max(alignment_of(source_of(draft)), alignment_of(sink_of(draft)));
    auto owned = std::make_shared<std::vector<AlignedBuffer>>();
    for (void *buffer : shared_buffers(draft)) {
        if (buffer) {
            advise_huge_pages(buffer, bytes_of_both(draft));
        } else {
            try {
                owned->emplace_back(bytes, alignment);
            } catch (const std::exception &) {
                const Error error = current_error();
                fail(error.code(), "transfer '{}', buffers of both ends in place: {}", draft.matched->name,
                     error.what());
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
    return checked_mul(bytes_of_both(draft), std::count(buffers.begin(), buffers.end(), nullptr));
}

void give_room_in_place(DraftTransfer &draft) { give_room(draft, share_bytes(draft)); }

bool fit_in_place(DraftTransfer &draft) {
    give_least_room_in_place(draft);
    DraftTransfer::Flow &flow = draft.flows.front();
    const MessageRoom least = flow.room;
    give_room_in_place(draft);
    const auto fit = [](int64_t &places, int64_t fewest, const Endpoint &end, const auto &needs) {
        while (needs() > end.declaration().attributes.workspace_limit)
            if (--places < fewest)
                return false;
        return true;
    };
    // What is left after the fewest messages goes to blocks.
    const int64_t limit = source_of(draft).declaration().attributes.workspace_limit;
    if (flow.room.block_bytes > 0 && source_needs(draft).workspace() > limit) {
        MessageRoom few = flow.room;
        few.sends_in_place = least.sends_in_place;
        few.block_bytes = least.block_bytes;
        const PlaceRule &rule = *flow.plan->in_place;
        const int64_t blocks = arranging_bytes(rule.before, rule.after, few.block_bytes);
        const int64_t block =
            arranging_block(rule.before, rule.after, limit - send_room_bytes(*flow.plan, few) + blocks);
        if (arranging_bytes(rule.before, rule.after, block) <
            arranging_bytes(rule.before, rule.after, flow.room.block_bytes))
            flow.room.block_bytes = block;
    }
    return fit(flow.room.sends_in_place, least.sends_in_place, source_of(draft),
               [&] { return source_needs(draft).workspace(); }) &&
           fit(flow.room.receives_in_place, least.receives_in_place, sink_of(draft),
               [&] { return sink_needs(draft, flow, {}).workspace(); });
}

void give_least_room_in_place(DraftTransfer &draft) { give_room(draft, 0); }

bool prefers_arranged(const DraftTransfer &draft, SharedPlans &plans) {
    if (!in_place(draft) || draft.flows.empty() || draft.halvings != as_it_lies)
        return false;
    const auto limited = [](const Endpoint &end) {
        return end.declaration().attributes.workspace_limit != no_limit;
    };
    if (limited(source_of(draft)) && limited(sink_of(draft)))
        return false;
    DraftTransfer now = with_plans(draft, as_it_lies, plans);
    give_room_in_place(now);
    const int64_t bytes = workspace_of(now), mark = share_bytes(draft);
    if (bytes <= mark)
        return false;
    DraftTransfer then = with_plans(draft, arranged, plans);
    give_room_in_place(then);
    const int64_t other = workspace_of(then);
    return other <= mark || other < bytes / 4 * 3;
}

} // namespace dri
