#include "commit/match.hpp"

#include <algorithm>
#include <map>

namespace dri {

Bytes to_wire(std::span<const std::shared_ptr<Endpoint>> ends) {
    Writer out;
    out.put(static_cast<int64_t>(ends.size()));
    for (const auto &end : ends) {
        const Declaration &d = end->declaration();
        out.put(std::string_view(d.name));
        out.put(d.role);
        out.put(std::span<const std::byte>(d.dist->wire()));
        put(out, d.layout);
        out.put(d.attributes.ways);
        out.put(d.attributes.message_bytes);
        out.put(d.attributes.convert);
        out.put(d.attributes.scale);
    }
    return out.take();
}

std::vector<EndDescription> from_wire(std::span<const Bytes> by_position, const Group &scope) {
    std::vector<EndDescription> ends;
    std::map<Digest, std::shared_ptr<const Distribution>> known;
    for (size_t position = 0; position < by_position.size(); ++position) {
        Reader in(by_position[position]);
        const auto n = in.get<int64_t>();
        for (int64_t i = 0; i < n; ++i) {
            EndDescription end;
            end.rank = scope.rank(static_cast<int>(position));
            end.name = in.get_string();
            end.role = in.get<Role>();
            const Bytes wire = in.get_bytes();
            auto &dist = known[digest(wire)];
            if (!dist)
                dist = std::make_shared<Distribution>(Distribution::from_wire(wire));
            end.dist = dist;
            end.layout = get_layout(in);
            end.attributes.ways = in.get<int64_t>();
            end.attributes.message_bytes = in.get<int64_t>();
            end.attributes.convert = in.get<int64_t>();
            end.attributes.scale = in.get<double>();
            ends.push_back(std::move(end));
        }
    }
    return ends;
}

namespace {

using Ends = std::vector<const EndDescription *>;

// The ends of one role and one distribution: the declarations of one group.
struct SideEnds {
    std::shared_ptr<const Distribution> dist;
    Ends ends;
};

std::vector<SideEnds> by_distribution(const Ends &ends, Role role) {
    std::vector<SideEnds> sides;
    for (const EndDescription *end : ends) {
        if (end->role != role)
            continue;
        auto at = std::find_if(sides.begin(), sides.end(),
                               [&](const SideEnds &s) { return s.dist->id() == end->dist->id(); });
        if (at == sides.end())
            at = sides.insert(at, {end->dist, {}});
        at->ends.push_back(end);
    }
    return sides;
}

std::string conversion_text(const Attributes &a) {
    return fmt::format("{} a conversion, scale {}", a.convert ? "allows" : "forbids", a.scale);
}

void check_same_conversion(const std::string &name, const EndDescription &a, const EndDescription &b) {
    if (a.attributes.convert != b.attributes.convert || a.attributes.scale != b.attributes.scale)
        fail(DRI_ERR_MISMATCH, "transfer '{}': processes of one {} differ: process {} {}, process {} {}", name,
             role_name(a.role), a.rank, conversion_text(a.attributes), b.rank, conversion_text(b.attributes));
}

// Every process of the group has declared its end, and is here.
Side complete_side(const std::string &name, Role role, const SideEnds &side, const Group &scope) {
    const Group &group = side.dist->group();
    std::vector<const EndDescription *> by_position(static_cast<size_t>(group.size()), nullptr);
    for (const EndDescription *end : side.ends)
        by_position[static_cast<size_t>(*group.position(end->rank))] = end;
    Side complete{side.dist, {}, side.ends.front()->attributes.scale};
    bool same_layout = true;
    for (int q = 0; q < group.size(); ++q) {
        const EndDescription *end = by_position[static_cast<size_t>(q)];
        const int rank = group.rank(q);
        if (!scope.position(rank))
            fail(DRI_ERR_UNMATCHED,
                 "transfer '{}': process {} belongs to the {} ({}), but not to the scope {} of the commit", name,
                 rank, role_name(role), to_text(*side.dist), to_text(scope));
        if (!end)
            fail(DRI_ERR_UNMATCHED,
                 "transfer '{}': process {} has not declared its end of the {}, which process {} "
                 "declared as {}",
                 name, rank, role_name(role), side.ends.front()->rank, to_text(*side.dist));
        check_same_conversion(name, *by_position[0], *end);
        same_layout = same_layout && end->layout == by_position[0]->layout;
        complete.layouts.push_back(end->layout);
    }
    if (same_layout)
        complete.layouts.resize(1);
    return complete;
}

void check_same_data(const std::string &name, const SideEnds &source, const SideEnds &sink) {
    const Gdo &a = source.dist->gdo(), &b = sink.dist->gdo();
    const bool convert = sink.ends.front()->attributes.convert != 0;
    if ((a.type == b.type || (convert && has_conversion(a.type, b.type))) && a.root_sizes == b.root_sizes)
        return;
    const char *what = a.root_sizes != b.root_sizes ? "GDOs"
                       : convert                    ? "element types have no conversion and"
                                                    : "element types";
    fail(DRI_ERR_MISMATCH, "transfer '{}': the {} differ: source on process {} is {}, sink on process {} is {}",
         name, what, source.ends.front()->rank, to_text(a), sink.ends.front()->rank, to_text(b));
}

std::string ranks_text(const Ends &ends) {
    std::vector<int> ranks;
    for (const EndDescription *end : ends)
        ranks.push_back(end->rank);
    return to_text(Group(ranks));
}

MatchedTransfer match_name(const std::string &name, const Ends &ends, const Group &scope) {
    const auto sources = by_distribution(ends, Role::source);
    const auto sinks = by_distribution(ends, Role::sink);
    if (sources.empty())
        fail(DRI_ERR_UNMATCHED, "transfer '{}' has no source; its sink is declared on {}", name, ranks_text(ends));
    if (sinks.empty())
        fail(DRI_ERR_UNMATCHED, "transfer '{}' has no sink; its source is declared on {}", name, ranks_text(ends));
    if (sources.size() > 1)
        fail(DRI_ERR_MISMATCH, "transfer '{}' has two sources: on process {} {}, on process {} {}", name,
             sources[0].ends.front()->rank, to_text(*sources[0].dist), sources[1].ends.front()->rank,
             to_text(*sources[1].dist));
    MatchedTransfer transfer{name, complete_side(name, Role::source, sources[0], scope), {}, {}};
    for (const SideEnds &sink : sinks) {
        check_same_data(name, sources[0], sink);
        transfer.sinks.push_back(complete_side(name, Role::sink, sink, scope));
    }
    for (const EndDescription *end : ends) {
        transfer.options.message_bytes = std::min(transfer.options.message_bytes, end->attributes.message_bytes);
        transfer.options.self_way = transfer.options.self_way && (end->attributes.ways & way_self);
    }
    return transfer;
}

} // namespace

std::vector<MatchedTransfer> match_ends(const std::vector<EndDescription> &ends, const Group &scope) {
    std::map<std::string, Ends> by_name;
    for (const EndDescription &end : ends)
        by_name[end.name].push_back(&end);
    std::vector<MatchedTransfer> transfers;
    for (const auto &[name, named] : by_name)
        transfers.push_back(match_name(name, named, scope));
    return transfers;
}

} // namespace dri
