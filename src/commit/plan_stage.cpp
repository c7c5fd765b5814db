// Plans each flow of a transfer, and checks the user's buffers of all its endpoints together.
#include "commit/plan_stage.hpp"

#include "commit/in_place_buffers.hpp"
#include "commit/stream.hpp"
#include "commit/user_buffers.hpp"
#include "commit/window.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"
#include "planner/planner.hpp"
#include "planner/side.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// Only for the keys of SharedPlans: what a plan depends on, with the distribution as its digest.
void put(Writer &out, const planner::Side &side) {
    put(out, side.dist->id());
    out.put(static_cast<int64_t>(side.layouts.size()));
    for (const model::Layout &layout : side.layouts)
        model::put(out, layout);
    out.put(side.scale);
    model::put(out, side.strips);
}

} // namespace

// A plan is a pure function of the sides, the options and the rank. The rank and the node map are the same
// throughout a commit, so they are not part of the key.
std::shared_ptr<const plan::Plan> SharedPlans::get(const MatchedTransfer &transfer, size_t sink, int halvings,
                                                   planner::PlanFor made_for) {
    planner::PlanOptions options = transfer.options;
    options.halvings = halvings;
    // Only tests set messages below the minimum.
    options.min_table_bytes = options.message_bytes < min_message_bytes ? 0 : min_table_message_bytes;
    options.made_for = options.in_place ? planner::PlanFor::frames : made_for;
    if (transfer.drops[sink]) // a sink that reads the source's buffer itself would hold the source back
        options.self_way = options.direct_way = false;
    Writer key;
    put(key, transfer.source);
    put(key, transfer.sinks[sink]);
    key.put(options.message_bytes).put(options.chunk_bytes).put(options.self_way).put(options.direct_way);
    key.put(options.made_for).put(options.halvings).put(options.in_place).put(options.compact).put(options.notes);
    key.put(options.gathering.plain_copies).put(options.gathering.even_tables);
    auto &known = plans_[digest(key.take())];
    std::shared_ptr<const plan::Plan> plan = known.lock();
    if (!plan)
        known = plan = std::make_shared<const plan::Plan>(
            planner::make_plan(transfer.source, transfer.sinks[sink], options, rank_, *transfer.nodes));
    return plan;
}

// Plans every flow of which this process holds the source or the sink. Pullers are numbered through all flows. The
// user's buffers are read where they lie only if all pullers of all sinks can read them in long pieces: otherwise
// the frame is copied into shared memory anyway, and that copy serves every puller.
Planned plan_stage(const MatchedTransfer &matched, std::span<const std::shared_ptr<Endpoint>> mine,
                   SharedPlans &plans, const KnownMemory &memory) {
    const auto find_endpoint = [&](Role role, const planner::Side &side) -> std::shared_ptr<Endpoint> {
        for (const auto &endpoint : mine) {
            const Declaration &d = endpoint->declaration();
            if (d.name == matched.name && d.role == role && d.dist->id() == side.dist->id())
                return endpoint;
        }
        return nullptr;
    };
    Planned planned;
    planned.matched = &matched;
    planned.source_endpoint = find_endpoint(Role::source, matched.source);
    const Endpoint *const source = planned.source_endpoint.get();
    bool can_read = true; // all pullers can read this process's memory, in long pieces
    for (size_t k = 0; k < matched.sinks.size(); ++k) {
        PlannedFlow flow{.sink = k, .plan = nullptr, .endpoint = find_endpoint(Role::sink, matched.sinks[k])};
        if (!source && !flow.endpoint)
            continue;
        flow.plan = plans.get(matched, k);
        flow.first_puller = planned.pullers;
        planned.pullers += std::ssize(flow.plan->pullers);
        for (const plan::Puller &puller : flow.plan->pullers)
            can_read = can_read && puller.long_pieces &&
                       memory.readable[static_cast<size_t>(puller.peer)] ==
                           memory.readable[static_cast<size_t>(matched.rank)];
        flow.headers = header_peers(matched, k, source, flow.endpoint.get());
        flow.drop = drop_peers(matched, k, source, flow.endpoint.get());
        planned.flows.push_back(std::move(flow));
    }
    add_windows(planned);
    check_sizes(planned, memory.user);
    check_one_buffer(planned);
    if (in_place(planned)) {
        if (planned.flows.empty())
            return planned;
        check_shared_buffers(planned);
        if (planned.pullers > 0)
            planned.elsewhere = find_elsewhere(shared_buffers(planned).given, memory.user, false);
        return planned;
    }
    check_apart(planned);
    if (source && planned.pullers > 0) {
        const bool reads = can_read && are_readable(*source, memory.user);
        planned.elsewhere = find_elsewhere(source->declaration().buffers, memory.user, reads);
        if (source->declaration().attributes.rebind)
            planned.moving = reads ? transport::Moving::read : transport::Moving::copied;
    }
    return planned;
}

int max_halvings(const Planned &planned) { return in_place(planned) ? 0 : planner::max_halvings; }

Planned with_halvings(Planned planned, int halvings, SharedPlans &plans, planner::PlanFor made_for) {
    planned.halvings = halvings;
    for (PlannedFlow &flow : planned.flows)
        flow.plan = plans.get(*planned.matched, flow.sink, halvings, made_for);
    return planned;
}

Planned without_plans(Planned planned) {
    for (PlannedFlow &flow : planned.flows)
        flow.plan = nullptr;
    return planned;
}

} // namespace dri::commit
