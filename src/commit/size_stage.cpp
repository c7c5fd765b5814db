// Chooses how much memory messages receive. A query reports the layouts that are made here, and a commit reserves
// them.
#include "commit/size_stage.hpp"

#include "commit/in_place_buffers.hpp"
#include "commit/in_place_staging.hpp"
#include "commit/sized_memory.hpp"
#include "commit/stream.hpp"
#include "commit/workspace_limit.hpp"
#include "exec/drop_control.hpp"
#include "exec/header_channel.hpp"
#include "exec/lane_layout.hpp"
#include "model/distribution.hpp"
#include "plan/plan.hpp"
#include "planner/plan_options.hpp"
#include "transport/exchange_spec.hpp"

#include <algorithm>
#include <numeric>

namespace dri::commit {

namespace {

using transport::unlimited_credits;

BufferLayout buffers_of(const Endpoint &endpoint) {
    const Declaration &d = endpoint.declaration();
    return {.given = d.buffers,
            .part_bytes = endpoint.buffer_bytes(),
            .reserved_bytes = endpoint.reserved_bytes(),
            .strips = endpoint.strips_together(),
            .alignment = d.dist->gdo().type.alignment};
}

// All memory except that of messages.
Sized without_messages(Planned planned) {
    Sized sized{std::move(planned)};
    const Planned &from = sized.planned;
    if (in_place(from)) {
        sized.flows.resize(from.flows.size());
        sized.source = shared_buffers(from);
        sized.source->pullers = from.pullers;
        sized.source->elsewhere = from.elsewhere;
        return sized;
    }
    if (from.source_endpoint) {
        sized.source = buffers_of(*from.source_endpoint);
        sized.source->pullers = from.pullers;
        sized.source->elsewhere = from.elsewhere;
        sized.source->moving = from.moving;
        sized.source->headers = sends_headers(from);
    }
    sized.flows.reserve(from.flows.size());
    for (const PlannedFlow &flow : from.flows) {
        SizedFlow &made = sized.flows.emplace_back();
        made.headers = exec::header_layout(flow.headers);
        made.drop = exec::drop_layout(flow.drop);
        if (flow.endpoint) {
            made.sink = buffers_of(*flow.endpoint);
            made.sink->headers = flow.headers.in_sink;
        }
    }
    return sized;
}

// A flow that drops frames always has memory for the messages of whole frames: the source must be able to pack one
// without waiting for the sink.
void set_sends(Sized &sized, int64_t frames, int64_t per_receiver, bool dense = false) {
    for (size_t f = 0; f < sized.flows.size(); ++f) {
        const PlannedFlow &flow = sized.planned.flows[f];
        exec::StagingBudget budget{.frames = frames, .per_receiver = per_receiver, .dense = dense};
        if (flow.drop.drops)
            budget = {.frames = exec::drop_frames_under_way};
        sized.flows[f].link.sends = exec::send_layout(*flow.plan, budget);
    }
}

void set_receives(Sized &sized, size_t f, int64_t per_sender, bool dense = false) {
    sized.flows[f].link.receives =
        exec::receive_layout(*sized.planned.flows[f].plan, {.per_sender = per_sender, .dense = dense});
}

bool are_shortest(const Planned &planned) { return planned.halvings == max_halvings(planned); }

// Each frame whose messages have memory of their own has an exchange, which takes 1.3 KB and some bytes a message.
// Nobody is so far ahead that more would help.
constexpr int64_t max_message_frames = 4096;

// Memory for as many whole frames as fit, at most one for each buffer. If less than one frame fits, memory for as
// many messages of each receiver as fit; the frame is then sent in rounds. Both numbers are found by bisection,
// because the memory grows with them.
bool fit_source(Sized &sized) {
    const Endpoint &source = *sized.planned.source_endpoint;
    const int64_t max_frames = std::min<int64_t>(source.declaration().num_buffers(), max_message_frames);
    const auto fits_with = [&](int64_t frames, int64_t per_receiver) {
        set_sends(sized, frames, per_receiver);
        return fits(source, sized);
    };
    if (fits_with(max_frames, unlimited_credits))
        return true;
    int64_t low = 0, high = max_frames; // `low` frames fit, `high` frames do not
    while (high - low > 1)
        (fits_with(std::midpoint(low, high), unlimited_credits) ? low : high) = std::midpoint(low, high);
    if (low > 0)
        return fits_with(low, unlimited_credits);
    if (!fits_with(0, 1)) {
        if (!are_shortest(sized.planned))
            return false;
        set_sends(sized, 0, 1, true);
        return fits(source, sized);
    }
    low = 1, high = 2;
    for (const PlannedFlow &flow : sized.planned.flows)
        high = std::max(high, std::ssize(flow.plan->sends) + 1);
    while (high - low > 1)
        (fits_with(0, std::midpoint(low, high)) ? low : high) = std::midpoint(low, high);
    return fits_with(0, low);
}

// Two messages of half the length are better than one: the second arrives while the first is unpacked. The sink
// therefore accepts memory for only one message of each sender if messages cannot become shorter.
bool fit_sink(Sized &sized, size_t f) {
    const int64_t full = exec::StagingBudget{}.per_sender;
    const bool shortest = are_shortest(sized.planned);
    for (int64_t per_sender = full; per_sender >= (shortest ? 1 : full); --per_sender) {
        set_receives(sized, f, per_sender);
        if (fits(*sized.planned.flows[f].endpoint, sized))
            return true;
    }
    if (!shortest)
        return false;
    set_receives(sized, f, 1, true);
    return fits(*sized.planned.flows[f].endpoint, sized);
}

bool fit_sinks(Sized &sized) {
    for (size_t f = 0; f < sized.flows.size(); ++f)
        if (sized.planned.flows[f].endpoint && !fit_sink(sized, f))
            return false;
    return true;
}

// One slot for each peer, as short as can be, on both sides; in place what messages need at once. Flows that drop
// frames keep their memory, see set_sends().
void set_minimum(Sized &sized) {
    if (in_place(sized.planned)) {
        const plan::Plan &plan = *sized.planned.flows.front().plan;
        sized.flows.front().link = exec::link_layout(
            plan, min_in_place_staging(plan, sized.source->count(), uses_buffers(plan, *sized.source)));
        return;
    }
    set_sends(sized, 0, 1, true);
    for (size_t f = 0; f < sized.flows.size(); ++f)
        set_receives(sized, f, 1, true);
}

Sized minimum(Planned planned) {
    Sized sized = without_messages(std::move(planned));
    set_minimum(sized);
    return sized;
}

// The length of messages for which the source needs the least memory. Usually the shortest messages do. If a sink
// drops frames, the source has memory for whole frames instead. Shorter messages then need more memory in total,
// because each message starts at a cache line. The optimum may lie between, so all lengths are tried with which
// this process's sinks fit into their limits, from `first` halvings on.
Sized minimum_of_source(const Planned &planned, int first, SharedPlans &plans) {
    using planner::PlanFor;
    Sized smallest = minimum(with_halvings(planned, max_halvings(planned), plans, PlanFor::lengths));
    if (!planned.source_endpoint || in_place(planned) ||
        std::none_of(planned.flows.begin(), planned.flows.end(),
                     [](const PlannedFlow &flow) { return flow.drop.drops; }))
        return smallest;
    for (int halvings = first; halvings < max_halvings(planned); ++halvings) {
        Sized sized = without_messages(with_halvings(planned, halvings, plans, PlanFor::lengths));
        if (!fit_sinks(sized))
            continue;
        set_minimum(sized);
        if (source_memory(sized).workspace() < source_memory(smallest).workspace())
            smallest = std::move(sized);
    }
    return smallest;
}

// Both endpoints should keep to one P-th of their buffer. In a square corner turn this suffices for messages.
Sized size_in_place(Planned planned) {
    Sized sized = without_messages(std::move(planned));
    const Planned &from = sized.planned;
    const plan::Plan &plan = *from.flows.front().plan;
    const BufferLayout &buffers = *sized.source;
    const InPlaceMemory allowed{.quota = buffers.part_bytes / from.matched->source.dist->group().size(),
                                .source_limit = limit_of(*from.source_endpoint),
                                .sink_limit = limit_of(*from.flows.front().endpoint),
                                .in_buffer = uses_buffers(plan, buffers)};
    const auto staging = in_place_staging(plan, buffers.count(), allowed);
    if (!staging) {
        set_minimum(sized);
        fail_beyond_limit(sized, sized);
    }
    sized.flows.front().link = exec::link_layout(plan, *staging);
    return sized;
}

} // namespace

Sized size_stage(Planned planned, SharedPlans &plans) {
    if (in_place(planned))
        return size_in_place(std::move(planned));
    const int first = planned.halvings;
    Sized sized = without_messages(std::move(planned));
    while (!((!sized.planned.source_endpoint || fit_source(sized)) && fit_sinks(sized))) {
        const int halvings = sized.planned.halvings;
        if (halvings == max_halvings(sized.planned))
            fail_beyond_limit(minimum(sized.planned), minimum_of_source(sized.planned, first, plans));
        for (SizedFlow &flow : sized.flows) // the next plan needs memory itself
            flow.link.sends = {}, flow.link.receives = {};
        sized.planned = with_halvings(std::move(sized.planned), halvings + 1, plans);
    }
    return sized;
}

Sized size_minimum(const Endpoint &endpoint, const Planned &planned, SharedPlans &plans) {
    if (planned.source_endpoint.get() == &endpoint)
        return minimum_of_source(planned, planned.halvings, plans);
    return minimum(with_halvings(planned, max_halvings(planned), plans, planner::PlanFor::lengths));
}

Planned with_tiles(Planned planned, const ReadSources &sources) {
    for (PlannedFlow &flow : planned.flows) {
        if (flow.tile_bytes)
            fail(DRI_ERR_INTERNAL, "transfer '{}': the memory for tiles is told twice", planned.matched->name);
        flow.tile_bytes = 0;
        if (!flow.endpoint || sources.empty())
            continue;
        const int64_t tag = planned.matched->tags[flow.sink];
        const auto is_read = [&](int peer) { return sources.contains({peer, tag}); };
        const Attributes &attributes = flow.endpoint->declaration().attributes;
        flow.tile_bytes = exec::tile_bytes(*flow.plan, is_read, attributes.threads, attributes.share_bytes);
    }
    return planned;
}

} // namespace dri::commit
