// Commits the endpoints of a table on every rank of a loopback world, up to the matched transfers.
#pragma once

#include "commit/protocol.hpp"
#include "support/counting_transport.hpp"
#include "unit/transport_threads.hpp"

namespace dri::test {

// The declarations of one group; `here` selects the processes that make them.
struct SideDeclared {
    std::string name;
    dri::commit::Role role = dri::commit::Role::source;
    std::shared_ptr<const dri::model::Distribution> dist;
    std::function<dri::model::Layout(int rank)> layout = [](int) { return dri::model::Layout{}; };
    std::function<bool(int rank)> here = [](int) { return true; };
};

struct Committed {
    int rank = 0;
    dri::Error error{DRI_SUCCESS, ""};
    std::vector<dri::commit::MatchedTransfer> transfers;
    dri::commit::Counters counters;
    bool shared = false; // all processes have the same error
    Received received;
};

inline std::vector<int> stepping(int n, int first = 0, int step = 1) {
    std::vector<int> ranks;
    for (int i = 0; i < n; ++i)
        ranks.push_back(first + i * step);
    return ranks;
}

inline std::shared_ptr<const dri::model::Distribution> cut_evenly(int64_t size, const std::vector<int> &ranks) {
    dri::model::CutRule blocks;
    blocks.kind = dri::model::CutKind::block;
    const std::vector<int64_t> sizes{size};
    return std::make_shared<dri::model::Distribution>(
        dri::model::make_gdo(dri::model::make_real(dri::Scalar::float32), sizes), dri::model::Partition{blocks},
        dri::model::Group(ranks));
}

inline std::shared_ptr<dri::commit::Endpoint> make_endpoint(const SideDeclared &side, int rank) {
    dri::commit::Declaration d;
    d.name = side.name;
    d.role = side.role;
    d.dist = side.dist;
    d.layout = side.layout(rank);
    d.buffers = {nullptr};
    return std::make_shared<dri::commit::Endpoint>(std::move(d), rank);
}

inline Committed commit_endpoints(dri::transport::Transport &inner, const dri::model::Group &scope,
                                  const std::vector<SideDeclared> &sides, const dri::commit::Counters &counters,
                                  std::chrono::nanoseconds patience) {
    CountingTransport transport(inner);
    Committed one;
    one.rank = transport.rank();
    one.counters = counters;
    std::vector<std::shared_ptr<dri::commit::Endpoint>> mine;
    dri::commit::KnownDistributions known;
    for (const SideDeclared &side : sides)
        if (side.dist->group().position(one.rank) && side.here(one.rank)) {
            mine.push_back(make_endpoint(side, one.rank));
            known.emplace(side.dist->id(), side.dist);
        }
    try {
        dri::commit::Matching matching = dri::commit::match_scope(
            {{transport, "DRI_commit", scope, patience, nullptr}, mine, known, nullptr}, one.counters);
        one.transfers = std::move(matching.transfers);
        if (matching.outcome.code != DRI_SUCCESS)
            one.error = dri::Error(matching.outcome.code, matching.outcome.message);
    } catch (const dri::Error &error) {
        one.error = error;
        one.shared = true;
    }
    one.received = transport.received();
    return one;
}

// Commits over the world. The result is indexed by rank.
inline std::vector<Committed> commit_scope(
    int size, const std::vector<SideDeclared> &sides,
    const std::function<dri::commit::Counters(int rank)> &counters = [](int) { return dri::commit::Counters{}; }) {
    const dri::model::Group scope(stepping(size));
    std::vector<Committed> all(static_cast<size_t>(size));
    on_ranks(size, [&](dri::transport::Transport &transport) {
        const int rank = transport.rank();
        all[static_cast<size_t>(rank)] =
            commit_endpoints(transport, scope, sides, counters(rank), std::chrono::seconds(60));
    });
    return all;
}

} // namespace dri::test
