// What endpoints' processes and directories send each other. Names are spread evenly over the scope by digest, so
// no process collects the endpoints of all names.
#include "commit/directory.hpp"

#include "base/checked.hpp"

namespace dri::commit {

namespace {

Digest digest_of(const std::string &name) { return digest(std::as_bytes(std::span(name))); }

int directory_of(const std::string &name, const model::Group &scope) {
    return scope.rank(static_cast<int>(digest_of(name).high % static_cast<uint64_t>(scope.size())));
}

// Whether a process sends the head of its endpoint's distribution for the whole group. The name selects the
// process, so several names of one group spread this work over its processes.
bool speaks_for_group(const Declaration &d, int rank) {
    const model::Group &group = d.dist->group();
    return rank == group.rank(static_cast<int>(digest_of(d.name).low % static_cast<uint64_t>(group.size())));
}

void put(Writer &out, const MatchedSide &side, int holder, int64_t tag) {
    put(out, side.dist);
    out.put(holder);
    out.put(static_cast<int64_t>(side.layouts.size()));
    for (const model::Layout &layout : side.layouts)
        model::put(out, layout);
    out.put(side.scale);
    model::put(out, side.strips);
    out.put(side.drops);
    out.put(narrow<int32_t>(side.every));
    out.put(narrow<int32_t>(side.phase));
    out.put(tag);
}

SideAnswer get_side(Reader &in) {
    SideAnswer side;
    side.dist = get_digest(in);
    side.holder = in.get<int>();
    const auto n = in.get<int64_t>();
    for (int64_t i = 0; i < n; ++i)
        side.layouts.push_back(model::get_layout(in));
    side.scale = in.get<double>();
    side.strips = model::get_strips(in);
    side.drops = in.get<bool>();
    side.every = in.get<int32_t>();
    side.phase = in.get<int32_t>();
    side.tag = in.get<int64_t>();
    return side;
}

// The holder from which a process requests a distribution. The requester's position in its own group selects it,
// so requests are spread round-robin over the holders.
int holder_for(const MatchedSide &side, size_t position) { return side.ranks[position % side.ranks.size()]; }

// A process that receives an answer, and the sinks that the answer contains.
struct Recipient {
    size_t position = 0; // in the group of the source; in that of a sink if the process is not in the source
    bool in_source = false;
    std::vector<size_t> sinks;
};

// By rank. A process of the source receives all sinks, because it sends to any of them. Any other process receives
// its own sinks alone, so what it reads does not grow with the number of sinks.
std::map<int, Recipient> recipients_of(const MatchedName &name) {
    std::map<int, Recipient> recipients;
    for (size_t i = 0; i < name.source.ranks.size(); ++i) {
        Recipient &one = recipients[name.source.ranks[i]];
        one = {i, true, {}};
        for (size_t k = 0; k < name.sinks.size(); ++k)
            one.sinks.push_back(k);
    }
    for (size_t k = 0; k < name.sinks.size(); ++k)
        for (size_t i = 0; i < name.sinks[k].ranks.size(); ++i) {
            Recipient &one = recipients[name.sinks[k].ranks[i]];
            if (one.in_source)
                continue;
            one.position = i;
            one.sinks.push_back(k);
        }
    return recipients;
}

} // namespace

std::vector<transport::Parcel> describe_endpoints(Endpoints mine, const model::Group &scope, int rank) {
    transport::Outbox outbox;
    for (const auto &endpoint : mine)
        put(outbox.to(directory_of(endpoint->declaration().name, scope)), *endpoint,
            speaks_for_group(endpoint->declaration(), rank));
    return outbox.take();
}

std::vector<transport::Parcel> describe_disputed(Endpoints mine, Endpoints others,
                                                 const std::map<std::string, bool> &disputed,
                                                 const model::Group &scope, int rank) {
    transport::Outbox outbox;
    for (const auto &[name, is_disputed] : disputed) {
        std::vector<const Endpoint *> endpoints;
        for (const auto &endpoint : mine)
            if (endpoint->declaration().name == name)
                endpoints.push_back(endpoint.get());
        const auto bystanders = bystanders_of(name, mine, others, disputed, rank);
        if (endpoints.empty() && bystanders.empty())
            continue;
        Writer &out = outbox.to(directory_of(name, scope));
        out.put(std::string_view(name));
        out.put(static_cast<int64_t>(endpoints.size()));
        for (const Endpoint *endpoint : endpoints)
            put(out, *endpoint, true);
        out.put(static_cast<int64_t>(bystanders.size()));
        for (const Bystander &bystander : bystanders)
            put(out, bystander);
    }
    return outbox.take();
}

std::map<std::string, std::vector<EndpointDescription>>
read_descriptions(std::span<const transport::Parcel> arrived) {
    std::map<std::string, std::vector<EndpointDescription>> by_name;
    for (const transport::Parcel &parcel : arrived)
        for (Reader in(parcel.bytes); !in.done();) {
            EndpointDescription endpoint = get_description(in, parcel.rank);
            by_name[endpoint.name].push_back(std::move(endpoint));
        }
    return by_name;
}

std::map<std::string, Disputed> read_disputed(std::span<const transport::Parcel> arrived) {
    std::map<std::string, Disputed> by_name;
    for (const transport::Parcel &parcel : arrived)
        for (Reader in(parcel.bytes); !in.done();) {
            Disputed &disputed = by_name[in.get_string()];
            for (auto left = in.get<int64_t>(); left > 0; --left)
                disputed.endpoints.push_back(get_description(in, parcel.rank));
            for (auto left = in.get<int64_t>(); left > 0; --left)
                disputed.bystanders.push_back(get_bystander(in, parcel.rank));
        }
    return by_name;
}

// Tags are numbered in the order of `names` and their sinks. All recipients of a name therefore learn the same
// tags.
std::vector<transport::Parcel> answer_endpoints(std::span<const MatchedName> names, int64_t first_tag) {
    transport::Outbox outbox;
    for (const MatchedName &name : names) {
        for (const auto &[rank, recipient] : recipients_of(name)) {
            Writer &out = outbox.to(rank);
            out.put(std::string_view(name.name));
            out.put(name.options.message_bytes);
            out.put(name.options.self_way);
            out.put(name.options.in_place);
            out.put(name.options.compact);
            out.put(name.options.notes);
            out.put(name.options.direct_way);
            out.put(name.stream);
            put(out, name.source, holder_for(name.source, recipient.position), 0);
            out.put(static_cast<int64_t>(recipient.sinks.size()));
            for (size_t k : recipient.sinks)
                put(out, name.sinks[k], holder_for(name.sinks[k], recipient.position),
                    first_tag + static_cast<int64_t>(k) * tags_per_sink(name.stream));
        }
        first_tag += static_cast<int64_t>(name.sinks.size()) * tags_per_sink(name.stream);
    }
    return outbox.take();
}

std::vector<Answer> read_answers(std::span<const transport::Parcel> arrived) {
    std::vector<Answer> answers;
    for (const transport::Parcel &parcel : arrived)
        for (Reader in(parcel.bytes); !in.done();) {
            Answer answer;
            answer.name = in.get_string();
            answer.options.message_bytes = in.get<int64_t>();
            answer.options.self_way = in.get<bool>();
            answer.options.in_place = in.get<bool>();
            answer.options.compact = in.get<bool>();
            answer.options.notes = in.get<bool>();
            answer.options.direct_way = in.get<bool>();
            answer.stream = in.get<bool>();
            answer.source = get_side(in);
            const auto n = in.get<int64_t>();
            for (int64_t k = 0; k < n; ++k)
                answer.sinks.push_back(get_side(in));
            answers.push_back(std::move(answer));
        }
    return answers;
}

} // namespace dri::commit
