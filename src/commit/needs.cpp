#include "commit/needs.hpp"

#include "base/checked.hpp"
#include "commit/in_place.hpp"
#include "commit/stream.hpp"

#include <algorithm>
#include <numeric>

namespace dri {

namespace {

int64_t library_buffer_bytes(const Endpoint &end) {
    const auto &buffers = end.declaration().buffers;
    return checked_mul(end.reserved_bytes(), std::count(buffers.begin(), buffers.end(), nullptr));
}

void set_source_room(DraftTransfer &draft, int64_t frames, int64_t per_receiver) {
    for (DraftTransfer::Flow &flow : draft.flows) {
        if (flow.drop.drops) {
            flow.room = {.frames = DropLine::frames_under_way, .per_sender = flow.room.per_sender};
            continue;
        }
        flow.room.frames = frames;
        flow.room.per_receiver = per_receiver;
    }
}

// As many whole frames as there are buffers, or fewer; else as many messages of each receiver as fit.
bool fit_source(DraftTransfer &draft) {
    const int64_t limit = limit_of(*draft.source_end);
    const auto fits = [&](int64_t frames, int64_t per_receiver) {
        set_source_room(draft, frames, per_receiver);
        return source_needs(draft).workspace() <= limit;
    };
    const auto nbuffs = std::ssize(draft.source_end->declaration().buffers);
    if (fits(nbuffs, Transport::no_window))
        return true;
    int64_t low = 0, high = nbuffs; // frames that fit, that do not
    while (high - low > 1)
        (fits(std::midpoint(low, high), Transport::no_window) ? low : high) = std::midpoint(low, high);
    if (low > 0)
        return fits(low, Transport::no_window);
    if (!fits(0, 1))
        return false;
    low = 1, high = 2;
    for (const DraftTransfer::Flow &flow : draft.flows)
        high = std::max(high, std::ssize(flow.plan->sends) + 1);
    while (high - low > 1)
        (fits(0, std::midpoint(low, high)) ? low : high) = std::midpoint(low, high);
    return fits(0, low);
}

// Two messages of half the length are better than one: the next one comes while the first is unpacked.
bool fit_sink(const DraftTransfer &draft, DraftTransfer::Flow &flow, const ReadSources &sources) {
    const int64_t least = draft.choice.halvings < most_halvings ? MessageRoom{}.per_sender : 1;
    for (flow.room.per_sender = MessageRoom{}.per_sender; flow.room.per_sender >= least; --flow.room.per_sender)
        if (sink_needs(draft, flow, sources).workspace() <= limit_of(*flow.end))
            return true;
    return false;
}

bool fit_sinks(DraftTransfer &draft, const ReadSources &sources) {
    return std::all_of(draft.flows.begin(), draft.flows.end(),
                       [&](DraftTransfer::Flow &flow) { return !flow.end || fit_sink(draft, flow, sources); });
}

// By its distribution, where there are several.
std::string name_of(const Endpoint &end, const DraftTransfer &draft) {
    const Declaration &d = end.declaration();
    const auto sinks = std::count_if(draft.flows.begin(), draft.flows.end(),
                                     [](const DraftTransfer::Flow &flow) { return flow.end != nullptr; });
    return d.role == Role::sink && sinks > 1 ? fmt::format("sink ({})", to_text(*d.dist)) : role_name(d.role);
}

} // namespace

int64_t limit_of(const Endpoint &end) { return end.declaration().attributes.workspace_limit; }

Needs source_needs(const DraftTransfer &draft) {
    const auto &buffers = draft.source_end->declaration().buffers;
    Needs needs;
    needs.buffers = in_place(draft) ? shared_buffer_bytes(draft) : library_buffer_bytes(*draft.source_end);
    needs.messages = source_header_bytes(draft);
    for (const DraftTransfer::Flow &flow : draft.flows)
        needs.messages = checked_add(needs.messages, send_room_bytes(*flow.plan, flow.room));
    if (draft.takers > 0 && draft.elsewhere.empty())
        needs.copies = checked_mul(draft.source_end->buffer_bytes(),
                                   std::ssize(buffers) - std::count(buffers.begin(), buffers.end(), nullptr));
    return needs;
}

Needs sink_needs(const DraftTransfer &draft, const DraftTransfer::Flow &flow, const ReadSources &sources) {
    const Attributes &attributes = flow.end->declaration().attributes;
    Needs needs;
    needs.buffers = in_place(draft) ? 0 : library_buffer_bytes(*flow.end);
    needs.messages = checked_add(receive_room_bytes(*flow.plan, flow.room), sink_header_bytes(flow));
    for (const Pull &pull : flow.plan->pulls)
        if (sources.contains({pull.peer, draft.matched->tags[flow.sink]}))
            needs.tiles = std::max(needs.tiles,
                                   remote_scratch_bytes(pull.copies, attributes.threads, attributes.share_bytes));
    return needs;
}

bool fit_into_limits(DraftTransfer &draft, const ReadSources &sources) {
    return (!draft.source_end || fit_source(draft)) && fit_sinks(draft, sources);
}

DraftTransfer with_least_room(const DraftTransfer &draft, const PlanChoice &choice, SharedPlans &plans) {
    DraftTransfer least = with_plans(draft, choice, plans);
    give_least_room(least);
    return least;
}

// Where a sink drops frames, the source has memory for whole ones, of which shorter messages take more: each
// begins at a cache line.
DraftTransfer with_least_source(const DraftTransfer &draft, const PlanChoice &first, SharedPlans &plans,
                                const ReadSources &sources) {
    DraftTransfer least = with_least_room(draft, draft.least, plans);
    if (!draft.source_end || in_place(draft) ||
        std::none_of(draft.flows.begin(), draft.flows.end(),
                     [](const DraftTransfer::Flow &flow) { return flow.drop.drops; }))
        return least;
    for (PlanChoice choice = first; choice.halvings < draft.least.halvings; ++choice.halvings) {
        DraftTransfer other = with_plans(draft, choice, plans);
        if (!fit_sinks(other, sources))
            continue;
        give_least_room(other);
        if (source_needs(other).workspace() < source_needs(least).workspace())
            least = std::move(other);
    }
    return least;
}

void fail_beyond_limit(const DraftTransfer &least, const DraftTransfer &by_source, const ReadSources &sources) {
    const Endpoint *lacking = nullptr;
    Needs its;
    int64_t lack = INT64_MAX;
    const auto check = [&](const Endpoint &end, const Needs &needs) {
        const int64_t lacks = needs.workspace() - limit_of(end);
        if (lacks <= 0 || lacks >= lack)
            return;
        lacking = &end;
        its = needs;
        lack = lacks;
    };
    if (by_source.source_end)
        check(*by_source.source_end, source_needs(by_source));
    for (const DraftTransfer::Flow &flow : least.flows)
        if (flow.end)
            check(*flow.end, sink_needs(least, flow, sources));
    if (!lacking)
        fail(DRI_ERR_INTERNAL, "transfer '{}' does not fit into its limits, but does", least.matched->name);
    const Declaration &d = lacking->declaration();
    fail(DRI_ERR_LIMIT,
         "transfer '{}': the {} of process {} has DRI_ATTR_WORKSPACE_LIMIT {}, but the smallest that would do is "
         "{} bytes: {} for messages, {} for copies of buffers, {} for tiles",
         d.name, name_of(*lacking, least), least.flows.front().plan->rank, d.attributes.workspace_limit,
         its.workspace(), its.messages, its.copies, its.tiles);
}

void give_least_room(DraftTransfer &draft) {
    if (in_place(draft)) {
        if (!draft.flows.empty())
            give_least_room_in_place(draft);
        return;
    }
    set_source_room(draft, 0, 1);
    for (DraftTransfer::Flow &flow : draft.flows)
        flow.room.per_sender = 1;
}

} // namespace dri
