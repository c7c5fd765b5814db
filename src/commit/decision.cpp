// The collective steps of a commit.
#include "commit/decision.hpp"

#include "transport/agreement.hpp"

namespace dri::commit {

namespace {

struct HalvingsRecord {
    Halvings all;
    template <class F> static void fields(F f) { f(&HalvingsRecord::all, transport::Largest{}); }
};

struct DisputesRecord {
    transport::Outcome failure;
    Disputes all;
    template <class F> static void fields(F f) {
        f(&DisputesRecord::failure, transport::First{});
        f(&DisputesRecord::all, transport::LowestKeys<max_disputed>{});
    }
};

// A process that failed may have missed an earlier step. The others wait there for one patience until they time
// out. This process therefore waits for twice that time to meet them here.
transport::Step step_after(const transport::Outcome &mine, const Party &party, std::string_view purpose) {
    transport::Step step = party.step(purpose);
    if (mine.code != DRI_SUCCESS)
        step.deadline += party.patience;
    return step;
}

} // namespace

Halvings agree_on_halvings(const Party &party, const Halvings &mine) {
    return transport::agree_on(party.transport, party.step("agree on message lengths"), HalvingsRecord{mine}).all;
}

Counters max_counters(const Party &party, const Counters &mine) {
    return transport::agree_on(party.transport, party.step("start together"), mine);
}

MatchSummary decide(const Party &party, const MatchSummary &mine) {
    return transport::agree_and_number<&MatchSummary::tags, &MatchSummary::first_tag>(
        party.transport, step_after(mine.failure, party, "match names"), mine);
}

Disputes gather_disputes(const Party &party, const transport::Outcome &mine, const Disputes &found) {
    DisputesRecord record = transport::agree_on(party.transport, step_after(mine, party, "gather mismatches"),
                                                DisputesRecord{mine, found});
    if (record.failure.code != DRI_SUCCESS)
        fail_with(record.failure, mine);
    return std::move(record.all);
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

void agree_or_fail(const Party &party, const transport::Outcome &mine) {
    const transport::Outcome shared = agree_outcome(party, mine);
    if (shared.code != DRI_SUCCESS)
        fail_with(shared, mine);
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
