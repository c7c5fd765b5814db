// What a process holds of one transfer: the memory of its endpoints, its flows and their counters.
#pragma once

#include "base/memory.hpp"
#include "base/published.hpp"
#include "base/ring_slot.hpp"
#include "exec/drop_control.hpp"
#include "exec/frame_sums.hpp"
#include "exec/frame_times.hpp"
#include "exec/link.hpp"
#include "exec/rebinding.hpp"
#include "exec/window.hpp"
#include "flow/call.hpp"
#include "flow/ledger.hpp"
#include "transport/shared_source.hpp"
#include "transport/transport.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dri::exec {

// Bytes that an endpoint holds. Messages, copies and tiles together are its workspace.
struct EndpointMemory {
    int64_t messages = 0;
    int64_t copies = 0;  // source: copies of the user's buffers in shared memory
    int64_t tiles = 0;   // sink: scratch memory for other processes' memory that it reads where it lies
    int64_t buffers = 0; // buffers that the library provides

    int64_t workspace() const { return messages + copies + tiles; }
};

// The memory and the times of one endpoint. Its counters are in flow::Ledgers. Frame f uses buffer f modulo
// count().
struct EndpointState {
    // Those of `buffers` that the library provides, except in shared memory. In place both endpoints own them. The
    // user may keep them longer.
    std::shared_ptr<const std::vector<AlignedBuffer>> owned;
    int64_t buffer_bytes = 0;
    EndpointMemory memory;  // stays after the memory is freed
    int64_t plan_bytes = 0; // what its part of the plans takes
    int64_t peers = 0;      // other processes with which it exchanges data; TransferParts counts them
    Team team;
    std::shared_ptr<const Window> window; // null: the window does not slide
    WindowOffset next_offset;             // applies to the next frames
    std::optional<Rebinding> rebinding;   // if the buffer changes; buffers[0] is then that of the last frame
    // What every frame uses, together with what follows in a source: few cache lines.
    std::vector<FrameHeader> headers; // one per buffer, if this endpoint has headers
    std::vector<std::byte *> buffers;
    std::chrono::milliseconds timeout{0}; // of a wait for a frame; 0: no timeout
    bool has_thread = false;              // the progress thread moves its frames between calls
    bool tested = false;                  // a test has completed the last frame, and no call has followed it
    int64_t spent_ns = 0, waited_ns = 0;  // in the calls of the current frame so far
    Published<double> last_seconds = 0, total_seconds = 0;
    FrameTimes times;

    int64_t count() const { return std::ssize(buffers); }
    std::byte *buffer(int64_t frame) const { return buffers[slot(frame)]; }
    FrameHeader *header(int64_t frame) { return headers.empty() ? nullptr : &headers[slot(frame)]; }
    const FrameHeader *header(int64_t frame) const { return headers.empty() ? nullptr : &headers[slot(frame)]; }

protected:
    size_t slot(int64_t frame) const { return static_cast<size_t>(ring_slot(frame, count())); }
};

struct SourceEnd : EndpointState {
    // With pullers: shared memory with one slot per buffer. A slot is the library's own buffer, or it receives a
    // copy of the user's buffer at the hand-over. The copy is omitted if pullers read the user's buffer itself.
    std::shared_ptr<transport::SharedSource> shared;
    std::vector<WindowOffset> offsets;  // if the window slides: the offset of the frame in each buffer
    int64_t message_frames = INT64_MAX; // as in flow::SourceTerms
    bool stream = false;
    std::weak_ptr<const void> keepers; // expired unless the user keeps the library's buffers, or is in place

    flow::SourceTerms terms() const {
        return {.buffers = count(), .message_frames = message_frames, .stream = stream};
    }
    // Whether the user may write where pullers read, once the source is destroyed.
    bool is_read_in_place() const { return shared && (shared->any_elsewhere() || !keepers.expired()); }
    // The offset of the frame's window; null if the window does not slide.
    const WindowOffset *window_offset(int64_t frame) const {
        return offsets.empty() ? nullptr : &offsets[slot(frame)];
    }
    // Where the caller fills a frame. If the buffer moves, that is the address for the next frame.
    std::byte *buffer_to_fill(int64_t frame) const { return rebinding ? rebinding->read_next() : buffer(frame); }
    // As in FrameOrigins.
    std::byte *origin(int64_t frame) const {
        return buffer(frame) + (offsets.empty() ? 0 : offsets[slot(frame)].bytes);
    }
};

// How many buffers of a sink frames may fill before its caller waits for them.
enum class FillsAhead { none, all_but_one, all };

// If a sink's frames are strips, the buffers of one store follow each other.
struct SinkEnd : EndpointState {
    int64_t strips = 1; // as in flow::SinkTerms
    bool fills_ahead = true, fills_all = false;

    flow::SinkTerms terms() const {
        return {.buffers = count(), .strips = strips, .fills_ahead = fills_ahead, .fills_all = fills_all};
    }
    void fill(FillsAhead which) {
        fills_ahead = which != FillsAhead::none;
        fills_all = which == FillsAhead::all;
    }
};

// A snapshot of an endpoint's counters. Any thread may take it while another thread runs a frame.
struct Progress {
    int64_t frames = 0;   // source: inserted; sink: extracted
    int64_t acquired = 0; // source
    int64_t dropped = 0;  // source: not sent to some sink; sink: missed
    double last_seconds = 0, total_seconds = 0;
};

// What is sent from the source to one sink side, on one process.
struct Flow {
    Link link;
    // Present if this process is in the sink's group.
    std::optional<SinkEnd> sink;
    DropControl drop{};
    // TransferParts sets these: the flow's counters, and the bytes of its frames at either endpoint.
    flow::FlowLedger *ledger = nullptr;
    FrameSums sent = {}, received = {};

    const flow::SourcePattern &pattern() const { return link.shape().pattern; }
    int64_t dropped() const { return ledger->drop.read_dropped(); }             // frames not sent; for any thread
    bool moves() const { return ledger->sink && ledger->sink->moving(); }       // a frame of the sink
    FrameHeader *header() { return sink->header(ledger->sink->whole().count); } // of the sink's moving frame
};

// Properties that are fixed at the commit. Each frame tests them to skip work that it does not need.
struct FrameFeatures {
    bool messages = false;  // stays true after endpoints with messages are destroyed
    bool data_sent = false; // data move in messages, not only headers
    bool drops = false, headers = false, in_place = false, threads = false, timeouts = false;
    bool peers = false;                             // other processes take part
    bool few_senders = false, many_senders = false; // of the messages of some flow
    bool pulls = false;                             // this process reads other processes' sources
    bool strips = false;                            // the source's frames are strips
    bool skips = false;                             // some sink takes only every k-th frame
    bool windows = false;                           // the source's window slides
    bool crowded = false;                           // as Transport::crowded() says
};

struct TransferParts {
    TransferParts(std::string name, std::optional<SourceEnd> source, std::vector<Flow> flows,
                  std::shared_ptr<transport::Transport> transport);
    TransferParts(const TransferParts &) = delete; // flows refer to the ledgers
    TransferParts &operator=(const TransferParts &) = delete;

    flow::Caller caller() const { return {name, ledgers.rank}; }
    void refuse(const flow::Refused &refused) const; // throws the refusal, if there is one
    // Whether tests have completed the last frame of each of these endpoints. It counts once.
    bool take_tested(const flow::CallEndpoints &endpoints);

    // In this order what every frame uses lies close together.
    std::shared_ptr<transport::Transport> transport;
    FrameFeatures features;
    std::vector<Flow> flows;
    flow::Ledgers ledgers;
    std::string name;
    std::optional<SourceEnd> source;
};

} // namespace dri::exec
