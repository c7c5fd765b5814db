// The steps from a matched transfer to one that runs. Every function here is local; session.cpp puts the
// collective steps between them.
#include "commit/prepare.hpp"

#include "base/memory.hpp"
#include "commit/in_place.hpp"
#include "commit/stream.hpp"
#include "commit/window.hpp"
#include "model/boxes.hpp"
#include "model/layout.hpp"
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

// Calls `reserve`. If it fails, the error message starts with what was to be reserved.
template <class F> auto reserve_for(const std::string &what, F reserve) -> decltype(reserve()) {
    try {
        return reserve();
    } catch (const std::exception &) {
        const Error error = current_error();
        fail(error.code(), "{}: {}", what, error.what());
    }
}

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

// Reserves an endpoint's buffers. window: null if it does not slide. shared: memory that a source shares with its
// pullers, null if there are none; the library's buffers lie in it.
void reserve_endpoint(exec::EndpointState &state, const Endpoint &endpoint,
                      std::shared_ptr<const exec::Window> window, transport::SharedSource *shared) {
    const Declaration &d = endpoint.declaration();
    state.buffer_bytes = endpoint.buffer_bytes();
    state.timeout = std::chrono::milliseconds(d.attributes.timeout_ms);
    state.has_thread = d.attributes.progress_thread != 0;
    if (window)
        state.next_offset = window->at_rest();
    const int64_t strips = endpoint.strips_together();
    for (size_t i = 0; i < d.buffers.size(); ++i) {
        void *buffer = d.buffers[i];
        if (buffer)
            advise_huge_pages(buffer, state.buffer_bytes);
        if (buffer && shared && shared->is_shared(static_cast<int64_t>(i)))
            state.workspace_bytes += state.buffer_bytes;
        if (!buffer && shared)
            buffer = shared->buffer(static_cast<int64_t>(i));
        if (!buffer) {
            // A part without elements still needs a buffer with an address.
            const int64_t bytes = std::max<int64_t>(endpoint.reserved_bytes(), cache_line_bytes);
            const int64_t alignment = d.dist->gdo().type.alignment;
            const auto reserve = [&] { state.owned.emplace_back(bytes, alignment); };
            reserve_for(fmt::format("transfer '{}', buffer {} of the {}", d.name, i, role_name(d.role)), reserve);
            buffer = state.owned.back().data();
        }
        const int64_t step = endpoint.reserved_bytes() / strips;
        for (int64_t t = 0; t < strips; ++t)
            state.buffers.push_back(static_cast<std::byte *>(buffer) + t * step);
    }
    state.window = std::move(window);
}

exec::SourceEnd make_source(const Endpoint &endpoint, std::shared_ptr<const exec::Window> window, int64_t pullers,
                            const std::vector<uint64_t> &elsewhere) {
    const Declaration &d = endpoint.declaration();
    exec::SourceEnd source;
    if (window)
        source.offsets.assign(d.buffers.size(), window->at_rest());
    if (pullers > 0)
        reserve_for(fmt::format("transfer '{}', buffers of the source", d.name), [&] {
            source.shared = std::make_shared<transport::SharedSource>(
                pullers, std::ssize(d.buffers), endpoint.buffer_bytes(), d.dist->gdo().type.alignment, elsewhere,
                window ? int64_t{sizeof(exec::WindowOffset)} : 0);
        });
    reserve_endpoint(source, endpoint, std::move(window), source.shared.get());
    return source;
}

// The caller may set a sliding window's offset until it waits for the frame, and may use buffers of its own while
// it does not wait. Neither kind of sink is filled ahead. in_strips: the source or the sink has strips.
exec::SinkEnd make_sink(const Endpoint &endpoint, std::shared_ptr<const exec::Window> window, bool in_strips) {
    const auto &buffers = endpoint.declaration().buffers;
    exec::SinkEnd sink;
    sink.terms.strips = endpoint.strips_together();
    sink.fill(!window && std::none_of(buffers.begin(), buffers.end(),
                                      [](const void *buffer) { return buffer != nullptr; }),
              in_strips);
    reserve_endpoint(sink, endpoint, std::move(window), nullptr);
    return sink;
}

// Gives the endpoint memory for one frame header for each buffer.
void add_headers(exec::EndpointState &state) {
    state.headers.resize(state.buffers.size());
    state.workspace_bytes += header_bytes(state.count());
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

exec::Team make_team(const Endpoint &endpoint, exec::WorkerPool &pool, const transport::Transport &transport) {
    const Attributes &a = endpoint.declaration().attributes;
    const auto get = [&] { return pool.get(a.threads, transport.crowded()); };
    return {reserve_for(fmt::format("transfer '{}', {} threads of the {}", endpoint.declaration().name, a.threads,
                                    role_name(endpoint.declaration().role)),
                        get),
            a.threads, a.share_bytes};
}

bool measures(const Endpoint &endpoint) { return endpoint.declaration().attributes.measure != 0; }

// Opens the sources that this process pulls from, one view for each. With strips a peer has one pull for each
// strip, and all of them use the same view.
exec::DirectEndpoints direct_endpoints(const DraftTransfer &draft, const DraftTransfer::Flow &flow,
                                       const SourceHandles &handles) {
    exec::DirectEndpoints direct;
    if (!flow.plan->pullers.empty()) {
        direct.source = draft.source->shared;
        direct.first_puller = flow.first_puller;
    }
    const auto strips = static_cast<size_t>(plan::count_strips(*flow.plan));
    for (size_t i = 0; i < flow.plan->pulls.size(); i += strips) {
        const plan::Pull &pull = flow.plan->pulls[i];
        const auto handle = handles.find({pull.peer, draft.matched->tags[flow.sink]});
        if (handle == handles.end())
            fail(DRI_ERR_INTERNAL, "process {} has not sent the memory handle of its buffers", pull.peer);
        const auto open = [&] { direct.views.emplace_back(handle->second); };
        reserve_for(fmt::format("the source of process {} (DRI_WAYS=self,message avoids its memory)", pull.peer),
                    open);
    }
    return direct;
}

// The buffers for which kernels are chosen, and whether they are measured there.
exec::FirstBuffers first_buffers(const DraftTransfer &draft, const DraftTransfer::Flow &flow) {
    exec::FirstBuffers first;
    if (draft.source) {
        first.source = draft.source->buffer(0);
        first.source_measures = measures(*draft.source_endpoint);
    }
    if (flow.buffers) {
        first.sink = flow.buffers->buffer(0);
        first.sink_measures = measures(*flow.endpoint);
    }
    return first;
}

} // namespace

DraftTransfer with_plans(const DraftTransfer &draft, int halvings, SharedPlans &plans) {
    DraftTransfer other;
    other.matched = draft.matched;
    other.source_endpoint = draft.source_endpoint;
    other.pullers = draft.pullers;
    other.elsewhere = draft.elsewhere;
    other.halvings = halvings;
    other.max_halvings = draft.max_halvings;
    for (const DraftTransfer::Flow &flow : draft.flows)
        other.flows.push_back({flow.sink,
                               plans.get(*draft.matched, flow.sink, halvings),
                               flow.endpoint,
                               std::nullopt,
                               nullptr,
                               flow.first_puller,
                               {},
                               flow.headers,
                               flow.drop});
    return other;
}

void choose_plans(DraftTransfer &draft, int halvings, SharedPlans &plans) {
    if (draft.halvings == halvings)
        return;
    draft.halvings = halvings;
    for (DraftTransfer::Flow &flow : draft.flows)
        flow.plan = plans.get(*draft.matched, flow.sink, halvings);
}

bool measures(const DraftTransfer &draft) {
    return (draft.source_endpoint && measures(*draft.source_endpoint)) ||
           std::any_of(draft.flows.begin(), draft.flows.end(),
                       [](const DraftTransfer::Flow &flow) { return flow.endpoint && measures(*flow.endpoint); });
}

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
DraftTransfer draft_transfer(const MatchedTransfer &matched, std::span<const std::shared_ptr<Endpoint>> mine,
                             SharedPlans &plans, std::span<const int> readable) {
    const auto find_endpoint = [&](Role role, const planner::Side &side) -> std::shared_ptr<Endpoint> {
        for (const auto &endpoint : mine) {
            const Declaration &d = endpoint->declaration();
            if (d.name == matched.name && d.role == role && d.dist->id() == side.dist->id())
                return endpoint;
        }
        return nullptr;
    };
    DraftTransfer draft;
    draft.matched = &matched;
    BufferMap buffers;
    draft.source_endpoint = find_endpoint(Role::source, matched.source);
    if (draft.source_endpoint)
        buffers.add(*draft.source_endpoint);
    bool can_read = true; // all pullers can read this process's memory, in long pieces
    for (size_t k = 0; k < matched.sinks.size(); ++k) {
        auto sink_endpoint = find_endpoint(Role::sink, matched.sinks[k]);
        if (sink_endpoint && !matched.options.in_place)
            buffers.add(*sink_endpoint);
        if (!draft.source_endpoint && !sink_endpoint)
            continue;
        auto plan = plans.get(matched, k);
        const int64_t first_puller = draft.pullers;
        draft.pullers += std::ssize(plan->pullers);
        for (const plan::Puller &puller : plan->pullers)
            can_read = can_read && puller.long_pieces &&
                       readable[static_cast<size_t>(puller.peer)] == readable[static_cast<size_t>(plan->rank)];
        exec::StagingBudget staging;
        if (draft.source_endpoint)
            staging.frames = std::ssize(draft.source_endpoint->declaration().buffers);
        exec::HeaderPeers headers = header_peers(matched, k, draft.source_endpoint.get(), sink_endpoint.get());
        exec::DropPeers drop = drop_peers(matched, k, draft.source_endpoint.get(), sink_endpoint.get());
        if (drop.drops)
            staging.frames = exec::drop_frames_under_way;
        draft.flows.push_back({k, std::move(plan), std::move(sink_endpoint), std::nullopt, nullptr, first_puller,
                               staging, std::move(headers), std::move(drop)});
    }
    add_windows(draft);
    if (in_place(draft)) {
        if (!draft.flows.empty()) {
            check_shared_buffers(draft);
            draft.max_halvings = 0;
            fit_in_place_or_fail(draft);
        }
        return draft;
    }
    buffers.check(matched.name);
    if (draft.source_endpoint && draft.pullers > 0 && can_read)
        draft.elsewhere = readable_addresses(*draft.source_endpoint);
    return draft;
}

// With strips on either side, a sink that is filled ahead is filled in all its buffers. Without strips one buffer
// stays free until the caller waits for a frame.
void reserve_buffers(DraftTransfer &draft) {
    if (in_place(draft) && !draft.flows.empty())
        return reserve_in_place(draft);
    if (draft.source_endpoint) {
        draft.source = make_source(*draft.source_endpoint, draft.source_window, draft.pullers, draft.elsewhere);
        draft.source->terms.stream = draft.matched->stream;
        if (sends_headers(draft))
            add_headers(*draft.source);
    }
    for (DraftTransfer::Flow &flow : draft.flows)
        if (flow.endpoint) {
            const bool in_strips =
                draft.matched->source.strips.any() || draft.matched->sinks[flow.sink].strips.any();
            flow.buffers = make_sink(*flow.endpoint, flow.window, in_strips);
            if (flow.headers.in_sink)
                add_headers(*flow.buffers);
        }
}

// message_frames limits how far the source runs ahead. It stays unlimited if no flow sends messages, except to
// sinks that drop: these never hold the source back. The source's buffers leave the draft last, see the
// declaration.
PreparedTransfer finish_transfer(DraftTransfer &draft, const SourceHandles &handles, kernel::Chooser &chooser,
                                 exec::WorkerPool &pool, const std::shared_ptr<transport::Transport> &transport,
                                 std::chrono::nanoseconds patience) {
    const MatchedTransfer &matched = *draft.matched;
    PreparedTransfer prepared;
    exec::Teams teams;
    if (draft.source_endpoint) {
        prepared.members.push_back({draft.source_endpoint, 0});
        teams.source = draft.source->team = make_team(*draft.source_endpoint, pool, *transport);
    }
    for (const DraftTransfer::Flow &flow : draft.flows)
        if (draft.source && !flow.plan->sends.empty() && !flow.drop.drops)
            draft.source->limit_messages(flow.staging.frames);
    std::vector<exec::Flow> flows;
    for (DraftTransfer::Flow &flow : draft.flows) {
        teams.sink = {};
        if (flow.endpoint) {
            prepared.members.push_back({flow.endpoint, flows.size()});
            teams.sink = make_team(*flow.endpoint, pool, *transport);
        }
        const auto make_link = [&] {
            const int64_t tag = matched.tags[flow.sink];
            exec::LinkLayout layout = exec::link_layout(*flow.plan, flow.staging);
            const auto is_read = [&](int peer) {
                const auto handle = handles.find({peer, tag});
                return handle != handles.end() && !handle->second.elsewhere.empty();
            };
            layout.add_scratch(*flow.plan, is_read, teams.sink.threads, teams.sink.min_bytes);
            return exec::Link({.plan = flow.plan,
                               .layout = std::move(layout),
                               .direct = direct_endpoints(draft, flow, handles),
                               .teams = teams,
                               .first = first_buffers(draft, flow),
                               .tag = tag,
                               .headers = exec::HeaderChannel(flow.headers, *transport, header_tag(tag))},
                              chooser, *transport);
        };
        exec::Link link =
            reserve_for(fmt::format("transfer '{}', messages and shared memory", matched.name), make_link);
        const auto make_drop = [&] {
            return exec::DropControl(flow.drop, *transport, drop_tag(matched.tags[flow.sink]));
        };
        flows.push_back(
            {std::move(link), std::move(flow.buffers),
             reserve_for(fmt::format("transfer '{}', control messages of sinks that drop frames", matched.name),
                         make_drop)});
    }
    prepared.transfer = std::make_shared<exec::LocalTransfer>(matched.name, std::move(draft.source),
                                                              std::move(flows), transport, patience);
    return prepared;
}

} // namespace dri::commit
