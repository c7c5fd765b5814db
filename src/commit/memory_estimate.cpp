// Estimates of workspace, and the staging budgets that keep it within the user's limits. An estimate must equal
// what the running transfer reports as its workspace: queries and limits rely on it.
#include "commit/memory_estimate.hpp"

#include "base/checked.hpp"
#include "commit/in_place.hpp"
#include "commit/stream.hpp"
#include "exec/drop_control.hpp"
#include "exec/lane_layout.hpp"
#include "exec/plan_bytes.hpp"
#include "exec/team_copies.hpp"
#include "model/distribution.hpp"
#include "plan/plan.hpp"
#include "planner/planner.hpp"
#include "transport/transport.hpp"

#include <algorithm>
#include <numeric>

namespace dri::commit {

namespace {

int64_t library_buffer_bytes(const Endpoint &endpoint) {
    const auto &buffers = endpoint.declaration().buffers;
    return checked_mul(endpoint.reserved_bytes(), std::count(buffers.begin(), buffers.end(), nullptr));
}

// A flow that drops frames always has staging for whole frames: the source must be able to pack one without
// waiting for the sink.
void set_source_staging(DraftTransfer &draft, int64_t frames, int64_t per_receiver) {
    for (DraftTransfer::Flow &flow : draft.flows) {
        if (flow.drop.drops) {
            flow.staging = {.frames = exec::drop_frames_under_way, .per_sender = flow.staging.per_sender};
            continue;
        }
        flow.staging.frames = frames;
        flow.staging.per_receiver = per_receiver;
    }
}

// Staging for as many whole frames as fit, at most one for each buffer. If less than one frame fits, staging for
// as many messages of each receiver as fit; the frame is then sent in rounds. Both numbers are found by bisection,
// because the estimate grows with them.
bool fit_source(DraftTransfer &draft) {
    const int64_t limit = limit_of(*draft.source_endpoint);
    const auto fits = [&](int64_t frames, int64_t per_receiver) {
        set_source_staging(draft, frames, per_receiver);
        return source_estimate(draft).workspace() <= limit;
    };
    const auto nbuffs = std::ssize(draft.source_endpoint->declaration().buffers);
    if (fits(nbuffs, transport::unlimited_credits))
        return true;
    int64_t low = 0, high = nbuffs; // `low` frames fit, `high` frames do not
    while (high - low > 1)
        (fits(std::midpoint(low, high), transport::unlimited_credits) ? low : high) = std::midpoint(low, high);
    if (low > 0)
        return fits(low, transport::unlimited_credits);
    if (!fits(0, 1))
        return false;
    low = 1, high = 2;
    for (const DraftTransfer::Flow &flow : draft.flows)
        high = std::max(high, std::ssize(flow.plan->sends) + 1);
    while (high - low > 1)
        (fits(0, std::midpoint(low, high)) ? low : high) = std::midpoint(low, high);
    return fits(0, low);
}

// Two messages of half the length are better than one: the second arrives while the first is unpacked. The sink
// therefore accepts staging for only one message of each sender if messages cannot become shorter.
bool fit_sink(const DraftTransfer &draft, DraftTransfer::Flow &flow, const ReadSources &sources) {
    const int64_t min_per_sender = draft.halvings < planner::max_halvings ? exec::StagingBudget{}.per_sender : 1;
    for (flow.staging.per_sender = exec::StagingBudget{}.per_sender; flow.staging.per_sender >= min_per_sender;
         --flow.staging.per_sender)
        if (sink_estimate(draft, flow, sources).workspace() <= limit_of(*flow.endpoint))
            return true;
    return false;
}

bool fit_sinks(DraftTransfer &draft, const ReadSources &sources) {
    return std::all_of(draft.flows.begin(), draft.flows.end(), [&](DraftTransfer::Flow &flow) {
        return !flow.endpoint || fit_sink(draft, flow, sources);
    });
}

// The endpoint's name in a message: its role, and its distribution if this process is in several sinks.
std::string name_of(const Endpoint &endpoint, const DraftTransfer &draft) {
    const Declaration &d = endpoint.declaration();
    const auto sinks = std::count_if(draft.flows.begin(), draft.flows.end(),
                                     [](const DraftTransfer::Flow &flow) { return flow.endpoint != nullptr; });
    return d.role == Role::sink && sinks > 1 ? fmt::format("sink ({})", model::to_text(*d.dist))
                                             : role_name(d.role);
}

} // namespace

int64_t limit_of(const Endpoint &endpoint) { return endpoint.declaration().attributes.workspace_limit; }

int64_t plan_bytes_of(const Endpoint &endpoint, const DraftTransfer &draft) {
    int64_t of_source = 0;
    for (const DraftTransfer::Flow &flow : draft.flows) {
        const exec::HeldBytes held = exec::plan_bytes(*flow.plan);
        if (flow.endpoint.get() == &endpoint)
            return held.sink;
        of_source += held.source;
    }
    return of_source;
}

// The user's buffers are copied to shared memory only if they are shared with pullers that do not read them where
// they lie.
MemoryEstimate source_estimate(const DraftTransfer &draft) {
    const auto &buffers = draft.source_endpoint->declaration().buffers;
    MemoryEstimate estimate;
    estimate.buffers = in_place(draft) ? shared_buffer_bytes(draft) : library_buffer_bytes(*draft.source_endpoint);
    estimate.messages = source_header_bytes(draft);
    for (const DraftTransfer::Flow &flow : draft.flows)
        estimate.messages = checked_add(estimate.messages, exec::send_layout(*flow.plan, flow.staging).bytes());
    if (draft.pullers > 0 && draft.elsewhere.empty())
        estimate.copies = checked_mul(draft.source_endpoint->buffer_bytes(),
                                      std::ssize(buffers) - std::count(buffers.begin(), buffers.end(), nullptr));
    return estimate;
}

// The layouts are those that the running transfer is made from.
MemoryEstimate sink_estimate(const DraftTransfer &draft, const DraftTransfer::Flow &flow,
                             const ReadSources &sources) {
    const Attributes &attributes = flow.endpoint->declaration().attributes;
    MemoryEstimate estimate;
    estimate.buffers = in_place(draft) ? 0 : library_buffer_bytes(*flow.endpoint);
    exec::LinkLayout layout;
    layout.receives = exec::receive_layout(*flow.plan, flow.staging);
    const auto is_read = [&](int peer) { return sources.contains({peer, draft.matched->tags[flow.sink]}); };
    layout.add_scratch(*flow.plan, is_read, attributes.threads, attributes.share_bytes);
    estimate.messages = checked_add(layout.receives.bytes(), sink_header_bytes(flow));
    estimate.tiles = layout.scratch_bytes;
    return estimate;
}

bool fit_into_limits(DraftTransfer &draft, const ReadSources &sources) {
    return (!draft.source_endpoint || fit_source(draft)) && fit_sinks(draft, sources);
}

DraftTransfer with_min_staging(const DraftTransfer &draft, int halvings, SharedPlans &plans) {
    DraftTransfer smallest = with_plans(draft, halvings, plans);
    give_min_staging(smallest);
    return smallest;
}

// Usually the shortest messages need the least memory. If a sink drops frames, the source has staging for whole
// frames instead. Shorter messages then need more memory in total, because each message starts at a cache line.
// The optimum may lie between, so all lengths are tried.
DraftTransfer with_min_source(const DraftTransfer &draft, int first, SharedPlans &plans,
                              const ReadSources &sources) {
    DraftTransfer smallest = with_min_staging(draft, draft.max_halvings, plans);
    if (!draft.source_endpoint || in_place(draft) ||
        std::none_of(draft.flows.begin(), draft.flows.end(),
                     [](const DraftTransfer::Flow &flow) { return flow.drop.drops; }))
        return smallest;
    for (int halvings = first; halvings < draft.max_halvings; ++halvings) {
        DraftTransfer other = with_plans(draft, halvings, plans);
        if (!fit_sinks(other, sources))
            continue;
        give_min_staging(other);
        if (source_estimate(other).workspace() < source_estimate(smallest).workspace())
            smallest = std::move(other);
    }
    return smallest;
}

// The message gives the smallest limit that suffices, so the user can set it at once.
void fail_beyond_limit(const DraftTransfer &smallest, const DraftTransfer &by_source, const ReadSources &sources) {
    const Endpoint *closest = nullptr;
    MemoryEstimate needed;
    int64_t min_excess = INT64_MAX;
    const auto check = [&](const Endpoint &endpoint, const MemoryEstimate &estimate) {
        const int64_t excess = estimate.workspace() - limit_of(endpoint);
        if (excess <= 0 || excess >= min_excess)
            return;
        closest = &endpoint;
        needed = estimate;
        min_excess = excess;
    };
    if (by_source.source_endpoint)
        check(*by_source.source_endpoint, source_estimate(by_source));
    for (const DraftTransfer::Flow &flow : smallest.flows)
        if (flow.endpoint)
            check(*flow.endpoint, sink_estimate(smallest, flow, sources));
    if (!closest)
        fail(DRI_ERR_INTERNAL,
             "transfer '{}' was found to exceed a workspace limit, but none of its endpoints does",
             smallest.matched->name);
    const Declaration &d = closest->declaration();
    fail(DRI_ERR_LIMIT,
         "transfer '{}': the {} of process {} has DRI_ATTR_WORKSPACE_LIMIT {}, but it needs at least {} bytes: "
         "{} for messages, {} for copies of buffers, {} for tiles",
         d.name, name_of(*closest, smallest), smallest.flows.front().plan->rank, d.attributes.workspace_limit,
         needed.workspace(), needed.messages, needed.copies, needed.tiles);
}

// One slot for each peer, on both sides. Flows that drop frames keep their staging, see set_source_staging().
void give_min_staging(DraftTransfer &draft) {
    if (in_place(draft)) {
        if (!draft.flows.empty())
            give_min_staging_in_place(draft);
        return;
    }
    set_source_staging(draft, 0, 1);
    for (DraftTransfer::Flow &flow : draft.flows)
        flow.staging.per_sender = 1;
}

} // namespace dri::commit
