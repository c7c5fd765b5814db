#include "commit/prepare.hpp"

#include <algorithm>

namespace dri {

namespace {

// The user's buffers of all ends of a name, to find those that share memory.
class BufferMap {
public:
    void add(const Endpoint &end) {
        const Declaration &d = end.declaration();
        if (end.buffer_bytes() == 0)
            return;
        for (size_t i = 0; i < d.buffers.size(); ++i)
            if (d.buffers[i])
                ranges_.push_back(
                    {static_cast<std::byte *>(d.buffers[i]), end.buffer_bytes(), role_name(d.role), i});
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

// Reserves; a failure tells for what.
template <class F> auto reserve_for(const std::string &what, F reserve) -> decltype(reserve()) {
    try {
        return reserve();
    } catch (const std::exception &) {
        const Error error = current_error();
        fail(error.code(), "{}: {}", what, error.what());
    }
}

End make_end(const Endpoint &endpoint) {
    const Declaration &d = endpoint.declaration();
    End end;
    end.buffer_bytes = endpoint.buffer_bytes();
    for (size_t i = 0; i < d.buffers.size(); ++i) {
        void *buffer = d.buffers[i];
        if (!buffer) {
            // A part without elements has an address, too.
            const int64_t bytes = std::max<int64_t>(end.buffer_bytes, cache_line_bytes);
            const auto reserve = [&] { end.owned.emplace_back(bytes, d.dist->gdo().type.alignment); };
            reserve_for(fmt::format("transfer '{}', buffer {} of the {}", d.name, i, role_name(d.role)), reserve);
            buffer = end.owned.back().data();
        }
        end.buffers.push_back(static_cast<std::byte *>(buffer));
    }
    return end;
}

void put(Writer &out, const Side &side) {
    out.put(side.dist->id().high);
    out.put(side.dist->id().low);
    out.put(static_cast<int64_t>(side.layouts.size()));
    for (const Layout &layout : side.layouts)
        put(out, layout);
    out.put(side.scale);
}

} // namespace

std::shared_ptr<const Plan> SharedPlans::get(const MatchedTransfer &transfer, size_t sink) {
    const PlanOptions &options = transfer.options;
    Writer key;
    put(key, transfer.source);
    put(key, transfer.sinks[sink]);
    key.put(options.message_bytes);
    key.put(static_cast<int8_t>(options.self_way));
    key.put(options.gathering.plain_copies);
    key.put(options.gathering.even_tables);
    auto &plan = plans_[digest(key.take())];
    if (!plan)
        plan = std::make_shared<const Plan>(
            make_plan(transfer.source, transfer.sinks[sink], options, rank_, *transfer.nodes));
    return plan;
}

PreparedTransfer prepare_transfer(const MatchedTransfer &matched, std::span<const std::shared_ptr<Endpoint>> mine,
                                  SharedPlans &plans, Isa isa, Transport &transport) {
    const auto find_end = [&](Role role, const Side &side) -> std::shared_ptr<Endpoint> {
        for (const auto &end : mine) {
            const Declaration &d = end->declaration();
            if (d.name == matched.name && d.role == role && d.dist->id() == side.dist->id())
                return end;
        }
        return nullptr;
    };
    PreparedTransfer prepared;
    BufferMap buffers;
    const auto source_end = find_end(Role::source, matched.source);
    std::vector<std::shared_ptr<Endpoint>> sink_ends;
    for (const Side &side : matched.sinks)
        sink_ends.push_back(find_end(Role::sink, side));
    if (source_end)
        buffers.add(*source_end);
    for (const auto &end : sink_ends)
        if (end)
            buffers.add(*end);
    buffers.check(matched.name);

    std::optional<End> source;
    if (source_end) {
        source = make_end(*source_end);
        prepared.members.push_back({source_end, 0});
    }
    const auto depth = source_end ? static_cast<int64_t>(source->buffers.size()) : 1;
    std::vector<Flow> flows;
    for (size_t k = 0; k < matched.sinks.size(); ++k) {
        if (!source_end && !sink_ends[k])
            continue;
        const auto plan = plans.get(matched, k);
        std::optional<End> sink;
        if (sink_ends[k]) {
            sink = make_end(*sink_ends[k]);
            prepared.members.push_back({sink_ends[k], flows.size()});
        }
        const auto make_link = [&] { return Link(plan, depth, isa, transport, matched.tags[k]); };
        flows.push_back(
            {reserve_for(fmt::format("transfer '{}', messages", matched.name), make_link), std::move(sink)});
    }
    prepared.transfer = std::make_shared<Transfer>(matched.name, std::move(source), std::move(flows));
    return prepared;
}

} // namespace dri
