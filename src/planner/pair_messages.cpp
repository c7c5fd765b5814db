// Chooses the lengths of the messages between two processes, and which of the two reorders.
#include "planner/pair_messages.hpp"

#include "base/checked.hpp"
#include "model/distribution.hpp"
#include "planner/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dri::planner {

namespace {

// Maximum length of a single message that the sender reorders. The sender needs no more time for it, and the
// receiver copies long runs. A longer message would have left the second cache before it is sent.
constexpr int64_t max_reordered_at_pack = int64_t{512} << 10;

// On a node MPI sends a short message at once. Before a longer one it asks the receiver, which costs two processes
// more time than a few short messages. Open MPI's limit is 4,096 bytes with its own header. If more processes ask
// each other at once, the additional messages cost more than they save.
// Each stretch of overlap is cut alone: two of them make four messages.
constexpr int64_t short_message = 4032, max_short_messages = 3, max_short_overlap = 4;

// In place memory matters most, and chunks are at most this long.
constexpr int64_t max_chunk_in_place = int64_t{256} << 10;

// Overlap that is sent without packing: the length from which a stretch is worth a message of its own, and the
// number of them between two processes. What fits into a short message is packed nevertheless.
constexpr int64_t min_stretch = 1024, max_stretches = 16;

int64_t sum_of_bytes(const std::vector<plan::Message> &messages) {
    return std::accumulate(messages.begin(), messages.end(), int64_t{0},
                           [](int64_t bytes, const plan::Message &m) { return bytes + m.bytes; });
}

int64_t count(const std::vector<plan::Message> &messages) {
    return std::accumulate(messages.begin(), messages.end(), int64_t{0},
                           [](int64_t all, const plan::Message &m) { return all + m.alike; });
}

// Whether both processes are on one node, and the data fit into a few short messages.
bool fits_in_short(const Pair &pair, int64_t bytes) {
    return pair.nodes.node(pair.peer) == pair.nodes.node(pair.rank) && bytes <= max_short_messages * short_message;
}

// Whether a pair sends its data as a few short messages: they fit, and source and sink together are at most two
// processes.
bool goes_in_short(const Pair &pair, int64_t bytes) {
    const model::Group &from = pair.source.dist->group(), &to = pair.sink.dist->group();
    int64_t processes = from.size();
    for (int64_t i = 0; i < to.size() && processes <= 2; ++i)
        processes += from.position(to.rank(static_cast<int>(i))) ? 0 : 1;
    return processes <= 2 && fits_in_short(pair, bytes);
}

bool is_stretch(const plan::StridedCopy &copy) {
    return copy.run_bytes >= min_stretch && copy.loops.empty() && copy.tables.empty() && !copy.conversion;
}

// Overlap. Stretches travel alone, because they need no packing: see stretch_in_buffer(). They come first, so that
// their receives can be posted before those that wait for a slot. The others are packed together, and so is all of
// it if it fits into one short message, or if there are many stretches. On a node a few short messages are sent
// instead: a neighbour has few, unlike in a turn.
std::vector<plan::Message> messages_of_overlap(const Pair &pair, const std::vector<plan::StridedCopy> &copies,
                                               int64_t limit) {
    const int peer = pair.peer;
    const int64_t bytes = plan::copies_bytes(copies);
    if (bytes <= short_message)
        return split_messages(copies, peer, limit);
    if (fits_in_short(pair, bytes))
        if (auto few = split_messages(copies, peer, std::min(limit, short_message));
            std::ssize(few) <= max_short_overlap)
            return few;
    std::vector<plan::StridedCopy> parts;
    for (const plan::StridedCopy &copy : copies)
        for (plan::StridedCopy &part : stretches_of(copy, min_stretch, max_stretches))
            parts.push_back(std::move(part));
    if (std::count_if(parts.begin(), parts.end(), is_stretch) > max_stretches)
        return split_messages(copies, peer, limit);
    const auto others = std::stable_partition(parts.begin(), parts.end(), is_stretch);
    std::vector<plan::Message> all;
    for (auto part = parts.begin(); part != others; ++part)
        for (plan::Message &m : split_messages({*part}, peer, limit))
            all.push_back(std::move(m));
    for (plan::Message &m : split_messages({others, parts.end()}, peer, limit))
        all.push_back(std::move(m));
    return all;
}

int64_t bytes_of_array(const Side &source) {
    int64_t bytes = source.dist->gdo().type.pitch();
    for (const int64_t size : source.dist->gdo().sizes)
        bytes = checked_mul(bytes, size);
    return bytes;
}

} // namespace

// The senders reorder if there are fewer receivers than senders. With equal numbers, the receivers reorder one
// message while the next ones arrive. Exceptions are a single message and short messages: those the senders
// reorder.
ReorderAt reorder_at(const Pair &pair, const std::vector<plan::Message> &to_one) {
    const int64_t senders = pair.source.dist->group().size(), receivers = pair.sink.dist->group().size();
    const int64_t bytes = sum_of_bytes(to_one);
    const bool first = receivers == senders && !pair.options.in_place && !to_one.empty() &&
                       (to_one.size() == 1 ? bytes <= max_reordered_at_pack : goes_in_short(pair, bytes));
    return receivers < senders || first ? ReorderAt::at_pack : ReorderAt::at_unpack;
}

std::vector<plan::Message> messages_of(const Pair &pair, const std::vector<plan::StridedCopy> &copies) {
    const int64_t chunk =
        pair.options.in_place ? std::min(pair.options.chunk_bytes, max_chunk_in_place) : pair.options.chunk_bytes;
    const bool listed = std::any_of(copies.begin(), copies.end(),
                                    [](const plan::StridedCopy &copy) { return !copy.tables.empty(); });
    const int64_t message_bytes = std::max(pair.options.message_bytes, listed ? pair.options.min_table_bytes : 0);
    const int64_t limit =
        message_limit(copies, message_bytes, chunk, pair.options.in_place ? 0 : pair.options.halvings);
    if (pair.method == InPlaceMethod::overlap_only)
        return messages_of_overlap(pair, copies, limit);
    if (!pair.options.in_place) {
        if (goes_in_short(pair, plan::copies_bytes(copies)))
            if (auto few =
                    split_messages(copies, pair.peer, std::min(limit, short_message), pair.options.made_for);
                count(few) <= max_short_messages)
                return few;
        return split_messages(copies, pair.peer, limit, pair.options.made_for);
    }
    const model::Group &group = pair.source.dist->group();
    const PeerPair positions{*group.position(pair.peer), *group.position(pair.rank), group.size()};
    const bool arranges = pair.method == InPlaceMethod::arranged;
    const int64_t max_bytes =
        arranges ? pair.options.message_bytes
                 : std::min(std::max(limit, min_message_limit(copies)), pair.options.message_bytes);
    std::vector<plan::Message> all;
    for (const RoundPiece &piece : arranges ? cut_into_pieces(copies, positions, bytes_of_array(pair.source))
                                            : cut_into_rounds(copies, positions))
        for (plan::Message &m : split_messages(piece.copies, pair.peer, max_bytes)) {
            m.round = piece.round;
            all.push_back(std::move(m));
        }
    return all;
}

} // namespace dri::planner
