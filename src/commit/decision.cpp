// The collective steps of a commit: wire forms of their contents, and how two contents become one on the way up
// the tree. Every combination is associative, so the shape of the tree does not change a result.
#include "commit/decision.hpp"

#include "transport/tree_step.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

Bytes to_bytes(const Counters &counters) { return Writer().put(counters.tag).put(counters.stamp).take(); }

Counters to_counters(const Bytes &bytes) {
    Reader in(bytes);
    Counters counters;
    counters.tag = in.get<int64_t>();
    counters.stamp = in.get<uint64_t>();
    return counters;
}

void keep_furthest(Bytes &content, Bytes &&following) {
    const Counters a = to_counters(content), b = to_counters(following);
    content = to_bytes({std::max(a.tag, b.tag), std::max(a.stamp, b.stamp)});
}

Bytes to_bytes(const Decision &d) {
    Writer out;
    out.put(d.failure.code);
    out.put(d.failure.rank);
    out.put(std::string_view(d.failure.message));
    out.put(d.unmatched.has_value());
    out.put(std::string_view(d.unmatched.value_or("")));
    out.put(d.tags);
    out.put(d.limited);
    out.put(d.first_tag);
    return out.take();
}

Decision to_decision(const Bytes &bytes) {
    Reader in(bytes);
    Decision d;
    d.failure.code = in.get<DRI_Code>();
    d.failure.rank = in.get<int>();
    d.failure.message = in.get_string();
    const bool unmatched = in.get<bool>();
    std::string name = in.get_string();
    if (unmatched)
        d.unmatched = std::move(name);
    d.tags = in.get<int64_t>();
    d.limited = in.get<bool>();
    d.first_tag = in.get<int64_t>();
    return d;
}

// Keeps the first failure by rank: `content` is of the members before those of `following`.
void add(Bytes &content, Bytes &&following) {
    Decision sum = to_decision(content), next = to_decision(following);
    if (sum.failure.code == DRI_SUCCESS)
        sum.failure = std::move(next.failure);
    if (next.unmatched && (!sum.unmatched || *next.unmatched < *sum.unmatched))
        sum.unmatched = std::move(next.unmatched);
    sum.tags += next.tags;
    sum.limited = sum.limited || next.limited;
    content = to_bytes(sum);
}

// The downsweep of decide(): a directory's tags start after the tags of all members before it.
Bytes number_on(const Bytes &answer, const Bytes &before) {
    Decision decision = to_decision(answer);
    decision.first_tag += to_decision(before).tags;
    return to_bytes(decision);
}

// A process that failed may have missed an earlier step. The others wait there for one patience until they time
// out. This process therefore waits for twice that time to meet them here.
transport::Step step_after(const transport::Outcome &mine, const Party &party, std::string_view purpose) {
    transport::Step step = party.step(purpose);
    if (mine.code != DRI_SUCCESS)
        step.deadline += party.patience;
    return step;
}

} // namespace

namespace {

Bytes to_bytes(const Halvings &halvings) {
    Writer out;
    for (const auto &[name, times] : halvings) {
        out.put(std::string_view(name));
        out.put(times);
    }
    return out.take();
}

Halvings to_halvings(const Bytes &bytes) {
    Halvings halvings;
    for (Reader in(bytes); !in.done();) {
        std::string name = in.get_string();
        halvings[std::move(name)] = in.get<int>();
    }
    return halvings;
}

void keep_max(Bytes &content, Bytes &&following) {
    Halvings all = to_halvings(content);
    for (const auto &[name, times] : to_halvings(following))
        all[name] = std::max(all[name], times);
    content = to_bytes(all);
}

} // namespace

Halvings agree_on_halvings(const Party &party, const Halvings &mine) {
    return to_halvings(
        transport::tree_step(party.transport, party.step("agree on lengths"), to_bytes(mine), keep_max));
}

Counters max_counters(const Party &party, const Counters &mine) {
    return to_counters(
        transport::tree_step(party.transport, party.step("agree on tags"), to_bytes(mine), keep_furthest));
}

Decision decide(const Party &party, const Decision &mine) {
    return to_decision(transport::tree_step(party.transport, step_after(mine.failure, party, "match names"),
                                            to_bytes(mine), add, number_on));
}

transport::Outcome agree_outcome(const Party &party, const transport::Outcome &mine) {
    return transport::agree(party.transport, step_after(mine, party, "agree on an outcome"), mine);
}

// The process that found the error keeps its own words. All others learn which process they are from.
void fail_with(const transport::Outcome &shared, const transport::Outcome &mine) {
    if (shared.code == mine.code && shared.message == mine.message)
        throw Error(shared.code, shared.message);
    fail(shared.code, "process {}: {}", shared.rank, shared.message);
}

transport::Outcome outcome_of(const std::function<void()> &steps, int rank) {
    try {
        steps();
        return {};
    } catch (...) {
        const Error e = current_error();
        return {e.code(), e.what(), rank};
    }
}

} // namespace dri::commit
