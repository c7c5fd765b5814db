// Assigns every message of an in-place exchange one contiguous section of the shared buffer, and lists the pieces
// that are moved into and out of these sections.
#include "planner/arranging.hpp"

#include "model/tiling.hpp"
#include "planner/messages.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace dri::planner {

namespace {

// The pieces of one message on one side. Their offsets count from the start of the message.
struct Placing {
    int64_t bytes = 0, offset = 0;
    std::vector<plan::Piece> pieces{};
};

// Returns an empty list if any piece has no runs in rising order. This side is then packed or unpacked as it lies.
std::vector<Placing> placings_of(const std::vector<plan::Message> &halves, plan::RunsAt runs) {
    std::vector<Placing> all;
    for (const plan::Message &m : halves) {
        Placing placing{m.bytes};
        for (const plan::StridedCopy &copy : m.copies) {
            const auto piece = plan::piece_of(copy, runs);
            if (!piece)
                return {};
            placing.pieces.push_back(*piece);
        }
        all.push_back(std::move(placing));
    }
    return all;
}

std::vector<size_t> in_rounds(size_t n) {
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    return order;
}

// Places the messages one directly behind the other, in the given order.
void assign_offsets(std::vector<Placing> &placings, const std::vector<size_t> &order) {
    int64_t at = 0;
    for (const size_t i : order) {
        placings[i].offset = at;
        at += placings[i].bytes;
    }
}

// All pieces, in rising order of their offsets in the buffer.
std::vector<plan::Piece> pieces_of(const std::vector<Placing> &placings) {
    std::vector<plan::Piece> all;
    for (const Placing &placing : placings)
        for (plan::Piece piece : placing.pieces) {
            piece.offset += placing.offset;
            all.push_back(piece);
        }
    std::sort(all.begin(), all.end(),
              [](const plan::Piece &a, const plan::Piece &b) { return a.offset < b.offset; });
    return all;
}

int64_t bytes_of(const std::vector<Placing> &placings) {
    int64_t bytes = 0;
    for (const Placing &placing : placings)
        bytes += placing.bytes;
    return bytes;
}

// Whether in every round the process receives as much from a peer as it sends to it. An incoming message can then
// use the section of the outgoing one, whichever section that is.
bool mirror_each_other(const std::vector<plan::Message> &sends, const std::vector<plan::Message> &receives) {
    return std::equal(
        sends.begin(), sends.end(), receives.begin(), receives.end(),
        [](const plan::Message &a, const plan::Message &b) { return a.peer == b.peer && a.bytes == b.bytes; });
}

// Orders messages by the address of their first run. A part that is already in order is then not moved.
std::vector<size_t> as_they_lie(const std::vector<Placing> &placings) {
    std::vector<size_t> order = in_rounds(placings.size());
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return placings[a].pieces.front().first < placings[b].pieces.front().first;
    });
    return order;
}

// Both sides use one order of sections. An order in which one side need not be moved at all is preferred; if there
// is none, the source's order remains.
void assign_mirrored_offsets(std::vector<Placing> &source, std::vector<Placing> &sink) {
    for (const std::vector<size_t> &order : {as_they_lie(sink), as_they_lie(source)}) {
        assign_offsets(source, order);
        assign_offsets(sink, order);
        if (plan::are_in_place(pieces_of(sink)) || plan::are_in_place(pieces_of(source)))
            return;
    }
}

// The messages of a round, which have one peer, stay in their order: their pieces can then be joined.
std::vector<size_t> in_falling_rounds(const std::vector<plan::Message> &messages) {
    std::vector<size_t> order = in_rounds(messages.size());
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return messages[a].round > messages[b].round; });
    return order;
}

// A part that shrinks is emptied and filled from its front. A part that grows is emptied and filled from its back:
// the first incoming messages then use the memory beyond the source's part, which is free from the start.
void assign_offsets_by_rounds(const plan::Plan &plan, std::vector<Placing> &source, std::vector<Placing> &sink) {
    const bool grows = bytes_of(sink) > bytes_of(source);
    const auto assign = [&](std::vector<Placing> &placings, const std::vector<plan::Message> &messages) {
        if (!placings.empty())
            assign_offsets(placings, grows ? in_falling_rounds(messages) : in_rounds(messages.size()));
    };
    assign(source, plan.sends);
    assign(sink, plan.receives);
}

// `half` is pack_half or unpack_half.
std::vector<plan::Message> halves_of(const std::vector<plan::Message> &messages,
                                     plan::Message half(const plan::Message &, ReorderAt), ReorderAt reorder_at) {
    std::vector<plan::Message> halves;
    halves.reserve(messages.size());
    for (const plan::Message &m : messages)
        halves.push_back(half(m, reorder_at));
    return halves;
}

// A copy of a message to the sink's buffer becomes one to dense memory in the sink's order. Only the destination
// changes, which is what packing does to a copy.
plan::Message make_destination_dense(const plan::Message &message) {
    return pack_half(message, ReorderAt::at_pack);
}

// Whether a message to the own process is one section that keeps its address.
bool is_idle(const plan::Message &sent, const plan::Message &received, int rank) {
    return sent.peer == rank && received.peer == rank && received.copies.size() == 1 &&
           received.copies.front().loops.empty() &&
           sent.copies.front().src_offset == received.copies.front().dst_offset;
}

// Removes messages that move nothing. Their bytes are listed in `plan.self` instead. If pieces are to be moved,
// one message stays: a frame without messages has no steps, and nothing would move them.
void drop_idle(plan::Plan &plan, bool has_pieces) {
    std::vector<plan::Message> sends, receives;
    std::vector<plan::Piece> idle;
    for (size_t i = 0; i < plan.sends.size(); ++i) {
        const bool must_stay = has_pieces && i + 1 == plan.sends.size() && sends.empty();
        if (!must_stay && is_idle(plan.sends[i], plan.receives[i], plan.rank)) {
            const int64_t at = plan.sends[i].copies.front().src_offset;
            idle.push_back({.first = at, .run_bytes = plan.sends[i].bytes});
            continue;
        }
        sends.push_back(std::move(plan.sends[i]));
        receives.push_back(std::move(plan.receives[i]));
    }
    std::sort(idle.begin(), idle.end(),
              [](const plan::Piece &a, const plan::Piece &b) { return a.first < b.first; });
    int64_t at = 0;
    for (plan::Piece &piece : idle)
        piece.offset = std::exchange(at, at + piece.run_bytes); // as if they stood one behind the other
    plan::join_pieces(idle);
    for (const plan::Piece &piece : idle) {
        plan::StridedCopy copy{piece.run_bytes, piece.first, piece.first, {}};
        for (const plan::PieceLoop &loop : piece.loops)
            copy.loops.push_back({loop.count, loop.stride, loop.stride});
        plan.self.push_back(std::move(copy));
    }
    plan.sends = std::move(sends);
    plan.receives = std::move(receives);
    plan.sends.shrink_to_fit();
    plan.receives.shrink_to_fit();
}

bool have_no_overlap(const model::Boxes &boxes) {
    return std::all_of(boxes.all().begin(), boxes.all().end(), [](const model::Box &box) {
        return std::all_of(box.begin(), box.end(),
                           [](const model::BoxSide &side) { return side.left == 0 && side.right == 0; });
    });
}

// Whether each element is sent to exactly one address, judged by cuts and boxes.
bool gives_each_once(const model::Distribution &source, const model::Distribution &sink) {
    const model::Gdo &from = source.gdo(), &to = sink.gdo();
    if (from.offset != to.offset || from.sizes != to.sizes)
        return false;
    if (!sink.is_grid())
        return have_no_overlap(sink.boxes()) && model::tiles(sink);
    return sink.replicas() == 1 &&
           std::all_of(sink.partition().begin(), sink.partition().end(), [](const model::CutRule &rule) {
               return rule.kind != model::CutKind::indices && rule.overlap.none();
           });
}

// Longer lists become tables. Each of these runs repeats evenly.
constexpr size_t max_list_runs = 16;

bool has_long_lists(const model::Distribution &dist) {
    for (size_t d = 0; dist.is_grid() && d < dist.ndims(); ++d)
        if (const model::IndexedParts *lists = dist.cut(d).indexed())
            for (int64_t c = 0; c < lists->size(); ++c)
                if (lists->part(c).list().size() > max_list_runs)
                    return true;
    return false;
}

// The dimension that a distribution cuts, if it is one alone.
std::optional<size_t> only_cut(const model::Distribution &dist) {
    std::optional<size_t> found;
    for (size_t d = 0; dist.is_grid() && dist.replicas() == 1 && d < dist.ndims(); ++d) {
        if (dist.grid()[d] > 1 && found)
            return std::nullopt;
        if (dist.grid()[d] > 1)
            found = d;
    }
    return found;
}

// Whether the layout turns with the cut from dimension `from` to dimension `to`, on one process.
bool layout_turns(const Side &source, const Side &sink, int position, size_t from, size_t to) {
    const model::ElementType &type = source.dist->gdo().type;
    const model::BufferShape before =
        model::buffer_shape(source.layout(position), source.dist->extents(position), type);
    const model::BufferShape after =
        model::buffer_shape(sink.layout(position), sink.dist->extents(position), type);
    if (before.split != after.split || (before.split && before.span != after.span))
        return false;
    Dims turned = after.strides;
    std::swap(turned[from], turned[to]);
    return before.strides == turned;
}

// Whether what two processes exchange has the same places in both buffers, as in a square corner turn. Each
// message then fills the place of another one, and nothing needs to be put in order.
bool exchanges_places(const Side &source, const Side &sink) {
    const model::Distribution &before = *source.dist, &after = *sink.dist;
    const auto from = only_cut(before), to = only_cut(after);
    if (!from || !to || before.group() != after.group() || before.gdo().sizes[*from] != after.gdo().sizes[*to] ||
        before.partition()[*from] != after.partition()[*to])
        return false;
    for (int position = 0; position < static_cast<int>(before.parts()); ++position)
        if (!layout_turns(source, sink, position, *from, *to))
            return false;
    return true;
}

} // namespace

bool can_be_arranged(const Side &source, const Side &sink) {
    return source.dist->gdo().type == sink.dist->gdo().type && sink.scale == 1 && !has_long_lists(*source.dist) &&
           gives_each_once(*source.dist, *sink.dist) && !exchanges_places(source, sink);
}

Arranged arrange(plan::Plan &plan) {
    std::vector<plan::Message> packs = halves_of(plan.sends, pack_half, ReorderAt::at_unpack);
    std::vector<plan::Message> unpacks = halves_of(plan.receives, unpack_half, ReorderAt::at_unpack);
    const std::vector<plan::Message> ordered = halves_of(plan.receives, unpack_half, ReorderAt::at_pack);
    std::vector<Placing> source = placings_of(packs, plan::RunsAt::source);
    std::vector<Placing> sink = placings_of(ordered, plan::RunsAt::destination);
    const bool mirrored = !source.empty() && !sink.empty() && mirror_each_other(plan.sends, plan.receives);
    mirrored ? assign_mirrored_offsets(source, sink) : assign_offsets_by_rounds(plan, source, sink);
    for (size_t i = 0; i < source.size(); ++i)
        packs[i].copies = {{packs[i].bytes, source[i].offset, 0, {}}};
    for (size_t i = 0; i < sink.size(); ++i) {
        // The unpacking copy reads the message in the source's order and writes the sink's order, densely.
        unpacks[i] = make_destination_dense(unpacks[i]);
        for (plan::StridedCopy &copy : unpacks[i].copies.change())
            copy.dst_offset += sink[i].offset;
    }
    plan.sends = std::move(packs);
    plan.receives = std::move(unpacks);
    Arranged arranged{pieces_of(source), pieces_of(sink)};
    for (std::vector<plan::Piece> *pieces : {&arranged.before, &arranged.after})
        if (plan::are_in_place(*pieces))
            *pieces = std::vector<plan::Piece>(); // frees their memory
        else
            plan::join_pieces(*pieces);
    if (mirrored)
        drop_idle(plan, !arranged.before.empty() || !arranged.after.empty());
    return arranged;
}

} // namespace dri::planner
