#include "planner/planner.hpp"

#include "plan/tiles.hpp"
#include "planner/messages.hpp"
#include "planner/pads.hpp"
#include "planner/partners.hpp"
#include "planner/serving.hpp"

#include <algorithm>
#include <optional>

namespace dri {

namespace {

// A part without blocks along a dimension holds nothing, whatever it has along the others.
bool is_empty(const Distribution &dist, int position) {
    for (size_t d = 0; d < dist.ndims(); ++d)
        if (dist.places(position, d).num_blocks() == 0)
            return true;
    return false;
}

// The own part goes through no staging memory: its pieces may be longer than messages.
constexpr int64_t own_chunks = 4;

class Planning {
public:
    Planning(const Side &source, const Side &sink, const PlanOptions &options, int rank, const NodeMap &nodes)
        : source_(source), sink_(sink), options_(options), nodes_(nodes) {
        plan_.rank = rank;
    }

    Plan make() {
        const auto from = source_.dist->group().position(plan_.rank);
        const auto to = sink_.dist->group().position(plan_.rank);
        if (from && !is_empty(*source_.dist, *from))
            plan_sends(*from);
        if (to && !is_empty(*sink_.dist, *to))
            plan_receives(*to);
        // Peers in rounds: in round k everyone sends to the k-th process after it.
        const auto distance = [](int a, int b) { return b >= a ? int64_t{b} - a : (int64_t{1} << 32) + b - a; };
        const int me = plan_.rank;
        std::stable_sort(plan_.sends.begin(), plan_.sends.end(), [&](const Message &a, const Message &b) {
            return distance(me, a.peer) < distance(me, b.peer);
        });
        std::stable_sort(plan_.receives.begin(), plan_.receives.end(), [&](const Message &a, const Message &b) {
            return distance(a.peer, me) < distance(b.peer, me);
        });
        std::sort(plan_.pulls.begin(), plan_.pulls.end(),
                  [&](const Pull &a, const Pull &b) { return distance(a.peer, me) < distance(b.peer, me); });
        // Pieces, between which messages move on.
        if (!plan_.sends.empty() || !plan_.receives.empty())
            plan_.self = cut_copies(plan_.self, options_.chunk_bytes > INT64_MAX / own_chunks
                                                    ? options_.chunk_bytes
                                                    : options_.chunk_bytes * own_chunks);
        return std::move(plan_);
    }

private:
    // Where fewer processes receive than send, the senders turn.
    Turn turn() const {
        return sink_.dist->group().size() < source_.dist->group().size() ? Turn::at_pack : Turn::at_unpack;
    }

    std::vector<Message> messages(const std::vector<StridedCopy> &copies, int peer) const {
        return split_messages(
            copies, peer, message_limit(copies, options_.message_bytes, options_.chunk_bytes, options_.halvings));
    }

    void plan_sends(int position) {
        if (count_elements(sink_.dist->gdo().sizes) == 0)
            return;
        const PlacedPart mine = placed_part(source_, position);
        const Servers servers(*source_.dist, source_.dist->part_of_position(position), nodes_);
        for_each_partner(PartOf::source, mine, *source_.dist, *sink_.dist, [&](int64_t other, const auto &common) {
            for (int64_t k = 0; k < sink_.dist->replicas(); ++k) {
                const int to = sink_.dist->position_of_part(other, k);
                if (servers.rank_for(*sink_.dist, to) != plan_.rank)
                    continue;
                const Placement theirs = placement_of(sink_, to);
                const auto copies = make_copies(common, mine.placement, theirs, sink_.scale, options_.gathering);
                const int peer = sink_.dist->group().rank(to);
                if (peer == plan_.rank && options_.self_way) {
                    plan_.self.insert(plan_.self.end(), copies.begin(), copies.end());
                    continue;
                }
                if (goes_direct(peer)) {
                    plan_.takers.push_back({peer, copies_bytes(copies), reads_in_long_pieces(copies)});
                    continue;
                }
                for (const Message &m : messages(copies, peer))
                    plan_.sends.push_back(pack_half(m, turn()));
            }
        });
    }

    void plan_receives(int position) {
        const PlacedPart mine = placed_part(sink_, position);
        plan_.zeros = zero_pads(mine);
        if (count_elements(source_.dist->gdo().sizes) == 0)
            return;
        for_each_partner(PartOf::sink, mine, *source_.dist, *sink_.dist, [&](int64_t other, const auto &common) {
            const int peer = Servers(*source_.dist, other, nodes_).rank_for(*sink_.dist, position);
            if (peer == plan_.rank && options_.self_way)
                return; // plan_sends has it
            const Placement theirs = placement_of(source_, *source_.dist->group().position(peer));
            // The same copies as the sender's, so that both cut them into the same messages.
            const auto copies = make_copies(common, theirs, mine.placement, sink_.scale, options_.gathering);
            if (goes_direct(peer)) {
                plan_.pulls.push_back({peer, copies});
                return;
            }
            for (const Message &m : messages(copies, peer))
                plan_.receives.push_back(unpack_half(m, turn()));
        });
    }

    bool goes_direct(int peer) const {
        return options_.direct_way && peer != plan_.rank && nodes_.share_memory(peer, plan_.rank);
    }

    const Side &source_;
    const Side &sink_;
    PlanOptions options_;
    const NodeMap &nodes_;
    Plan plan_;
};

} // namespace

Plan make_plan(const Side &source, const Side &sink, const PlanOptions &options, int rank, const NodeMap &nodes) {
    return Planning(source, sink, options, rank, nodes).make();
}

} // namespace dri
