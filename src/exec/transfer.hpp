// The endpoints of one transfer that a process holds, ready to run: their buffers and counters, the calls that
// move frames, and the rules for which process may be ahead of which.
#pragma once

#include "base/memory.hpp"
#include "base/published.hpp"
#include "base/ring_slot.hpp"
#include "exec/drop_control.hpp"
#include "exec/frame_times.hpp"
#include "exec/lane.hpp"
#include "exec/link.hpp"
#include "transport/backoff.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace dri::exec {

// The buffers and counters of one endpoint. Frame f uses buffer f modulo count(). If a sink's frames are strips,
// the buffers of one store follow each other, and the strips of a store arrive together.
struct EndpointState {
    std::vector<std::byte *> buffers;
    std::vector<AlignedBuffer> owned; // those of `buffers` that the library provides
    std::shared_ptr<const std::vector<AlignedBuffer>> shared_in_place; // the same, if source and sink share them
    // Source with pullers: shared memory with one slot per buffer. A slot is the library's own buffer, or it
    // receives a copy of the user's buffer at the hand-over. The copy is omitted if pullers read the user's buffer
    // itself.
    std::shared_ptr<transport::SharedSource> shared;
    int64_t buffer_bytes = 0;
    int64_t workspace_bytes = 0;        // all except its own buffers; stays after the memory is freed
    int64_t message_frames = INT64_MAX; // source: frames whose messages fit into the staging at the same time
    Team team;
    std::shared_ptr<const Window> window; // null: the window does not slide
    WindowOffset next_offset;             // applies to the next frames
    std::vector<WindowOffset> offsets;    // source whose window slides: the offset of the frame in each buffer
    int64_t shift = 0;                    // sink: bytes from the planned window to the moving frame's
    bool stream = false;                  // source: frames have headers, and the stream can be closed
    bool closed = false;                  // source: no frame follows those that are inserted
    std::vector<FrameHeader> headers;     // one per buffer, if this endpoint has headers
    std::chrono::milliseconds timeout{0}; // of a wait for a frame; 0: no timeout
    bool has_thread = false;              // the progress thread moves its frames between calls
    bool fills_ahead = true;              // sink: frames may arrive before the caller waits for them
    bool fills_all = false;               // sink: all buffers may be filled ahead
    int64_t strips = 1;                   // sink: frames that arrive together
    Published<int64_t> frames = 0;        // source: inserted; sink: extracted
    Published<int64_t> acquired = 1;      // source: the caller holds the buffers of the frames [frames, acquired)
    int64_t released = 0;                 // sink: the caller holds the buffers of the frames [released, frames)
    Published<int64_t> dropped = 0;       // sink: frames of the source that it has missed, as far as it knows
    // Source: frames whose messages are all posted; the end of the stream counts as one. Sink: frames that are
    // whole in their buffers; strips that arrive together count as one.
    int64_t moved = 0;
    bool moving = false;                 // steps of frame `moved` are under way
    bool wanted = false;                 // sink: the caller waits for a frame
    bool started = false;                // the first half of DRI_do is done, the second is not
    int64_t spent_ns = 0, waited_ns = 0; // in the calls of the current frame so far
    Published<double> last_seconds = 0, total_seconds = 0;
    FrameTimes times;
    bool destroyed = false;

    int64_t count() const { return std::ssize(buffers); }
    std::byte *buffer(int64_t frame) const { return buffers[slot(frame)]; }
    // Sink: frames that the caller may extract.
    int64_t arrived() const { return moved * strips; }
    // Sink: the window of the frame that moves, in its buffer.
    std::byte *target() const { return buffer(arrived()) + shift; }
    // Sink: the store that holds a strip, counted like `moved`. Without strips: the frame itself.
    int64_t whole(int64_t frame) const { return strips == 1 ? frame : frame / strips; }
    FrameHeader *header(int64_t frame) { return headers.empty() ? nullptr : &headers[slot(frame)]; }
    const FrameHeader *header(int64_t frame) const { return headers.empty() ? nullptr : &headers[slot(frame)]; }
    // Source: the offset of the frame's window; null if the window does not slide.
    const WindowOffset *window_offset(int64_t frame) const {
        return offsets.empty() ? nullptr : &offsets[slot(frame)];
    }
    // Source: where the frame's window starts in its buffer.
    std::byte *origin(int64_t frame) const {
        return buffer(frame) + (offsets.empty() ? 0 : offsets[slot(frame)].bytes);
    }
    // Source: frames to post; the end of the stream counts as one.
    int64_t frames_to_move() const { return frames + (closed ? 1 : 0); }

private:
    size_t slot(int64_t frame) const { return static_cast<size_t>(ring_slot(frame, count())); }
};

// A snapshot of an endpoint's counters. Any thread may take it while another thread runs a frame.
struct Progress {
    int64_t frames, acquired;
    double last_seconds, total_seconds;
};
Progress progress(const EndpointState &state);

// What is sent from the source to one sink side, on one process. If the sink drops frames, the flow counts only
// the frames that are not dropped.
struct Flow {
    Link link;
    // Present if this process is in the sink's group.
    std::optional<EndpointState> sink;
    DropControl drop{};
    bool binds = false; // the source waits for the sink of its own process

    // Upper bound on the flow's frames that are handed over or still will be; undecided frames count.
    int64_t frames_to_come(const EndpointState &source) const {
        const int64_t all = source.frames_to_move();
        return drop.drops() ? drop.kept() + all - drop.decided() : all;
    }
};

// The endpoints of a process that a call is for: the source, one sink, or all existing ones.
struct EndpointSet {
    bool source = false, all_sinks = false;
    const Flow *sink = nullptr;
    bool started_only = false; // with all_sinks: only sinks whose frame is started
    bool includes(const Flow &flow) const;
};

// What a thread that polls for another one found.
struct PollResult {
    bool stepped = false;
    bool in_use = false;    // a call uses the transfer or waits to use it
    bool under_way = false; // frames are handed over, but they or their messages have not left yet

    void add(const PollResult &other) {
        stepped |= other.stepped;
        in_use |= other.in_use;
        under_way |= other.under_way;
    }
};

// Properties that are fixed at the commit. Each frame tests them to skip work that it does not need.
struct FrameFeatures {
    bool messages = false;  // stays true after endpoints with messages are destroyed
    bool data_sent = false; // data move in messages, not only headers
    bool drops = false, headers = false, in_place = false, threads = false, timeouts = false;
    bool windows = false; // the source's window slides
};

class LocalTransfer {
public:
    // patience: the longest wait of destroy_source().
    LocalTransfer(std::string name, std::optional<EndpointState> source, std::vector<Flow> flows,
                  std::shared_ptr<transport::Transport> transport, std::chrono::nanoseconds patience);

    // All endpoints of this process. there() leaves out destroyed ones, and a closed source if a sink exists.
    EndpointSet all_endpoints() const { return {.source = source_.has_value(), .all_sinks = true}; }
    static EndpointSet source_endpoint() { return {.source = true}; }
    EndpointSet sink_endpoint(size_t flow) const { return {.sink = &flows_[flow]}; }

    // A frame has two halves at each endpoint. At a source, the first half inserts a frame and the second acquires
    // the next buffer. At a sink, the first half releases the oldest buffer and the second extracts the next
    // frame. First halves never wait.
    //
    // All calls fail with DRI_ERR_STATE, and nothing is done, if
    // - the transfer is broken, or another thread uses it,
    // - the endpoint is destroyed,
    // - the caller holds no buffer to insert or release,
    // - all sinks of the source are destroyed, or a source that the sink's frame needs is destroyed.
    //
    // Calls with a second half also fail
    // - with DRI_ERR_DEADLOCK, and nothing is done, if only this process could end the wait,
    // - with DRI_ERR_TIMEOUT; the call continues where it stopped when it is repeated,
    // - with DRI_END_OF_STREAM, for a sink whose source has closed the stream; the release is done then.
    //
    // A frame that fails half-way for another reason breaks the transfer.
    void insert(const FrameHeader *header); // null: the header has no bytes, and the current time
    void *acquire();
    void *extract(size_t flow, FrameHeader &header);
    void release(size_t flow);
    // Both halves. Endpoints that are started do the second half only.
    void execute(const EndpointSet &endpoints);
    void do_all() { execute(all_endpoints()); }
    void start(const EndpointSet &endpoints);
    bool test(const EndpointSet &endpoints); // whether the frame is done; does not wait
    void wait(const EndpointSet &endpoints);
    // Moves the window of an endpoint for all frames that are handed over, or waited for, from now on. Both fail
    // with DRI_ERR_ARG if the window would leave the array, and with DRI_ERR_STATE if it does not slide.
    void rebase_source(std::span<const int64_t> offset);
    void rebase_sink(size_t flow, std::span<const int64_t> offset);
    // Closes the stream after the inserted frames. Does not wait.
    void close_source();
    // Takes all steps that are possible now (progress) or one (step), and returns whether there was one. Does
    // nothing while another thread is in a call, or waits to enter one. A failure breaks the transfer.
    bool progress() noexcept;
    bool step() noexcept;
    PollResult poll_step() noexcept; // takes one step and reports what else it found

    // Marks an endpoint as destroyed, notifies the other processes, and frees the endpoint's memory. Fails with
    // DRI_ERR_STATE if a frame that it handed over would be lost, or while another thread is inside a frame. Also
    // throws a failure that a helper found, if no call has reported it yet. Destroying a source waits for staging
    // that its last messages need, and for pullers that read its frames in the user's memory. This wait can fail
    // with DRI_ERR_TIMEOUT.
    void destroy_source();
    void destroy_sink(size_t flow);

    // Called when all pullers have opened the source's buffers.
    void close_file();

    const std::string &name() const { return name_; }
    const EndpointState &source() const { return *source_; }
    const EndpointState &sink(size_t flow) const { return *flows_[flow].sink; }
    const Flow &flow(size_t i) const { return flows_[i]; }
    size_t num_flows() const { return flows_.size(); }
    bool in_strips() const; // the frames of some endpoint are strips

private:
    class CallGuard; // holds the transfer for one call; marks it broken if the call fails half-way

    // The halves that a call does; second_of_started skips endpoints that are not started.
    enum class Halves { both, second, second_of_started };

    // Collects departures. Each call polls once before its frame starts, so that the frame fails up front and not
    // half-way.
    void poll_departures();
    // Throws if a call cannot be carried out. starts: the call does both halves; otherwise the second half only.
    void check(const EndpointSet &endpoints, bool starts) const;
    void check_insert() const;
    void check_acquire(const EndpointSet &endpoints, bool starts) const;
    std::string remedy(const Flow &flow, const char *more) const; // more: another remedy, for a sink without data
    void check_sink(const Flow &flow, bool sources_to_come) const;
    void check_capacity(const Flow &flow, bool gives_back) const;
    void check_pullers_and_receivers() const;
    void check_senders(const Flow &flow) const;
    void check_needed(const EndpointSet &endpoints) const;
    void check_together(const EndpointSet &endpoints) const;
    void check_receivers(bool begins) const;
    [[noreturn]] void throw_source_gone(const transport::Departure &source, const Flow &flow) const;
    bool is_over(const Flow &flow) const; // by what has arrived, no frame follows the whole ones
    bool header_arrived(const Flow &flow) const;
    [[noreturn]] void throw_close_mismatch(const transport::Departure &closed, int other, int64_t frame) const;
    void throw_if_over(const EndpointSet &endpoints) const;
    void check_same_close(int64_t frames) const;
    void check_same_close(const EndpointSet &endpoints) const;
    std::optional<transport::Departure>
    known_close() const; // the process that closed the stream, and after how many frames
    void break_with(const Error &error);
    void check_to_come(const Flow &flow, int64_t more) const;
    [[noreturn]] void throw_timeout(const EndpointSet &endpoints) const;
    EndpointSet there(const EndpointSet &asked) const; // the existing ones of `asked`, see all_endpoints()
    EndpointSet started(const EndpointSet &asked) const;
    // Upper bound of a sink's `moved` without a further call of its caller. takes_frame: the current call waits
    // for the sink's next frame; gives_back: it releases a buffer.
    int64_t reach(const Flow &flow, bool takes_frame, bool gives_back) const;

    void hand_over(const FrameHeader *header);
    void set_window_offset(int64_t frame);
    void copy_window(std::byte *shared,
                     const std::byte *buffer) const; // the whole buffer, if the window does not slide
    void rebase(EndpointState &state, const char *role, std::span<const int64_t> offset) const;
    [[noreturn]] void throw_offset_mismatch(const Flow &flow) const;
    void set_header(const FrameHeader *given); // for the frame that is handed over
    void give(const EndpointSet &endpoints);   // the first halves
    void want(const EndpointSet &endpoints);   // starts a call that does second halves only
    void complete(const EndpointSet &endpoints, transport::Clock::time_point begin); // the second halves
    void count(const EndpointSet &endpoints, const FrameTime &time);    // once the second halves are done
    void add_time(const EndpointSet &endpoints, const FrameTime &time); // while the second halves are not done
    void finish(EndpointSet endpoints, Halves halves);

    void begin_sinks();
    void begin_source();
    void begin_moves(); // begin_sinks() and begin_source()
    bool finish_moves();
    bool is_idle() const;        // no frame moves
    void begin_flow(Flow &flow); // starts the source's next frame in a flow
    bool take_verdict(Flow &flow);
    bool send_drop_credits();
    bool send_header(Flow &flow);
    bool take_headers();
    static void note_header(Flow &flow); // after a header may have arrived for the sink's next frame
    bool post_next(SendAhead ahead);
    bool copy_own();
    bool run_step();
    bool take_step();             // one step; starts the next frame if one is complete
    void run_steps();             // all that are possible now
    void note_failure() noexcept; // keeps the exception that is being handled
    PollResult poll(size_t max_steps, bool polls_sends) noexcept;
    // Whether a progress thread takes the steps that the caller need not wait for.
    bool leaves_steps(const EndpointSet &endpoints) const;
    bool awaits_verdict();
    bool has_moved(const EndpointSet &endpoints);
    bool holds_buffer(const Flow &flow) const; // the buffer that the source's caller acquires next
    // The three numbers count frames of the source. taken_by: frames that this process's sink has taken.
    // needed_by: frames that the sink's next frame needs. dropped_with: the first frame that the sink loses if the
    // source is destroyed now.
    int64_t taken_by(const Flow &flow) const;
    int64_t needed_by(const Flow &flow) const;
    int64_t dropped_with(const Flow &flow) const;
    bool has_buffer() const;
    bool needs(const EndpointSet &endpoints, const Flow &flow) const;
    transport::Deadline deadline(const EndpointSet &endpoints, transport::Clock::time_point begin) const;
    // Takes steps until done() holds. polls: done() may become true without a step of this process.
    template <class Done>
    void move_until(const EndpointSet &endpoints, transport::Deadline deadline, bool polls, const Done &done);
    void send_all(transport::Deadline deadline);
    std::optional<int> lagging_puller(int64_t frames) const;
    void wait_for_readers();
    void
    leave_source(Flow &flow,
                 bool ended); // ended: all frames up to the close of the source's first process were handed over
    bool pause(transport::Backoff &wait); // returns whether it did more than spin
    bool sends_done(bool to_all);         // to_all: includes sinks that drop
    FrameTime time_since(transport::Clock::time_point begin) const;
    void linger(transport::Clock::time_point begin, transport::Deadline deadline);

    std::string name_;
    std::optional<EndpointState> source_;
    std::vector<Flow> flows_;
    std::shared_ptr<transport::Transport> transport_;
    std::chrono::nanoseconds patience_;
    FrameFeatures features_;
    WaitMeter waits_; // of the current call
    enum User : int { nobody, caller, helper };
    std::atomic<int> user_ = nobody;
    std::atomic<int> waiting_ = 0; // callers that wait for a helper to finish its step
    std::string broken_;
    std::exception_ptr unreported_; // the failure that a helper found, until a call reports it
};

} // namespace dri::exec
