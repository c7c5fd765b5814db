// Why a call is refused, or why its wait ended, as a value; and the words for it. All messages about the flow of
// frames are in refusal.cpp. A refusal is formatted only when it is thrown.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dri::flow {

enum class Reason : uint8_t {
    // The endpoint, or the other endpoints that it needs, have left.
    source_left,
    sink_left,
    endpoints_left,
    no_sink_left,
    source_gone,
    frame_would_be_lost,
    // The caller holds nothing to give, or has given it already.
    source_closed,
    closed_already,
    not_a_stream,
    no_buffer_to_insert,
    no_frame_held,
    sink_started,
    source_started,
    nothing_started,
    // Only the caller could end the wait.
    source_buffers_held,
    sink_buffers_held,
    sink_store_held,
    staging_full,
    too_far_ahead,
    own_source_behind,
    own_strips_behind,
    all_dropped,
    // Streams.
    end_of_stream,
    close_mismatch,
    // In place.
    one_endpoint_in_place,
    source_left_in_place,
    sink_left_in_place,
    peer_left_in_place,
    // The transfer, or a frame's data.
    in_use,
    broken,
    offset_mismatch,
    frame_abandoned,
    source_unreadable,
    // The time of a wait is over.
    data_late,    // not handed over
    message_late, // not arrived
    slots_late,
    verdict_late,
    buffer_late,
    late,
    readers_late,
    // A process has ended without leaving.
    sender_ended,
    receiver_ended,
};

// What the caller can do if a source would wait for the process's own sink.
enum class Remedy : uint8_t {
    none,
    sink_first,                // of ends that count differently
    start_sink_first,          // of ends that count differently
    by_name_or_sink_first,     //
    by_name_or_another_buffer, // another buffer of the source
    by_name_or_more_workspace, // a higher limit of the source
    by_name_or_source_first,   //
    source_first,              // of ends that count differently
};

// The members that a reason does not mention are 0.
struct Refusal {
    Reason reason = Reason::late;
    Remedy remedy = Remedy::none;
    int peer = 0;           // the process that is to blame
    int other = 0;          // the process that differs from it: the one that goes on, or has another offset
    int64_t frame = 0;      // the frame that the call is for
    int64_t peer_frame = 0; // the frame that is missing, or the number of frames after which the peer left
    int64_t count = 0;      // buffers, strips or frames in the way
};

// A refusal, or none.
using Refused = std::optional<Refusal>;

// Whose call is refused.
struct Caller {
    const std::string &transfer;
    int rank;
};

// The texts that some reasons mention. offset_mismatch: the offsets of both processes; broken, source_unreadable:
// the cause.
struct Details {
    std::string_view one = {}, other = {};
};

DRI_Code code_of(Reason reason);
// Why a wait fails if the process that it misses has ended. late: as after a timeout.
Refusal ended(const Refusal &late);
// The words for a wait that goes on. late: as after a timeout. Writes at most out.size() bytes and returns their
// number; allocates nothing.
size_t describe_wait(std::span<char> out, const char *call, const Refusal &late, const Caller &caller);
std::string text_of(const Refusal &refusal, const Caller &caller, const Details &details = {});
// In the message what does not print is escaped: see printable().
[[noreturn, gnu::cold]] void refuse(const Refusal &refusal, const Caller &caller, const Details &details = {});
// For a lane, which does not know its transfer. The words name none.
[[noreturn, gnu::cold]] void refuse_in_lane(const Refusal &refusal, const Details &details = {});

} // namespace dri::flow
