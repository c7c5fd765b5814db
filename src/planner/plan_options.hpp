// What all processes of a transfer agree on beside its sides.
#pragma once

#include "planner/pieces.hpp"

#include <cstdint>

namespace dri::planner {

// Halves chunks of 2 MB down to 4 KB. Shorter messages cost more to send than to pack.
constexpr int max_halvings = 9;

// What a plan is made for. lengths: its messages have peers and lengths, but no copies, and stand for all that are
// alike, in the order of peers. Little memory then tells how much memory messages of another length would need. It
// cannot run. Not in place.
enum class PlanFor { frames, lengths };

// In place, the groups of both sides have the same ranks, and halvings do not apply. If only overlap moves, the
// ways are those between two buffers. Otherwise all data except copies that keep their address are sent as
// messages.
struct PlanOptions {
    PlanFor made_for = PlanFor::frames;
    int64_t message_bytes = int64_t{1} << 30; // maximum length of a message; longer ones are split
    // Messages of copies with tables are not made shorter than this by message_bytes: each has tables of its own.
    int64_t min_table_bytes = 0;
    bool self_way = true;    // off: data that stay in a process are sent as messages, too
    bool direct_way = false; // on: a sink's process pulls from processes whose memory it can read, see NodeMap
    Gathering gathering;
    int64_t chunk_bytes = int64_t{2} << 20; // length of a chunk, see message_limit
    int halvings = 0;                       // of the messages' length, to use less workspace; at most max_halvings
    bool in_place = false;                  // on: source and sink of every process share a buffer, see above
    bool compact = false; // in place: parts are put in order before and after the exchange if can_be_arranged
    bool notes = false;   // on: the source's window slides, and messages carry its offset
    friend bool operator==(const PlanOptions &, const PlanOptions &) = default;
};

} // namespace dri::planner
