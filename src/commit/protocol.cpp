// Matching by name over all processes of a scope, in these steps:
// 1. Each process sends descriptions of its endpoints to the directories of their names, which match them.
// 2. One collective step finds the first failure, or numbers the message tags (decide).
// 3. The directories answer. Each process requests the distributions that it lacks, and serves those requested.
#include "commit/protocol.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <set>

namespace dri::commit {

namespace {

// One for each sparse exchange: descriptions, then answers, requests and distributions. A commit that fails may
// use fewer, but counts as many, so no stamp is used twice.
constexpr uint64_t stamps_per_commit = 4;

// The steps of one commit. A process that fails locally keeps the failure as its outcome and takes part in the
// following steps without contents of its own, so that the others need not wait for it.
class Protocol {
public:
    Protocol(const Committer &committer, const Counters &counters)
        : c_(committer), stamp_(counters.stamp), first_tag_(counters.tag), known_(committer.known),
          outcome_(committer.before) {}

    int64_t find_names();
    std::vector<MatchedTransfer> learn();
    const transport::Outcome &outcome() const { return outcome_; }
    bool limited() const { return limited_; }

private:
    transport::Transport &transport() const { return c_.party.transport; }
    const model::Group &scope() const { return c_.party.group; }
    std::vector<transport::Parcel> exchange(const transport::Step &step, std::vector<transport::Parcel> parcels);
    template <class F> auto run_unless_failed(F steps) -> decltype(steps());
    [[noreturn]] void explain(const MatchSummary &all);
    std::vector<transport::Parcel> request(std::span<const Answer> answers);
    std::vector<transport::Parcel> serve(std::span<const transport::Parcel> requests) const;
    void take_distributions(std::vector<transport::Parcel> arrived);
    planner::Side side(const SideAnswer &answer) const;
    MatchedTransfer transfer(const Answer &answer) const;

    const Committer &c_;
    uint64_t stamp_;
    int64_t first_tag_; // the first unused tag: of the scope, and after find_names() of this directory
    std::vector<MatchedName> names_;
    KnownDistributions known_;
    std::map<int, std::vector<Digest>> requested_; // by holder
    bool limited_ = false;
    transport::Outcome outcome_;
};

// Runs local steps unless this process has failed before. A failure becomes the outcome; the result is then empty.
template <class F> auto Protocol::run_unless_failed(F steps) -> decltype(steps()) {
    decltype(steps()) result{};
    if (outcome_.code == DRI_SUCCESS)
        outcome_ = outcome_of([&] { result = steps(); }, transport().rank());
    return result;
}

// A sparse exchange in which a process takes part even if it has failed. The first failure stays the outcome.
std::vector<transport::Parcel> Protocol::exchange(const transport::Step &step,
                                                  std::vector<transport::Parcel> parcels) {
    std::vector<transport::Parcel> arrived;
    const transport::Outcome here =
        outcome_of([&] { arrived = transport::sparse_exchange(transport(), step, stamp_++, std::move(parcels)); },
                   transport().rank());
    if (outcome_.code == DRI_SUCCESS)
        outcome_ = here;
    return arrived;
}

// Matches the names of which this process is the directory, and agrees with all others on the result. Returns the
// number of tags that all names of the scope need.
int64_t Protocol::find_names() {
    const int rank = transport().rank();
    auto arrived = exchange(c_.party.step("describe endpoints"),
                            run_unless_failed([&] { return describe_endpoints(c_.mine, scope(), rank); }));
    MatchSummary mine;
    const auto endpoints = run_unless_failed([&] { return read_descriptions(arrived); });
    for (const auto &[key, value] : endpoints) {
        const auto &name = key; // clang before 16 cannot capture a structured binding
        const auto &described = value;
        const transport::Outcome match =
            outcome_of([&] { names_.push_back(match_endpoints(name, described, scope())); }, rank);
        if (match.code != DRI_SUCCESS) {
            ++mine.disputes;
            if (mine.disputed.size() < max_disputed) // names are in rising order
                mine.disputed.emplace(name, true);
            continue;
        }
        mine.tags += static_cast<int64_t>(names_.back().sinks.size()) * tags_per_sink(names_.back().stream);
    }
    mine.failure = outcome_;
    for (const auto &endpoint : c_.mine) {
        const Attributes &attributes = endpoint->declaration().attributes;
        mine.limited = mine.limited || attributes.workspace_limit != no_limit;
    }
    const MatchSummary all = decide(c_.party, mine);
    if (all.failure.code != DRI_SUCCESS)
        fail_with(all.failure, outcome_);
    if (all.disputes > 0)
        explain(all);
    const int64_t limit = transport().exchange_tags();
    if (all.tags > limit - first_tag_)
        fail(DRI_ERR_LIMIT, "all {} message tags of this MPI are used up", limit);
    first_tag_ += all.first_tag;
    limited_ = all.limited;
    return all.tags;
}

// Fails with the code of the lowest name that does not match, and the messages of all. The endpoints of these
// names are described again, each with the head of its distribution. A commit that succeeds does not pay for these
// heads.
void Protocol::explain(const MatchSummary &all) {
    const auto arrived =
        exchange(c_.party.step("explain a mismatch"), run_unless_failed([&] {
                     return describe_disputed(c_.mine, c_.others, all.disputed, scope(), transport().rank());
                 }));
    Disputes found;
    const auto disputed = run_unless_failed([&] { return read_disputed(arrived); });
    for (const auto &[key, value] : disputed) {
        const auto &name = key; // as in find_names()
        const Disputed &described = value;
        if (described.endpoints.empty())
            continue;
        found[name] =
            outcome_of([&] { match_endpoints(name, described.endpoints, scope(), described.bystanders); },
                       transport().rank());
    }
    const Disputes disputes = gather_disputes(c_.party, outcome_, found);
    std::string message;
    DRI_Code code = DRI_SUCCESS;
    for (const auto &[name, outcome] : disputes) {
        if (outcome.code == DRI_SUCCESS)
            continue;
        message += (code == DRI_SUCCESS ? "" : "; ") + outcome.message;
        code = code == DRI_SUCCESS ? outcome.code : code;
    }
    const auto untold = all.disputes - std::ssize(disputes);
    if (untold > 0)
        message += fmt::format("; {} more name{} not match", untold, untold == 1 ? " does" : "s do");
    if (code == DRI_SUCCESS)
        fail(DRI_ERR_INTERNAL, "transfer '{}' did not match at first, but matches when it is described in full",
             all.disputed.begin()->first);
    throw Error(code, message);
}

// Requests each distribution of the answers that this process lacks, once, from the holder that its answer names.
std::vector<transport::Parcel> Protocol::request(std::span<const Answer> answers) {
    std::set<Digest> asked;
    const auto want = [&](const SideAnswer &side) {
        if (known_.contains(side.dist))
            return;
        if (asked.insert(side.dist).second)
            requested_[side.holder].push_back(side.dist);
    };
    for (const Answer &answer : answers) {
        want(answer.source);
        for (const SideAnswer &sink : answer.sinks)
            want(sink);
    }
    transport::Outbox outbox;
    for (const auto &[holder, wanted] : requested_)
        for (const Digest &id : wanted)
            put(outbox.to(holder), id);
    return outbox.take();
}

// The wire forms of the distributions that others request of this process, in the order of each request.
std::vector<transport::Parcel> Protocol::serve(std::span<const transport::Parcel> requests) const {
    transport::Outbox outbox;
    for (const transport::Parcel &parcel : requests)
        for (Reader in(parcel.bytes); !in.done();) {
            const auto dist = known_.find(get_digest(in));
            if (dist == known_.end())
                fail(DRI_ERR_INTERNAL, "process {} requests a distribution that this process does not hold",
                     parcel.rank);
            outbox.to(parcel.rank).put(std::span<const std::byte>(dist->second->wire()));
        }
    return outbox.take();
}

// A holder sends distributions in the order in which they were requested. The digest confirms each of them. They
// may be long, so each parcel is freed when it has been read.
void Protocol::take_distributions(std::vector<transport::Parcel> arrived) {
    for (transport::Parcel &parcel : arrived) {
        Reader in(parcel.bytes);
        for (const Digest &id : requested_[parcel.rank]) {
            auto dist = std::make_shared<model::Distribution>(model::Distribution::from_wire(in.view_bytes()));
            if (dist->id() != id)
                fail(DRI_ERR_INTERNAL, "process {} sent another distribution than the requested one", parcel.rank);
            known_[id] = std::move(dist);
        }
        parcel.bytes = Bytes();
    }
}

planner::Side Protocol::side(const SideAnswer &answer) const {
    return {known_.at(answer.dist), answer.layouts, answer.scale, answer.strips};
}

MatchedTransfer Protocol::transfer(const Answer &answer) const {
    MatchedTransfer transfer;
    transfer.name = answer.name;
    transfer.source = side(answer.source);
    transfer.options = answer.options;
    transfer.nodes = c_.nodes;
    transfer.rank = transport().rank();
    transfer.stream = answer.stream;
    for (const SideAnswer &sink : answer.sinks) {
        transfer.sinks.push_back(side(sink));
        transfer.tags.push_back(sink.tag);
        transfer.drops.push_back(sink.drops);
        transfer.every.push_back(sink.every);
        transfer.phase.push_back(sink.phase);
    }
    return transfer;
}

// The three exchanges have one deadline together. A process that misses it must not delay the others once for each
// exchange.
std::vector<MatchedTransfer> Protocol::learn() {
    transport::Step step = c_.party.step("announce matches");
    const auto arrived = exchange(step, run_unless_failed([&] { return answer_endpoints(names_, first_tag_); }));
    const auto answers = run_unless_failed([&] { return read_answers(arrived); });
    step.purpose = "request distributions";
    const auto requests = exchange(step, run_unless_failed([&] { return request(answers); }));
    step.purpose = "send distributions";
    auto served = exchange(step, run_unless_failed([&] { return serve(requests); }));
    auto transfers = run_unless_failed([&] {
        take_distributions(std::move(served));
        std::vector<MatchedTransfer> out;
        for (const Answer &answer : answers)
            out.push_back(transfer(answer));
        return out;
    });
    std::sort(transfers.begin(), transfers.end(),
              [](const MatchedTransfer &a, const MatchedTransfer &b) { return a.name < b.name; });
    return transfers;
}

} // namespace

// The counters are made equal first, because a process may have taken part in commits that others did not.
Matching match_scope(const Committer &committer, Counters &counters) {
    counters = max_counters(committer.party, counters);
    Protocol protocol(committer, counters);
    counters.stamp += stamps_per_commit;
    counters.tag += protocol.find_names();
    Matching matching{protocol.learn(), protocol.limited(), {}};
    matching.outcome = protocol.outcome();
    return matching;
}

} // namespace dri::commit
