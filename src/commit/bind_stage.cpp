// Makes lanes, channels and the running transfer from layouts and buffers.
#include "commit/bind_stage.hpp"

#include "commit/reserve_for.hpp"
#include "commit/sized_memory.hpp"
#include "plan/plan.hpp"
#include "transport/transport.hpp"

#include <algorithm>
#include <utility>

namespace dri::commit {

namespace {

exec::Team make_team(const Endpoint &endpoint, const Binder &binder) {
    const Declaration &d = endpoint.declaration();
    const Attributes &a = d.attributes;
    const auto get = [&] { return binder.pool.get(a.threads, binder.transport->crowded()); };
    return {reserve_for(get, "transfer '{}', {} threads of the {}", d.name, a.threads, role_name(d.role)),
            a.threads, a.share_bytes};
}

bool measures(const Endpoint &endpoint) { return endpoint.declaration().attributes.measure != 0; }

// Opens the sources that this process pulls from, one view for each. With strips a peer has one pull for each
// strip, and all of them use the same view.
exec::DirectEndpoints direct_endpoints(const Reserved &reserved, const PlannedFlow &flow,
                                       const SourceHandles &handles,
                                       const std::shared_ptr<transport::OpenedMemory> &opened) {
    exec::DirectEndpoints direct{.tile_bytes = tile_bytes(flow)};
    if (!flow.plan->pullers.empty()) {
        direct.source = reserved.source->shared;
        direct.first_puller = flow.first_puller;
    }
    const auto strips = static_cast<size_t>(plan::count_strips(*flow.plan));
    for (size_t i = 0; i < flow.plan->pulls.size(); i += strips) {
        const plan::Pull &pull = flow.plan->pulls[i];
        const auto handle = handles.find({pull.peer, reserved.sized.planned.matched->tags[flow.sink]});
        if (handle == handles.end())
            fail(DRI_ERR_INTERNAL, "process {} has not sent the memory handle of its buffers", pull.peer);
        const auto open = [&] { direct.views.emplace_back(handle->second, opened); };
        reserve_for(open, "the source of process {} (DRI_WAYS=self,message avoids its memory)", pull.peer);
    }
    return direct;
}

// The buffers for which kernels are chosen, and whether they are measured there.
exec::FirstBuffers first_buffers(const Reserved &reserved, size_t f) {
    const Planned &planned = reserved.sized.planned;
    exec::FirstBuffers first;
    if (reserved.source) {
        first.source = reserved.source->buffer(0);
        first.source_measures = measures(*planned.source_endpoint);
    }
    if (reserved.sinks[f]) {
        first.sink = reserved.sinks[f]->buffer(0);
        first.sink_measures = measures(*planned.flows[f].endpoint);
    }
    return first;
}

// What the running transfer reports, from the layouts that the links are made of. message_frames limits how far
// the source runs ahead; a sink that takes every k-th frame needs k times as many for them. It stays unlimited if
// no flow sends messages, except to sinks that drop: these never hold the source back.
void set_numbers(Reserved &reserved) {
    const Sized &sized = reserved.sized;
    const Planned &planned = sized.planned;
    if (reserved.source) {
        reserved.source->memory = source_memory(sized);
        reserved.source->plan_bytes = plan_bytes_of(*planned.source_endpoint, sized);
    }
    for (size_t f = 0; f < sized.flows.size(); ++f) {
        const SizedFlow &flow = sized.flows[f];
        if (reserved.sinks[f]) {
            reserved.sinks[f]->memory = sink_memory(sized, f);
            reserved.sinks[f]->plan_bytes = plan_bytes_of(*planned.flows[f].endpoint, sized);
        }
        if (reserved.source && flow.link.sends.messages.exchanges > 0 && !flow.drop.drops)
            reserved.source->message_frames =
                std::min(reserved.source->message_frames,
                         flow.link.sends.frames * planned.matched->every[planned.flows[f].sink]);
    }
}

exec::Flow make_flow(Reserved &reserved, size_t f, const exec::Teams &teams, const SourceHandles &handles,
                     const Binder &binder) {
    const PlannedFlow &flow = reserved.sized.planned.flows[f];
    SizedFlow &sized = reserved.sized.flows[f];
    const MatchedTransfer &matched = *reserved.sized.planned.matched;
    transport::Transport &transport = *binder.transport;
    const int64_t tag = matched.tags[flow.sink];
    if (in_place(reserved.sized.planned))
        sized.link.sends.messages.spec.keeps = sized.link.receives.spec.keeps = reserved.source->owned;
    const auto make_link = [&] {
        return exec::Link({.plan = flow.plan,
                           .layout = std::move(sized.link),
                           .direct = direct_endpoints(reserved, flow, handles, binder.opened),
                           .teams = teams,
                           .first = first_buffers(reserved, f),
                           .tag = tag,
                           .headers = exec::HeaderChannel(sized.headers, transport, header_tag(tag)),
                           .every = matched.every[flow.sink],
                           .phase = matched.phase[flow.sink],
                           .drops = sized.drop.drops},
                          binder.chooser, transport);
    };
    const auto make_drop = [&] { return exec::DropControl(sized.drop, transport, drop_tag(tag)); };
    exec::Link link = reserve_for(make_link, "transfer '{}', messages and shared memory", matched.name);
    return {std::move(link), std::move(reserved.sinks[f]),
            reserve_for(make_drop, "transfer '{}', control messages of sinks that drop frames", matched.name)};
}

} // namespace

bool measures(const Planned &planned) {
    return (planned.source_endpoint && measures(*planned.source_endpoint)) ||
           std::any_of(planned.flows.begin(), planned.flows.end(),
                       [](const PlannedFlow &flow) { return flow.endpoint && measures(*flow.endpoint); });
}

Bound bind_stage(Reserved reserved, const SourceHandles &handles, const Binder &binder) {
    const Planned &planned = reserved.sized.planned;
    set_numbers(reserved);
    Bound bound;
    exec::Teams teams;
    if (planned.source_endpoint) {
        bound.members.push_back({planned.source_endpoint, 0});
        teams.source = reserved.source->team = make_team(*planned.source_endpoint, binder);
    }
    std::vector<exec::Flow> flows;
    for (size_t f = 0; f < planned.flows.size(); ++f) {
        teams.sink = {};
        if (const auto &endpoint = planned.flows[f].endpoint) {
            bound.members.push_back({endpoint, f});
            teams.sink = make_team(*endpoint, binder);
        }
        flows.push_back(make_flow(reserved, f, teams, handles, binder));
    }
    bound.transfer = std::make_shared<exec::LocalTransfer>(planned.matched->name, std::move(reserved.source),
                                                           std::move(flows), binder.transport);
    return bound;
}

} // namespace dri::commit
