// Makes the plan of one rank: finds what it shares with each peer, chooses the way, and cuts messages.
#include "planner/planner.hpp"

#include "model/distribution.hpp"
#include "model/gdo.hpp"
#include "model/group.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"
#include "plan/in_place.hpp"
#include "plan/tiles.hpp"
#include "planner/arranging.hpp"
#include "planner/in_place_method.hpp"
#include "planner/messages.hpp"
#include "planner/pads.hpp"
#include "planner/pair_messages.hpp"
#include "planner/partners.hpp"
#include "planner/serving.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_map>

namespace dri::planner {

namespace {

// A part without blocks along one dimension holds no element, whatever it holds along the others.
bool is_empty(const model::Distribution &dist, int position) {
    for (size_t d = 0; d < dist.ndims(); ++d)
        if (dist.axis_view(position, d).num_blocks() == 0)
            return true;
    return false;
}

// The copies to, or from, each peer, in the order in which the peers were found.
class CopiesByPeer {
public:
    struct Peer {
        int rank = 0;
        std::vector<plan::StridedCopy> copies;
    };

    void add(int rank, const std::vector<plan::StridedCopy> &copies, int64_t sink_offset) {
        const auto [at, is_new] = peer_index_.try_emplace(rank, peers_.size());
        if (is_new)
            peers_.push_back({rank, {}});
        std::vector<plan::StridedCopy> &all = peers_[at->second].copies;
        all.insert(all.end(), copies.begin(), copies.end());
        for (auto copy = all.end() - std::ssize(copies); copy != all.end(); ++copy)
            copy->dst_offset += sink_offset;
    }
    const std::vector<Peer> &all() const { return peers_; }

private:
    std::vector<Peer> peers_;
    std::unordered_map<int, size_t> peer_index_;
};

// Each strip as a side of its own. Without strips, the side itself.
std::vector<Side> strips_of(const Side &side) {
    std::vector<Side> sides;
    for (int64_t k = 0; k < model::count_strips(side.strips, *side.dist); ++k)
        sides.push_back({model::strip_of(side.dist, side.strips, k), side.layouts, side.scale});
    return sides;
}

// Whether the boxes of two GDOs share elements of their root.
bool may_meet(const model::Gdo &a, const model::Gdo &b) {
    for (size_t d = 0; d < a.ndims(); ++d)
        if (a.sizes[d] == 0 || b.sizes[d] == 0 || a.offset[d] + a.sizes[d] <= b.offset[d] ||
            b.offset[d] + b.sizes[d] <= a.offset[d])
            return false;
    return true;
}

// Columns of overlap: short pieces in memory lines of their own. The owner packs so many of them from its own
// cache in less time than a peer fetches the lines, of each of which it needs a piece.
constexpr int64_t bytes_of_short_piece = 64, least_distance = 128, many_pieces = 1024;

bool are_columns(const std::vector<plan::StridedCopy> &copies) {
    int64_t pieces = 0;
    for (const plan::StridedCopy &copy : copies)
        if (copy.run_bytes > 0 && copy.run_bytes <= bytes_of_short_piece && !copy.loops.empty() &&
            std::abs(copy.loops.back().src_stride) >= least_distance)
            pieces += plan::copy_bytes(copy) / copy.run_bytes;
    return pieces >= many_pieces;
}

// The state of one planning run. The plan's lists follow the strips of the source.
class Planning {
public:
    Planning(const Side &source, const Side &sink, const PlanOptions &options, int rank, const NodeMap &nodes)
        : source_(source), sink_(sink), sinks_(strips_of(sink)), options_(options), nodes_(nodes) {
        plan_.rank = rank;
        method_ = in_place_method(source, sink, options);
        plan_.note_bytes = options.notes ? plan::window_note_bytes : 0;
    }

    plan::Plan make() {
        const std::vector<Side> sources = strips_of(source_);
        const auto from = source_.dist->group().position(plan_.rank);
        const auto to = sink_.dist->group().position(plan_.rank);
        if (to)
            plan_pads(*to);
        for (size_t k = 0; k < sources.size(); ++k) {
            if (from && !is_empty(*sources[k].dist, *from))
                plan_sends(sources[k], *from);
            if (to && !(from && stays_here()))
                plan_receives(sources[k], *to, k, sources.size());
            if (sources.size() > 1)
                plan_.strips.push_back(
                    {plan_.self.size(), plan_.sends.size(), plan_.receives.size(), plan::puller_bytes(plan_)});
        }
        plan_.sends.shrink_to_fit();
        plan_.receives.shrink_to_fit();
        const int me = plan_.rank;
        std::stable_sort(plan_.pulls.begin(), plan_.pulls.end(), [&](const plan::Pull &a, const plan::Pull &b) {
            return distance(a.peer, me) < distance(b.peer, me);
        });
        if (options_.in_place)
            return order_in_place();
        // Messages advance between the pieces of the own part.
        if (options_.made_for == PlanFor::frames && (!plan_.sends.empty() || !plan_.receives.empty()))
            cut_own(options_.chunk_bytes);
        return std::move(plan_);
    }

private:
    // Order of peers: in round k every process sends to the k-th process after it.
    static int64_t distance(int a, int b) { return b >= a ? int64_t{b} - a : (int64_t{1} << 32) + b - a; }

    bool arranges() const { return method_ == InPlaceMethod::arranged; }
    // Whether data may be read where they lie until the frame is complete: nothing overwrites them.
    bool keeps_sent() const { return method_ == InPlaceMethod::none || method_ == InPlaceMethod::overlap_only; }
    bool copies_own() const { return options_.self_way && keeps_sent(); }
    Pair pair_with(int peer) const { return {source_, sink_, options_, nodes_, plan_.rank, peer, method_}; }

    // Appends messages as their sender or receiver runs them. Arranged messages stay copies from buffer to buffer;
    // arrange() splits them.
    void add_halves(std::vector<plan::Message> &all, std::vector<plan::Message> to_one,
                    plan::Message (*half)(const plan::Message &, ReorderAt)) {
        if (to_one.empty())
            return;
        if (options_.made_for == PlanFor::lengths) {
            all.insert(all.end(), to_one.begin(), to_one.end());
            return;
        }
        const ReorderAt side = reorder_at(pair_with(to_one.front().peer), to_one);
        for (const plan::Message &m : to_one)
            add_message(all, arranges() ? m : half(m, side), forms_);
    }

    // Copies that need messages. In place, copies to the own process that keep their address need none.
    std::vector<plan::StridedCopy> moving(const std::vector<plan::StridedCopy> &copies, int peer) const {
        std::vector<plan::StridedCopy> all = copies;
        if (options_.in_place && !arranges() && peer == plan_.rank)
            std::erase_if(all, plan::is_identity_in_place);
        return all;
    }

    // Sorts messages by rounds, as InPlaceOrder requires, and derives the order of packing and unpacking.
    plan::Plan order_in_place() {
        const auto by_round = [](const plan::Message &a, const plan::Message &b) { return a.round < b.round; };
        std::stable_sort(plan_.sends.begin(), plan_.sends.end(), by_round);
        std::stable_sort(plan_.receives.begin(), plan_.receives.end(), by_round);
        Arranged arranged;
        if (arranges())
            arranged = arrange(plan_);
        plan_.in_place = plan::in_place_order(plan_.sends, plan_.receives);
        plan_.in_place->keeps_sent = keeps_sent();
        plan_.in_place->before = std::move(arranged.before);
        plan_.in_place->after = std::move(arranged.after);
        for (std::vector<plan::Message> *messages : {&plan_.sends, &plan_.receives})
            for (plan::Message &m : *messages)
                forms_.share(m.copies);
        return std::move(plan_);
    }

    // Distance in bytes from one strip of a sink's store to the next.
    int64_t sink_step(int position) const {
        if (sinks_.size() == 1)
            return 0;
        const int64_t bytes =
            std::max(buffer_bytes(sinks_.front(), position), buffer_bytes(sinks_.back(), position));
        return model::strip_step(bytes, sink_.dist->gdo().type);
    }

    // Cuts the own part into sections of about `limit` bytes, strip by strip.
    void cut_own(int64_t limit) {
        const std::vector<plan::StridedCopy> all = std::move(plan_.self);
        plan_.self.clear();
        size_t first = 0;
        const auto cut_until = [&](size_t end) {
            const std::vector<plan::StridedCopy> part(all.begin() + static_cast<std::ptrdiff_t>(first),
                                                      all.begin() + static_cast<std::ptrdiff_t>(end));
            for (plan::StridedCopy &copy : cut_copies(part, limit))
                plan_.self.push_back(std::move(copy));
            first = end;
        };
        for (plan::Plan::Strip &strip : plan_.strips) {
            cut_until(strip.self);
            strip.self = plan_.self.size();
        }
        cut_until(all.size());
    }

    // Whether all of the source is in this process and its sink needs no message. plan_sends then plans
    // everything.
    bool stays_here() const {
        return source_.dist->group().size() == 1 && options_.self_way && !options_.in_place;
    }

    void plan_pads(int position) {
        const int64_t step = sink_step(position);
        for (size_t t = 0; t < sinks_.size(); ++t) {
            if (is_empty(*sinks_[t].dist, position))
                continue;
            for (plan::StridedCopy &fill : zero_pads(part_view(sinks_[t], position))) {
                fill.dst_offset += static_cast<int64_t>(t) * step;
                plan_.zeros.push_back(std::move(fill));
            }
        }
    }

    // Finds what other processes receive from this one, and sorts it by way: self, direct or message. The self
    // copies of both sides are planned only here.
    void plan_sends(const Side &source, int position) {
        const PartView mine = part_view(source, position);
        const Servers servers(*source.dist, source.dist->part_of_position(position), nodes_);
        CopiesByPeer found;
        for (size_t t = 0; t < sinks_.size(); ++t) {
            const Side &sink = sinks_[t];
            if (!may_meet(source.dist->gdo(), sink.dist->gdo()))
                continue;
            for_each_partner(PartOf::source, mine, *source.dist, *sink.dist,
                             [&](int64_t other, std::span<const Shared *const> shared) {
                                 for (int64_t k = 0; k < sink.dist->replicas(); ++k) {
                                     const int to = sink.dist->position_of_part(other, k);
                                     if (servers.rank_for(*sink.dist, to) != plan_.rank)
                                         continue;
                                     const model::BufferShape theirs = buffer_shape_of(sink, to);
                                     found.add(
                                         sink.dist->group().rank(to),
                                         make_copies(shared, mine.shape, theirs, sink.scale, options_.gathering),
                                         static_cast<int64_t>(t) * sink_step(to));
                                 }
                             });
        }
        const size_t first = plan_.sends.size();
        for (const auto &[peer, copies] : found.all()) {
            const bool own = peer == plan_.rank;
            if (own && copies_own()) {
                plan_.self.insert(plan_.self.end(), copies.begin(), copies.end());
                continue;
            }
            if (own && options_.in_place && !arranges())
                std::copy_if(copies.begin(), copies.end(), std::back_inserter(plan_.self),
                             plan::is_identity_in_place);
            if (goes_direct(peer, copies))
                add_puller({peer, plan::copies_bytes(copies), plan::reads_in_long_pieces(copies)});
            else
                add_halves(plan_.sends, messages_of(pair_with(peer), moving(copies, peer)), pack_half);
        }
        const int me = plan_.rank;
        std::stable_sort(plan_.sends.begin() + static_cast<std::ptrdiff_t>(first), plan_.sends.end(),
                         [&](const plan::Message &a, const plan::Message &b) {
                             return distance(me, a.peer) < distance(me, b.peer);
                         });
    }

    // Plans what this process receives of strip number `strip` of the source, which has `strips` strips.
    void plan_receives(const Side &source, int position, size_t strip, size_t strips) {
        CopiesByPeer found;
        const int64_t step = sink_step(position);
        for (size_t t = 0; t < sinks_.size(); ++t) {
            const Side &sink = sinks_[t];
            if (!may_meet(source.dist->gdo(), sink.dist->gdo()) || is_empty(*sink.dist, position))
                continue;
            const PartView mine = part_view(sink, position);
            for_each_partner(
                PartOf::sink, mine, *source.dist, *sink.dist,
                [&](int64_t other, std::span<const Shared *const> shared) {
                    const int peer = Servers(*source.dist, other, nodes_).rank_for(*sink.dist, position);
                    if (peer == plan_.rank && copies_own())
                        return; // plan_sends adds it
                    const model::BufferShape theirs =
                        buffer_shape_of(source, *source.dist->group().position(peer));
                    // These are the same copies as the sender's. Both processes therefore cut them into the same
                    // messages.
                    found.add(peer, make_copies(shared, theirs, mine.shape, sink.scale, options_.gathering),
                              static_cast<int64_t>(t) * step);
                });
        }
        const size_t first = plan_.receives.size();
        for (const auto &[peer, copies] : found.all()) {
            if (goes_direct(peer, copies))
                add_pull(peer, copies, strip, strips);
            else
                add_halves(plan_.receives, messages_of(pair_with(peer), moving(copies, peer)), unpack_half);
        }
        const int me = plan_.rank;
        std::stable_sort(plan_.receives.begin() + static_cast<std::ptrdiff_t>(first), plan_.receives.end(),
                         [&](const plan::Message &a, const plan::Message &b) {
                             return distance(a.peer, me) < distance(b.peer, me);
                         });
    }

    // A puller has one entry in the plan, also if it receives something of several strips.
    void add_puller(const plan::Puller &puller) {
        const auto [at, is_new] = puller_index_.try_emplace(puller.peer, plan_.pullers.size());
        if (is_new)
            return plan_.pullers.push_back(puller);
        plan::Puller &known = plan_.pullers[at->second];
        known.bytes += puller.bytes;
        known.long_pieces = known.long_pieces && puller.long_pieces;
    }

    // A peer that shares any strip has one pull per strip, in order, so that a strip's pulls are found by index.
    void add_pull(int peer, const std::vector<plan::StridedCopy> &copies, size_t strip, size_t strips) {
        const auto [at, is_new] = pulls_.try_emplace(peer, plan_.pulls.size());
        if (is_new)
            plan_.pulls.resize(plan_.pulls.size() + strips, {peer, {}});
        plan_.pulls[at->second + strip].copies = copies;
    }

    // Both processes of a pair find the same copies, and therefore the same way.
    bool goes_direct(int peer, const std::vector<plan::StridedCopy> &copies) const {
        return options_.direct_way && keeps_sent() && peer != plan_.rank &&
               nodes_.share_memory(peer, plan_.rank) &&
               !(method_ == InPlaceMethod::overlap_only && are_columns(copies));
    }

    const Side &source_;
    const Side &sink_;
    const std::vector<Side> sinks_;
    PlanOptions options_;
    const NodeMap &nodes_;
    plan::Plan plan_;
    plan::CopyForms forms_;
    InPlaceMethod method_ = InPlaceMethod::none;
    std::unordered_map<int, size_t> puller_index_,
        pulls_; // by peer: its index in the plan; for pulls the index of the first strip
};

} // namespace

plan::Plan make_plan(const Side &source, const Side &sink, const PlanOptions &options, int rank,
                     const NodeMap &nodes) {
    return Planning(source, sink, options, rank, nodes).make();
}

} // namespace dri::planner
