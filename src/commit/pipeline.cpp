// The order of the steps matters:
// - Limits are agreed on before anything is reserved, because they change the plans.
// - Sources are reserved before handles are exchanged, and opened by their pullers after that.
#include "commit/pipeline.hpp"

#include "commit/memory_handles.hpp"
#include "commit/reserve_stage.hpp"
#include "commit/size_stage.hpp"
#include "commit/sized_memory.hpp"
#include "transport/sparse_exchange.hpp"

#include <algorithm>
#include <utility>

namespace dri::commit {

namespace {

// Moves each transfer into the next stage.
template <class From, class To, class F> void advance(std::vector<From> &from, std::vector<To> &to, F stage) {
    to.reserve(from.size());
    for (From &one : from)
        to.push_back(stage(std::move(one)));
    from.clear();
}

bool has(const Planned &planned, const Endpoint &endpoint) {
    return planned.source_endpoint.get() == &endpoint ||
           std::any_of(planned.flows.begin(), planned.flows.end(),
                       [&](const PlannedFlow &flow) { return flow.endpoint.get() == &endpoint; });
}

} // namespace

Pipeline::Pipeline(const Committer &committer, const KnownMemory &memory, Counters &counters)
    : committer_(committer), memory_(memory), counters_(counters), tags_(counters),
      plans_(committer.party.transport.rank()) {}

void Pipeline::run(const std::function<void()> &steps) {
    if (outcome_.code == DRI_SUCCESS)
        outcome_ = outcome_of(steps, committer_.party.transport.rank());
}

void Pipeline::size(Purpose purpose) {
    Matching matching = match_scope(committer_, counters_);
    outcome_ = std::move(matching.outcome);
    matched_ = std::move(matching.transfers);
    run([&] {
        planned_.reserve(matched_.size());
        for (const MatchedTransfer &matched : matched_)
            planned_.push_back(plan_stage(matched, committer_.mine, plans_, memory_));
    });
    if (purpose == Purpose::query || matching.limited) {
        std::vector<transport::Parcel> parcels;
        run([&] { parcels = announce_read_mode(planned_); });
        const auto arrived = exchange_on_nodes("announce how sources are read", std::move(parcels));
        run([&] {
            const ReadSources sources = collect_read_mode(arrived);
            for (Planned &planned : planned_)
                planned = with_tiles(std::move(planned), sources);
        });
        tiles_known_ = true;
    }
    run([&] {
        advance(planned_, sized_, [&](Planned planned) { return size_stage(std::move(planned), plans_); });
    });
    if (matching.limited)
        agree_on_lengths();
}

std::vector<transport::Parcel> Pipeline::exchange_on_nodes(std::string_view purpose,
                                                           std::vector<transport::Parcel> parcels) {
    std::vector<transport::Parcel> arrived;
    if (!committer_.nodes->any_share_memory())
        return arrived;
    agree_or_fail();
    const uint64_t stamp = counters_.stamp++;
    const Party &party = committer_.party;
    run([&] {
        arrived = transport::sparse_exchange(party.transport, party.step(purpose), stamp, std::move(parcels));
    });
    return arrived;
}

// A fixed-point iteration. In each step a process proposes, for each of its names, the longest messages with which
// its endpoints fit, but none longer than agreed so far; all agree on the shortest proposal. It ends when a step
// changes nothing. Lengths only shrink and have max_halvings + 1 values, so it does end. A process that has failed
// proposes nothing.
void Pipeline::agree_on_lengths() {
    Halvings agreed;
    while (true) {
        Halvings mine = agreed;
        run([&] {
            for (const Sized &sized : sized_)
                if (sized.planned.halvings > 0)
                    mine[sized.planned.matched->name] = sized.planned.halvings;
        });
        Halvings all = agree_on_halvings(committer_.party, mine);
        if (all == agreed)
            return;
        agreed = std::move(all);
        run([&] {
            for (Sized &sized : sized_) {
                const auto shorter = agreed.find(sized.planned.matched->name);
                if (shorter == agreed.end() || shorter->second == sized.planned.halvings)
                    continue;
                Planned planned = with_halvings(std::move(sized.planned), shorter->second, plans_);
                sized = size_stage(std::move(planned), plans_);
            }
        });
    }
}

const Sized &Pipeline::sized_with(const Endpoint &endpoint) const {
    const auto found = std::find_if(sized_.begin(), sized_.end(),
                                    [&](const Sized &sized) { return has(sized.planned, endpoint); });
    if (found == sized_.end())
        fail(DRI_ERR_INTERNAL, "transfer '{}' has no plan", endpoint.declaration().name);
    return *found;
}

// The plans are released before the smallest ones are made. Those tell lengths only: their many short messages
// would need more memory than the plans of a commit. They are kept for the next endpoint: it may be of the same
// transfer and share them.
std::vector<Pipeline::Answer> Pipeline::answer(std::span<const std::shared_ptr<Endpoint>> endpoints) {
    std::vector<Answer> answers;
    std::vector<Planned> unplanned;
    for (const auto &endpoint : endpoints) {
        const Sized &sized = sized_with(*endpoint);
        answers.push_back({memory_of(*endpoint, sized), plan_bytes_of(*endpoint, sized)});
        unplanned.push_back(without_plans(sized.planned));
    }
    sized_.clear();
    Sized smallest;
    for (size_t i = 0; i < endpoints.size(); ++i) {
        smallest = size_minimum(*endpoints[i], unplanned[i], plans_);
        answers[i].least_bytes = memory_of(*endpoints[i], smallest).workspace();
    }
    return answers;
}

// Other processes wait while this one measures. All measuring therefore uses at most a quarter of their patience,
// and at most half a second for each transfer.
double Pipeline::measuring_seconds() const {
    constexpr double max_seconds = 0.5, max_part_of_patience = 0.25;
    const auto transfers = std::count_if(reserved_.begin(), reserved_.end(), [](const Reserved &reserved) {
        return measures(reserved.sized.planned);
    });
    const double patience = std::chrono::duration<double>(committer_.party.patience).count();
    return std::min(max_seconds,
                    max_part_of_patience * patience / static_cast<double>(std::max<int64_t>(transfers, 1)));
}

void Pipeline::bind(const Binder &binder) {
    std::vector<transport::Parcel> offers;
    run([&] {
        advance(sized_, reserved_, [&](Sized sized) { return reserve_stage(std::move(sized), memory_.user); });
        for (const Reserved &reserved : reserved_)
            if (reserved.source && reserved.source->shared)
                offered_.push_back(reserved.source->shared);
        offers = offer_source_handles(reserved_);
    });
    const auto arrived = exchange_on_nodes("announce shared memory", std::move(offers));
    run([&] {
        const SourceHandles handles = read_source_handles(arrived);
        if (!tiles_known_) {
            const ReadSources sources = read_mode_of(handles);
            for (Reserved &reserved : reserved_)
                reserved.sized.planned = with_tiles(std::move(reserved.sized.planned), sources);
        }
        const double seconds = measuring_seconds();
        advance(reserved_, bound_, [&](Reserved reserved) {
            binder.chooser.allow(seconds);
            return bind_stage(std::move(reserved), handles, binder);
        });
    });
}

} // namespace dri::commit
