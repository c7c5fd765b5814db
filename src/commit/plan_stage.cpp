// Plans each flow of a transfer, and checks the user's buffers of all its endpoints together.
#include "commit/plan_stage.hpp"

#include "commit/in_place_buffers.hpp"
#include "commit/stream.hpp"
#include "commit/window.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"
#include "planner/planner.hpp"
#include "planner/side.hpp"
#include "transport/remote_memory.hpp"

#include <unistd.h>

#include <algorithm>

namespace dri::commit {

namespace {

// The user's buffers of all endpoints of a name, to find those that share memory. Neighbours in the order of
// addresses are compared: if any two buffers overlap, two neighbours do.
class BufferMap {
public:
    void add(const Endpoint &endpoint) {
        const Declaration &d = endpoint.declaration();
        if (endpoint.buffer_bytes() == 0)
            return;
        for (size_t i = 0; i < d.buffers.size(); ++i)
            if (d.buffers[i])
                ranges_.push_back(
                    {static_cast<std::byte *>(d.buffers[i]), endpoint.buffer_bytes(), role_name(d.role), i});
    }

    void check(const std::string &name) {
        std::sort(ranges_.begin(), ranges_.end(),
                  [](const Range &a, const Range &b) { return a.begin < b.begin; });
        for (size_t i = 1; i < ranges_.size(); ++i) {
            const Range &a = ranges_[i - 1], &b = ranges_[i];
            if (b.begin - a.begin < a.bytes)
                fail(DRI_ERR_ARG, "transfer '{}': buffer {} of the {} and buffer {} of the {} share memory", name,
                     a.index, a.role, b.index, b.role);
        }
    }

private:
    struct Range {
        std::byte *begin;
        int64_t bytes;
        const char *role;
        size_t index;
    };
    std::vector<Range> ranges_;
};

// The addresses of the user's buffers, 0 for the library's. Empty if there are none of the user's, or if the
// system cannot read all of them for another process. Tested by reading them from this process in the same way.
std::vector<uint64_t> readable_addresses(const Endpoint &endpoint) {
    std::vector<uint64_t> addresses;
    for (const void *buffer : endpoint.declaration().buffers) {
        addresses.push_back(transport::address_of(buffer));
        if (buffer && !transport::can_read(getpid(), addresses.back(), endpoint.buffer_bytes()))
            return {};
    }
    const bool any = std::any_of(addresses.begin(), addresses.end(), [](uint64_t a) { return a != 0; });
    return any ? addresses : std::vector<uint64_t>{};
}

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
std::shared_ptr<const plan::Plan> SharedPlans::get(const MatchedTransfer &transfer, size_t sink, int halvings) {
    planner::PlanOptions options = transfer.options;
    options.halvings = halvings;
    if (transfer.drops[sink]) // a sink that reads the source's buffer itself would hold the source back
        options.self_way = options.direct_way = false;
    Writer key;
    put(key, transfer.source);
    put(key, transfer.sinks[sink]);
    key.put(options.message_bytes).put(options.chunk_bytes).put(options.self_way).put(options.direct_way);
    key.put(options.halvings).put(options.in_place).put(options.compact).put(options.notes);
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
                   SharedPlans &plans, std::span<const int> readable) {
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
    BufferMap buffers;
    planned.source_endpoint = find_endpoint(Role::source, matched.source);
    const Endpoint *const source = planned.source_endpoint.get();
    if (source)
        buffers.add(*source);
    bool can_read = true; // all pullers can read this process's memory, in long pieces
    for (size_t k = 0; k < matched.sinks.size(); ++k) {
        PlannedFlow flow{.sink = k, .plan = nullptr, .endpoint = find_endpoint(Role::sink, matched.sinks[k])};
        if (flow.endpoint && !matched.options.in_place)
            buffers.add(*flow.endpoint);
        if (!source && !flow.endpoint)
            continue;
        flow.plan = plans.get(matched, k);
        flow.first_puller = planned.pullers;
        planned.pullers += std::ssize(flow.plan->pullers);
        for (const plan::Puller &puller : flow.plan->pullers)
            can_read = can_read && puller.long_pieces &&
                       readable[static_cast<size_t>(puller.peer)] == readable[static_cast<size_t>(matched.rank)];
        flow.headers = header_peers(matched, k, source, flow.endpoint.get());
        flow.drop = drop_peers(matched, k, source, flow.endpoint.get());
        planned.flows.push_back(std::move(flow));
    }
    add_windows(planned);
    if (in_place(planned)) {
        if (!planned.flows.empty())
            check_shared_buffers(planned);
        return planned;
    }
    buffers.check(matched.name);
    if (source && planned.pullers > 0 && can_read)
        planned.elsewhere = readable_addresses(*source);
    return planned;
}

int max_halvings(const Planned &planned) { return in_place(planned) ? 0 : planner::max_halvings; }

Planned with_halvings(Planned planned, int halvings, SharedPlans &plans) {
    planned.halvings = halvings;
    for (PlannedFlow &flow : planned.flows)
        flow.plan = plans.get(*planned.matched, flow.sink, halvings);
    return planned;
}

Planned without_plans(Planned planned) {
    for (PlannedFlow &flow : planned.flows)
        flow.plan = nullptr;
    return planned;
}

} // namespace dri::commit
