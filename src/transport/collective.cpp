// Collective steps built on tree_step: all_gather and agree.
#include "transport/collective.hpp"

#include "transport/agreement.hpp"

#include <algorithm>
#include <map>

namespace dri::transport {

namespace {

// A failure with the position of its process among the members, whose order is not that of the ranks.
struct Placed {
    ptrdiff_t position = 0;
    Outcome outcome;
    friend bool operator<(const Placed &a, const Placed &b) { return a.position < b.position; }
    template <class F> static void fields(F f) {
        f(&Placed::position, Keep{});
        f(&Placed::outcome, Keep{});
    }
};
struct PlacedOutcome {
    std::optional<Placed> first; // empty: success
    template <class F> static void fields(F f) { f(&PlacedOutcome::first, Lowest{}); }
};

} // namespace

std::vector<Bytes> all_gather(Transport &transport, const Step &step, Bytes mine) {
    Writer out;
    out.put(std::span<const std::byte>(mine));
    const auto append = [](Bytes &content, Bytes &&following) {
        content.insert(content.end(), following.begin(), following.end());
    };
    const Bytes content = tree_step(transport, step, out.take(), append);
    // The tree returns the contents in ascending order of ranks. The result is in the order of the members.
    std::vector<int> sorted(step.members.begin(), step.members.end());
    std::sort(sorted.begin(), sorted.end());
    std::map<int, Bytes> of_rank;
    Reader in(content);
    for (int rank : sorted)
        of_rank[rank] = in.get_bytes();
    std::vector<Bytes> all;
    for (int rank : step.members)
        all.push_back(std::move(of_rank[rank]));
    return all;
}

Outcome agree(Transport &transport, const Step &step, const Outcome &mine) {
    PlacedOutcome placed;
    if (mine.code != DRI_SUCCESS) {
        placed.first.emplace();
        placed.first->position =
            std::find(step.members.begin(), step.members.end(), transport.rank()) - step.members.begin();
        placed.first->outcome = mine;
        if (mine.rank < 0)
            placed.first->outcome.rank = transport.rank();
    }
    placed = agree_on(transport, step, placed);
    return placed.first ? std::move(placed.first->outcome) : Outcome{};
}

} // namespace dri::transport
