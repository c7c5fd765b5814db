// The checks that the endpoints of one name pass at a commit. Each check is a function of its own and reports the
// values of the two processes that disagree.
#include "commit/match.hpp"

#include "plan/conversion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dri::commit {

namespace {

using DescribedEndpoints = std::vector<const EndpointDescription *>;

// The endpoints of one role and one distribution: the declarations of one group.
struct SideEndpoints {
    Digest id;
    std::shared_ptr<const DistributionHead> dist;
    DescribedEndpoints endpoints;
};

// Sinks of one name are distinguished by the digests of their distributions. The head arrives from one process of
// each group alone (directory.hpp).
std::vector<SideEndpoints> by_distribution(const DescribedEndpoints &endpoints, Role role) {
    std::vector<SideEndpoints> sides;
    for (const EndpointDescription *endpoint : endpoints) {
        if (endpoint->role != role)
            continue;
        auto at = std::find_if(sides.begin(), sides.end(),
                               [&](const SideEndpoints &s) { return s.id == endpoint->dist; });
        if (at == sides.end())
            at = sides.insert(at, {endpoint->dist, nullptr, {}});
        if (!at->dist)
            at->dist = endpoint->head;
        at->endpoints.push_back(endpoint);
    }
    for (const SideEndpoints &side : sides)
        if (!side.dist)
            fail(DRI_ERR_STATE, "transfer '{}': no process has sent the distribution of the {} of process {}",
                 side.endpoints.front()->name, role_name(role), side.endpoints.front()->rank);
    return sides;
}

// Fails if the processes of one side have different values of an attribute that all of them set alike.
void check_same_attributes(const std::string &name, const EndpointDescription &a, const EndpointDescription &b) {
    const auto check = [&](const char *what, auto x, auto y) {
        if (x != y)
            fail(DRI_ERR_MISMATCH,
                 "transfer '{}': processes of the {} differ: {} is {} on process {}, but {} on process {}", name,
                 role_name(a.role), what, x, a.rank, y, b.rank);
    };
    for (const AttributeRow &row : attribute_table)
        if (row.scope == Scope::side)
            check(row.name, a.attributes.*row.member, b.attributes.*row.member);
    check("the scale", a.attributes.scale, b.attributes.scale);
}

// The same for two endpoints of a name.
void check_same_in_name(const std::string &name, const EndpointDescription &a, const EndpointDescription &b) {
    for (const AttributeRow &row : attribute_table)
        if (row.scope == Scope::name && a.attributes.*row.member != b.attributes.*row.member)
            fail(DRI_ERR_MISMATCH,
                 "transfer '{}': {} is {} at the {} of process {}, but {} at the {} of process {}", name, row.name,
                 a.attributes.*row.member, role_name(a.role), a.rank, b.attributes.*row.member, role_name(b.role),
                 b.rank);
}

std::string strips_text(const model::Strips &strips) {
    return strips.any() ? fmt::format("strips along dimension {} of {}", strips.dim, strips.extent) : "no strips";
}

void check_same_strips(const std::string &name, const EndpointDescription &a, const EndpointDescription &b) {
    if (a.strips != b.strips)
        fail(DRI_ERR_MISMATCH, "transfer '{}': processes of one {} differ: process {} has {}, process {} has {}",
             name, role_name(a.role), a.rank, strips_text(a.strips), b.rank, strips_text(b.strips));
}

// Fails unless every process of the group has declared its endpoint, is in the scope, and agrees with the group's
// first process. Equal layouts are kept once, so answers do not grow with the group.
MatchedSide complete_side(const std::string &name, Role role, const SideEndpoints &side, const model::Group &scope,
                          std::span<const Bystander> bystanders) {
    const model::Group &group = side.dist->group();
    std::vector<const EndpointDescription *> by_position(static_cast<size_t>(group.size()), nullptr);
    for (const EndpointDescription *endpoint : side.endpoints) {
        const EndpointDescription *&at = by_position[static_cast<size_t>(*group.position(endpoint->rank))];
        if (at)
            fail(DRI_ERR_MISMATCH,
                 "transfer '{}': process {} has declared two {}s with one distribution, {}: {}commit them apart, "
                 "with DRI_commit_ends",
                 name, endpoint->rank, role_name(role), to_text(*side.dist),
                 role == Role::sink ? "give them different distributions, or a source each and " : "");
        at = endpoint;
    }
    const Attributes &attributes = side.endpoints.front()->attributes;
    MatchedSide complete{side.id,
                         group.ranks(),
                         {},
                         attributes.scale,
                         side.endpoints.front()->strips,
                         attributes.drop != 0,
                         attributes.every,
                         attributes.phase};
    bool same_layout = true;
    for (int q = 0; q < group.size(); ++q) {
        const EndpointDescription *endpoint = by_position[static_cast<size_t>(q)];
        const int rank = group.rank(q);
        if (!scope.position(rank))
            fail(DRI_ERR_UNMATCHED,
                 "transfer '{}': process {} belongs to the {} ({}), but not to the scope {} of the commit", name,
                 rank, role_name(role), to_text(*side.dist), model::to_text(scope));
        if (!endpoint)
            fail(DRI_ERR_UNMATCHED,
                 "transfer '{}': process {} has not declared its endpoint of the {}, which process {} "
                 "declared as {}{}",
                 name, rank, role_name(role), side.endpoints.front()->rank, to_text(*side.dist),
                 hint(bystanders, role, rank));
        check_same_attributes(name, *by_position[0], *endpoint);
        check_same_strips(name, *by_position[0], *endpoint);
        same_layout = same_layout && endpoint->layout == by_position[0]->layout;
        complete.layouts.push_back(endpoint->layout);
    }
    if (same_layout)
        complete.layouts.resize(1);
    return complete;
}

// Both GDOs must be boxes of one array: they have the same root. The types may differ only if the sink sets
// DRI_ATTR_CONVERT and a conversion exists.
void check_same_data(const std::string &name, const SideEndpoints &source, const SideEndpoints &sink) {
    const model::Gdo &a = source.dist->gdo(), &b = sink.dist->gdo();
    const bool convert = sink.endpoints.front()->attributes.convert != 0;
    const bool same_array = a.root_sizes == b.root_sizes, has_way = model::has_conversion(a.type, b.type);
    if (same_array && (a.type == b.type || (convert && has_way)))
        return;
    const char *what = !same_array ? "the GDOs differ"
                       : convert   ? "there is no conversion between the element types"
                                   : "the element types differ";
    const char *advice = same_array && !convert && has_way ? "; set DRI_ATTR_CONVERT on the sink to convert" : "";
    fail(DRI_ERR_MISMATCH, "transfer '{}': {}: source on process {} is {}, sink on process {} is {}{}", name, what,
         source.endpoints.front()->rank, model::to_text(a), sink.endpoints.front()->rank, model::to_text(b),
         advice);
}

// A scale that is infinite in the type of the product would turn all numbers into infinities and NaNs.
void check_scale(const std::string &name, const SideEndpoints &source, const SideEndpoints &sink) {
    constexpr double first_infinite = 0x1.ffffffp127; // the least number that rounds to an infinite float
    const EndpointDescription &to = *sink.endpoints.front();
    const model::ElementType &a = source.dist->gdo().type, &b = sink.dist->gdo().type;
    const double scale = to.attributes.scale;
    if (std::abs(scale) < first_infinite || !plan::multiplies_in_float(a.scalar, b.scalar))
        return;
    fail(DRI_ERR_ARG,
         "transfer '{}': the scale of the sink on process {} is {}, but {} and {} are multiplied in float, whose "
         "largest number is {}: use a smaller scale, or double on one side",
         name, to.rank, scale, model::to_text(a), model::to_text(b), std::numeric_limits<float>::max());
}

bool has_strips(const MatchedName &transfer) {
    return transfer.source.strips.any() || std::any_of(transfer.sinks.begin(), transfer.sinks.end(),
                                                       [](const MatchedSide &sink) { return sink.strips.any(); });
}

// With strips, a frame of one side may be only a part of a frame of the other side. A frame header of the source
// would describe only that part of the sink's frame.
void check_plain_with_strips(const MatchedName &transfer) {
    if (has_strips(transfer) && transfer.stream)
        fail(
            DRI_ERR_UNSUPPORTED,
            "transfer '{}' has strips, so it cannot be a stream (DRI_ATTR_STREAM): its source and its sinks count "
            "frames differently, so a DRI_Frame cannot describe both",
            transfer.name);
}

// Windows do not combine with strips or with transfers in place.
void check_plain_with_windows(const std::string &name, const DescribedEndpoints &endpoints,
                              const MatchedName &transfer) {
    for (const EndpointDescription *endpoint : endpoints) {
        if (endpoint->attributes.rebase == 0)
            continue;
        if (has_strips(transfer))
            fail(DRI_ERR_UNSUPPORTED,
                 "transfer '{}' has strips, so the window of its {} on process {} cannot slide (DRI_ATTR_REBASE)",
                 name, role_name(endpoint->role), endpoint->rank);
        if (endpoint->attributes.in_place)
            fail(DRI_ERR_UNSUPPORTED,
                 "transfer '{}' is in place (DRI_ATTR_IN_PLACE), so the window of its {} on process {} cannot "
                 "slide (DRI_ATTR_REBASE)",
                 name, role_name(endpoint->role), endpoint->rank);
    }
}

// A buffer that changes does not combine with strips, with transfers in place, or with a window in it.
void check_plain_with_rebinding(const std::string &name, const DescribedEndpoints &endpoints,
                                const MatchedName &transfer) {
    for (const EndpointDescription *endpoint : endpoints) {
        const Attributes &attributes = endpoint->attributes;
        const char *const why = attributes.rebind == 0 ? nullptr
                                : has_strips(transfer) ? "has strips"
                                : attributes.in_place  ? "is in place (DRI_ATTR_IN_PLACE)"
                                : attributes.rebase    ? "has a window that slides there (DRI_ATTR_REBASE)"
                                                       : nullptr;
        if (why)
            fail(DRI_ERR_UNSUPPORTED,
                 "transfer '{}' {}, so the buffer of its {} on process {} cannot change (DRI_ATTR_REBIND)", name,
                 why, role_name(endpoint->role), endpoint->rank);
    }
}

// A sink that drops frames must know the number of each frame that it receives. Only a stream's headers state it.
void check_drops(const std::string &name, const SideEndpoints &source, const SideEndpoints &sink) {
    const EndpointDescription &from = *source.endpoints.front(), &to = *sink.endpoints.front();
    if (to.attributes.drop && !from.attributes.stream)
        fail(DRI_ERR_MISMATCH,
             "transfer '{}': the sink on process {} drops frames (DRI_ATTR_ON_FULL), but the source on process {} "
             "does not number them: it needs DRI_ATTR_STREAM",
             name, to.rank, from.rank);
}

// "every 3rd"
std::string every_text(int64_t k) {
    const int64_t unit = k / 10 % 10 == 1 ? 0 : k % 10;
    return fmt::format("every {}{}", k, unit == 1 ? "st" : unit == 2 ? "nd" : unit == 3 ? "rd" : "th");
}

// A phase is one of the numbers of frames that a sink distinguishes. A frame of a source with strips is no array,
// and in place a frame that the sink does not take could leave its buffer nowhere.
void check_every(const MatchedName &transfer, const SideEndpoints &sink) {
    const EndpointDescription &to = *sink.endpoints.front();
    const int64_t every = to.attributes.every, phase = to.attributes.phase;
    if (phase >= every)
        fail(DRI_ERR_ARG,
             "transfer '{}': the sink on process {} has DRI_ATTR_PHASE {}, but it must be less than "
             "DRI_ATTR_EVERY, "
             "which is {}",
             transfer.name, to.rank, phase, every);
    if (every == 1)
        return;
    if (transfer.source.strips.any())
        fail(DRI_ERR_UNSUPPORTED,
             "transfer '{}': the source has strips, so the sink on process {} cannot take {} frame "
             "(DRI_ATTR_EVERY): a frame of the source is only a part of an array",
             transfer.name, to.rank, every_text(every));
    if (transfer.options.in_place)
        fail(DRI_ERR_UNSUPPORTED,
             "transfer '{}' is in place (DRI_ATTR_IN_PLACE), so the sink on process {} cannot take {} frame "
             "(DRI_ATTR_EVERY): a frame that it does not take would stay in their common buffer",
             transfer.name, to.rank, every_text(every));
}

std::string ranks_text(const DescribedEndpoints &endpoints) {
    std::vector<int> ranks;
    for (const EndpointDescription *endpoint : endpoints)
        ranks.push_back(endpoint->rank);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end()); // in rising order
    return model::to_text(model::Group(ranks));
}

// A transfer in place has one sink, of the same processes as the source, because source and sink of each process
// share a buffer.
void check_in_place(const std::string &name, const MatchedName &transfer) {
    if (!transfer.options.in_place)
        return;
    if (transfer.stream)
        fail(DRI_ERR_UNSUPPORTED,
             "transfer '{}' is in place (DRI_ATTR_IN_PLACE), so it cannot be a stream (DRI_ATTR_STREAM)", name);
    if (has_strips(transfer))
        fail(DRI_ERR_UNSUPPORTED,
             "transfer '{}' is in place (DRI_ATTR_IN_PLACE), so none of its endpoints can have strips", name);
    if (transfer.sinks.size() > 1)
        fail(DRI_ERR_MISMATCH,
             "transfer '{}' is in place (DRI_ATTR_IN_PLACE), so it must have one sink, but it has {}", name,
             transfer.sinks.size());
    const model::Group source = model::in_rising_order(model::Group(transfer.source.ranks)),
                       sink = model::in_rising_order(model::Group(transfer.sinks.front().ranks));
    if (source.ranks() != sink.ranks())
        fail(DRI_ERR_MISMATCH,
             "transfer '{}' is in place (DRI_ATTR_IN_PLACE), so its source and its sink must have the same "
             "processes, but the source has {} and the sink has {}",
             name, model::to_text(source), model::to_text(sink));
}

} // namespace

// Missing sides are reported before sides that disagree. The most restrictive message length and the most
// restrictive ways of all endpoints hold.
MatchedName match_endpoints(const std::string &name, std::span<const EndpointDescription> all,
                            const model::Group &scope, std::span<const Bystander> bystanders) {
    DescribedEndpoints endpoints;
    for (const EndpointDescription &endpoint : all)
        endpoints.push_back(&endpoint);
    const auto sources = by_distribution(endpoints, Role::source);
    const auto sinks = by_distribution(endpoints, Role::sink);
    if (sources.empty())
        fail(DRI_ERR_UNMATCHED, "transfer '{}' has no source; its sink is declared on {}{}", name,
             ranks_text(endpoints), hint(bystanders, Role::source));
    if (sinks.empty())
        fail(DRI_ERR_UNMATCHED, "transfer '{}' has no sink; its source is declared on {}{}", name,
             ranks_text(endpoints), hint(bystanders, Role::sink));
    if (sources.size() > 1)
        fail(DRI_ERR_MISMATCH, "transfer '{}' has two sources: on process {} {}, on process {} {}", name,
             sources[0].endpoints.front()->rank, to_text(*sources[0].dist), sources[1].endpoints.front()->rank,
             to_text(*sources[1].dist));
    MatchedName transfer{name,
                         complete_side(name, Role::source, sources[0], scope, bystanders),
                         {},
                         {},
                         sources[0].endpoints.front()->attributes.stream != 0};
    for (const SideEndpoints &sink : sinks) {
        transfer.sinks.push_back(complete_side(name, Role::sink, sink, scope, bystanders));
        check_same_data(name, sources[0], sink);
        check_scale(name, sources[0], sink);
        check_drops(name, sources[0], sink);
    }
    check_plain_with_strips(transfer);
    check_plain_with_windows(name, endpoints, transfer);
    check_plain_with_rebinding(name, endpoints, transfer);
    transfer.options.notes = sources[0].endpoints.front()->attributes.rebase != 0;
    Attributes all_have = endpoints.front()->attributes;
    for (const EndpointDescription *endpoint : endpoints) {
        check_same_in_name(name, *endpoints.front(), *endpoint);
        all_have = restrict_to_both(all_have, endpoint->attributes);
    }
    transfer.options.message_bytes = all_have.message_bytes;
    transfer.options.self_way = (all_have.ways & way_self) != 0;
    transfer.options.direct_way = (all_have.ways & way_direct) != 0;
    transfer.options.in_place = all_have.in_place != DRI_OUT_OF_PLACE;
    transfer.options.compact = all_have.in_place == DRI_IN_PLACE_COMPACT;
    check_in_place(name, transfer);
    for (const SideEndpoints &sink : sinks)
        check_every(transfer, sink);
    return transfer;
}

} // namespace dri::commit
