// The words of all refusals and timeouts of frames.
#include "flow/refusal.hpp"

#include "base/printable.hpp"

#include <algorithm>

namespace dri::flow {

namespace {

const char *text_of(Remedy remedy) {
    switch (remedy) {
    case Remedy::none: return "";
    case Remedy::sink_first: return "execute the sink first";
    case Remedy::start_sink_first: return "release the frames of the sink, or start it (DRI_start)";
    case Remedy::by_name_or_sink_first:
        return "execute both endpoints together (by name, or DRI_start of both, then DRI_wait), or the sink first";
    case Remedy::by_name_or_another_buffer:
        return "execute both endpoints together (by name, or DRI_start of both, then DRI_wait), or give the "
               "source another buffer";
    case Remedy::by_name_or_more_workspace:
        return "execute both endpoints together (by name, or DRI_start of both, then DRI_wait), or raise the "
               "source's workspace limit";
    case Remedy::by_name_or_source_first:
        return "execute both endpoints together (by name, or DRI_start of both, then DRI_wait), or the source "
               "first";
    case Remedy::source_first: return "execute the source first";
    }
    return "";
}

} // namespace

DRI_Code code_of(Reason reason) {
    switch (reason) {
    case Reason::source_left:
    case Reason::sink_left:
    case Reason::endpoints_left:
    case Reason::no_sink_left:
    case Reason::source_gone:
    case Reason::frame_would_be_lost:
    case Reason::source_closed:
    case Reason::closed_already:
    case Reason::not_a_stream:
    case Reason::no_buffer_to_insert:
    case Reason::no_frame_held:
    case Reason::sink_started:
    case Reason::source_started:
    case Reason::nothing_started:
    case Reason::source_left_in_place:
    case Reason::sink_left_in_place:
    case Reason::peer_left_in_place:
    case Reason::in_use:
    case Reason::broken:
    case Reason::frame_abandoned: return DRI_ERR_STATE;
    case Reason::source_buffers_held:
    case Reason::sink_buffers_held:
    case Reason::sink_store_held:
    case Reason::staging_full:
    case Reason::too_far_ahead:
    case Reason::own_source_behind:
    case Reason::own_strips_behind:
    case Reason::all_dropped: return DRI_ERR_DEADLOCK;
    case Reason::end_of_stream: return DRI_END_OF_STREAM;
    case Reason::close_mismatch:
    case Reason::offset_mismatch: return DRI_ERR_MISMATCH;
    case Reason::one_endpoint_in_place: return DRI_ERR_ARG;
    case Reason::data_late:
    case Reason::message_late:
    case Reason::slots_late:
    case Reason::verdict_late:
    case Reason::buffer_late:
    case Reason::late:
    case Reason::readers_late: return DRI_ERR_TIMEOUT;
    case Reason::source_unreadable:
    case Reason::sender_ended:
    case Reason::receiver_ended: return DRI_ERR_PEER;
    }
    return DRI_ERR_INTERNAL;
}

Refusal ended(const Refusal &late) {
    const bool sends = late.reason == Reason::data_late || late.reason == Reason::message_late;
    return {
        .reason = sends ? Reason::sender_ended : Reason::receiver_ended, .peer = late.peer, .frame = late.frame};
}

size_t describe_wait(std::span<char> out, const char *call, const Refusal &r, const Caller &caller) {
    const auto write = [&](const char *text, const auto &...values) {
        const auto end =
            fmt::format_to_n(out.data(), out.size(), fmt::runtime(text), call, caller.transfer, values...);
        return std::min(end.size, out.size());
    };
    switch (r.reason) {
    case Reason::data_late:
    case Reason::message_late:
        return write("{}: transfer '{}': the sink of process {} waits for frame {} of process {}", caller.rank,
                     r.frame, r.peer);
    case Reason::slots_late:
        return write("{}: transfer '{}': frame {} of the source of process {} waits until process {} "
                     "has taken all messages up to frame {}",
                     r.frame, caller.rank, r.peer, r.peer_frame);
    case Reason::verdict_late:
        return write("{}: transfer '{}': frame {} of the source of process {} waits for the decision of "
                     "process {} whether to drop it",
                     r.frame, caller.rank, r.peer);
    case Reason::buffer_late:
        return write("{}: transfer '{}': the source of process {} waits for a buffer until process {} "
                     "has taken frame {}",
                     caller.rank, r.peer, r.peer_frame);
    case Reason::readers_late:
        return write("{}: transfer '{}': the source of process {} waits until process {} has taken all "
                     "{} frames",
                     caller.rank, r.peer, r.count);
    default: return write("{}: transfer '{}'");
    }
}

std::string text_of(const Refusal &r, const Caller &caller, const Details &details) {
    const std::string &name = caller.transfer;
    const int rank = caller.rank;
    switch (r.reason) {
    case Reason::source_left: return fmt::format("the source of transfer '{}' is destroyed", name);
    case Reason::sink_left: return fmt::format("the sink of transfer '{}' is destroyed", name);
    case Reason::endpoints_left: return fmt::format("the endpoints of transfer '{}' are destroyed", name);
    case Reason::no_sink_left:
        return fmt::format("transfer '{}': the source of process {} has no sink left for frame {}: all sinks that "
                           "take from it are destroyed, that of process {} after {} frames",
                           name, rank, r.frame, r.peer, r.peer_frame);
    case Reason::source_gone:
        return fmt::format(
            "transfer '{}': the sink of process {} will never receive all of frame {}: the source of "
            "process {} is destroyed after {} frames",
            name, rank, r.frame, r.peer, r.peer_frame);
    case Reason::frame_would_be_lost:
        return fmt::format(
            "transfer '{}': frame {} of the source is handed over and waits for this process's sink", name,
            r.frame);
    case Reason::source_closed:
        return fmt::format("the source of transfer '{}' is closed after {} frames", name, r.frame);
    case Reason::closed_already: return fmt::format("the source of transfer '{}' is closed already", name);
    case Reason::not_a_stream:
        return fmt::format("transfer '{}' is not a stream; set DRI_ATTR_STREAM before the commit", name);
    case Reason::no_buffer_to_insert:
        return fmt::format("transfer '{}': the caller holds no buffer of the source; DRI_next gives one", name);
    case Reason::no_frame_held: return fmt::format("transfer '{}': the caller holds no frame of the sink", name);
    case Reason::sink_started:
        return fmt::format("transfer '{}': a frame of the sink is started already; DRI_wait completes it", name);
    case Reason::source_started:
        return fmt::format("transfer '{}': a frame of the source is started already; DRI_wait completes it", name);
    case Reason::nothing_started:
        return fmt::format("transfer '{}': no frame is started; DRI_start comes first", name);
    case Reason::source_buffers_held:
        return fmt::format("transfer '{}': the caller holds all {} buffers of the source, so no buffer can become "
                           "free; insert one first",
                           name, r.count);
    case Reason::sink_buffers_held:
        return fmt::format("transfer '{}': the caller holds all {} buffers of the sink, so there is no buffer for "
                           "frame {}; release one first",
                           name, r.count, r.frame);
    case Reason::sink_store_held:
        return fmt::format(
            "transfer '{}': the caller holds {} strips of the sink, so there is no memory for strip "
            "{}; it can arrive after a whole store of {} strips is released",
            name, r.peer_frame, r.frame, r.count);
    case Reason::staging_full:
        return fmt::format("transfer '{}': frame {} of the source would wait: its workspace holds the messages of "
                           "{} frames, and this process's own sink has not taken frame {}; {}",
                           name, r.frame, r.count, r.peer_frame, text_of(r.remedy));
    case Reason::too_far_ahead:
        return fmt::format(
            "transfer '{}': after frame {} no buffer of the source ({} in all) would be free before "
            "this process's own sink has taken frame {}; {}",
            name, r.frame, r.count, r.peer_frame, text_of(r.remedy));
    case Reason::own_source_behind:
        return fmt::format(
            "transfer '{}': part of frame {} comes from this process's own source, which has handed "
            "over {} frames; {}",
            name, r.frame, r.peer_frame, text_of(r.remedy));
    case Reason::own_strips_behind:
        return fmt::format(
            "transfer '{}': part of frame {} comes from this process's own source, which has handed "
            "over {} strips of the {} that the frame needs; {}",
            name, r.frame, r.peer_frame, r.count, text_of(r.remedy));
    case Reason::all_dropped:
        return fmt::format(
            "transfer '{}': the sink drops frames and has all {} that this process's own source has "
            "handed over and did not drop; a further frame needs a call of that source by its handle",
            name, r.frame);
    case Reason::end_of_stream:
        return fmt::format("transfer '{}': the source has closed the stream after {} frames", name, r.frame);
    case Reason::close_mismatch:
        return fmt::format("transfer '{}': processes of the source differ about the end of the stream: process {} "
                           "has closed it after {} frames, process {} goes on with frame {}",
                           name, r.peer, r.peer_frame, r.other, r.frame);
    case Reason::one_endpoint_in_place:
        return fmt::format("transfer '{}' is in place: source and sink share their buffers, so only DRI_do, "
                           "DRI_start, DRI_test and DRI_wait move frames, for both endpoints together",
                           name);
    case Reason::source_left_in_place:
        return fmt::format("transfer '{}' is in place, and its source is destroyed on this process", name);
    case Reason::sink_left_in_place:
        return fmt::format("transfer '{}' is in place, and its sink is destroyed on this process", name);
    case Reason::peer_left_in_place:
        return fmt::format("transfer '{}' is in place, and process {} has destroyed its endpoints after {} frames",
                           name, r.peer, r.peer_frame);
    case Reason::in_use: return fmt::format("transfer '{}' is in use by another thread", name);
    case Reason::broken: return fmt::format("transfer '{}' is broken: {}", name, details.one);
    case Reason::offset_mismatch:
        return fmt::format(
            "transfer '{}': processes of the source disagree about the window of frame {}: process {} "
            "has moved it by {}, process {} by {}",
            name, r.frame, r.peer, details.one, r.other, details.other);
    case Reason::frame_abandoned:
        return fmt::format("process {} has abandoned frame {} while it was copied", r.peer, r.frame);
    case Reason::source_unreadable:
        return fmt::format("process {} is gone, and frame {} lay in its own memory: {}", r.peer, r.frame,
                           details.one);
    case Reason::data_late:
        return fmt::format("transfer '{}': frame {} did not reach the sink of process {} in time: process {} has "
                           "not handed it over",
                           name, r.frame, rank, r.peer);
    case Reason::message_late:
        return fmt::format("transfer '{}': frame {} did not reach the sink of process {} in time: process {} has "
                           "not handed it over, or its messages have not arrived; they move in its calls",
                           name, r.frame, rank, r.peer);
    case Reason::slots_late:
        return fmt::format("transfer '{}': frame {} of the source of process {} was not sent in time: process {} "
                           "has not taken all messages up to frame {}",
                           name, r.frame, rank, r.peer, r.peer_frame);
    case Reason::verdict_late:
        return fmt::format(
            "transfer '{}': frame {} of the source of process {} was not sent in time: the decision "
            "of process {}, the first of the source, whether to drop it has not arrived",
            name, r.frame, rank, r.peer);
    case Reason::buffer_late:
        return fmt::format("transfer '{}': no buffer of the source of process {} became free in time: process {} "
                           "has not taken frame {}",
                           name, rank, r.peer, r.peer_frame);
    case Reason::late:
        return fmt::format(
            "transfer '{}': the timeout passed just before the frame was done, or a process has left just now: "
            "repeat the call",
            name);
    case Reason::readers_late:
        return fmt::format(
            "transfer '{}': frames of the source are in buffers of the user, and process {} has not "
            "taken all {} of them in time",
            name, r.peer, r.count);
    case Reason::sender_ended:
        return fmt::format(
            "transfer '{}': frame {} will never reach the sink of process {}: process {} is gone, it "
            "has ended without DRI_finalize",
            name, r.frame, rank, r.peer);
    case Reason::receiver_ended:
        return fmt::format(
            "transfer '{}': the source of process {} would wait for ever: process {} is gone, it has "
            "ended without DRI_finalize",
            name, rank, r.peer);
    }
    return {};
}

void refuse(const Refusal &refusal, const Caller &caller, const Details &details) {
    throw Error(code_of(refusal.reason), printable(text_of(refusal, caller, details)));
}

void refuse_in_lane(const Refusal &refusal, const Details &details) { refuse(refusal, {{}, 0}, details); }

} // namespace dri::flow
