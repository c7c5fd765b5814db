// The ends of one named transfer that a process holds, ready to run: buffers in turn, frames, order of steps.
#pragma once

#include "base/memory.hpp"
#include "base/ring_slot.hpp"
#include "exec/drop_control.hpp"
#include "exec/frame_times.hpp"
#include "exec/link.hpp"
#include "transport/backoff.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace dri {

// One end's buffers and its frames. Frame f uses buffer f modulo their number. Where a sink's frames are strips,
// the buffers of a whole follow each other, and wholes move.
struct EndpointState {
    std::vector<std::byte *> buffers;
    std::vector<AlignedBuffer> owned;                                  // those of them that the library provides
    std::shared_ptr<const std::vector<AlignedBuffer>> shared_in_place; // the same where source and sink share them
    // A source that others pull from: one buffer here for each, which is the library's own, or takes the user's at
    // the hand-over, unless the takers read that where it is.
    std::shared_ptr<SharedSource> shared;
    int64_t buffer_bytes = 0;
    int64_t workspace_bytes = 0;        // all, without the library's own buffers; also when the memory has gone
    int64_t message_frames = INT64_MAX; // of a source: frames that its messages have memory for at once
    Team team;
    std::shared_ptr<const Window> window; // null: it does not slide
    WindowOffset next_offset;             // of its frames to come
    std::vector<WindowOffset> offsets;    // source: of the frame in each buffer, where the window slides
    int64_t shift = 0;                    // sink: how far the window of the frame that moves is in its buffer
    bool stream = false;                  // source: frames have headers, and there may be an end of them
    bool closed = false;                  // source: after the frames that are inserted there are no more
    std::vector<FrameHeader> headers;     // one for each buffer, where this end has them
    std::chrono::milliseconds timeout{0}; // of a wait for a frame; 0: none
    bool has_thread = false;              // that moves it on while its caller does something else
    bool fills_ahead = true;              // sink: frames may come before they are asked for
    bool fills_all = false;               // sink: into all its buffers
    int64_t strips = 1;                   // sink: frames that come together
    int64_t frames = 0;                   // inserted into a source; extracted from a sink
    int64_t acquired = 1;                 // source: the caller holds the buffers of the frames [frames, acquired)
    int64_t released = 0;                 // sink: the caller holds those of [released, frames)
    int64_t dropped = 0;                  // sink: frames of the source that it has not got, as far as it knows
    // Source: frames whose messages are all posted; the end of a stream counts as one. Sink: frames that are whole
    // in their buffers, those that come together counted as one.
    int64_t moved = 0;
    bool moving = false;                 // the steps of the frame after those have begun
    bool wanted = false;                 // sink: the caller waits for a frame
    bool started = false;                // the first half of a DRI_do is done, and not the second one
    int64_t spent_ns = 0, waited_ns = 0; // inside the calls of the frame so far
    double last_seconds = 0, total_seconds = 0;
    FrameTimes times;
    bool destroyed = false;

    int64_t count() const { return std::ssize(buffers); }
    std::byte *buffer(int64_t frame) const { return buffers[slot(frame)]; }
    // Sink: frames that the caller may have; where those go that move.
    int64_t arrived() const { return moved * strips; }
    std::byte *target() const { return buffer(arrived()) + shift; }
    // Sink: the one of moved that a frame belongs to.
    int64_t whole(int64_t frame) const { return strips == 1 ? frame : frame / strips; }
    FrameHeader *header(int64_t frame) { return headers.empty() ? nullptr : &headers[slot(frame)]; }
    const FrameHeader *header(int64_t frame) const { return headers.empty() ? nullptr : &headers[slot(frame)]; }
    // Source: where the frame's window is; null where it does not slide. And in its buffer.
    const WindowOffset *window_offset(int64_t frame) const {
        return offsets.empty() ? nullptr : &offsets[slot(frame)];
    }
    std::byte *origin(int64_t frame) const {
        return buffer(frame) + (offsets.empty() ? 0 : offsets[slot(frame)].bytes);
    }
    int64_t frames_to_move() const { return frames + (closed ? 1 : 0); } // of a source

private:
    size_t slot(int64_t frame) const { return static_cast<size_t>(ring_slot(frame, count())); }
};

// How far an end is. The one reading of an end that another thread may be running a frame of.
struct Progress {
    int64_t frames, acquired;
    double last_seconds, total_seconds;
};
Progress progress(const EndpointState &endpoint);

// What flows to one sink side. The end is there if this process is in that side's group. Where the sink drops
// frames, the flow's frames are those that are not dropped.
struct Flow {
    Link link;
    std::optional<EndpointState> sink;
    DropControl drop{};
    bool binds = false; // the source waits for the sink of its own process

    int64_t frames_to_come(const EndpointState &source) const { // as many at most are, or will be, handed over
        const int64_t all = source.frames_to_move();
        return drop.drops() ? drop.kept() + all - drop.decided() : all;
    }
};

// Which of a process's ends a call is about: the source, one sink, or all that are there.
struct EndpointSet {
    bool source = false, all_sinks = false;
    const Flow *sink = nullptr;
    bool started_only = false; // of all sinks
    bool includes(const Flow &flow) const;
};

// What somebody saw who took steps for another thread.
struct PollResult {
    bool stepped = false;
    bool in_use = false;    // a call has the transfer, or is to have it
    bool under_way = false; // frames are handed over, or their messages, that are not away

    void add(const PollResult &other) {
        stepped |= other.stepped;
        in_use |= other.in_use;
        under_way |= other.under_way;
    }
};

// What the commit has settled and every frame asks for.
struct FrameFeatures {
    bool messages = false; // or had them, before its ends were destroyed
    bool drops = false, headers = false, in_place = false, threads = false, timeouts = false;
    bool windows = false; // the source's slides
};

class LocalTransfer {
public:
    // patience: how long destroy_source() waits.
    LocalTransfer(std::string name, std::optional<EndpointState> source, std::vector<Flow> flows,
                  std::shared_ptr<Transport> transport, std::chrono::nanoseconds patience);

    // Those that are still there; a source that is closed only where there is no sink.
    EndpointSet all_endpoints() const { return {.source = source_.has_value(), .all_sinks = true}; }
    static EndpointSet source_endpoint() { return {.source = true}; }
    EndpointSet sink_endpoint(size_t flow) const { return {.sink = &flows_[flow]}; }

    // A frame of a source is inserted, then the next buffer is acquired; of a sink, the oldest buffer is released,
    // then the next frame is extracted. The first halves never wait. All fail with DRI_ERR_STATE, nothing done,
    // where the transfer is broken, in use by another thread, or the end destroyed, where the caller holds no
    // buffer to give, and where all sinks of the source, or a source that the sink's frame needs, are destroyed.
    // Those that wait fail with DRI_ERR_DEADLOCK, nothing done, where only this process could go on, and with
    // DRI_ERR_TIMEOUT, and go on where they were when they are called again. Once a frame has failed half-way for
    // another reason the transfer is broken.
    // Those of a sink of a stream fail with DRI_END_OF_STREAM, what there was to release released, where its
    // source has closed it.
    void insert(const FrameHeader *header); // null: without data, at this moment
    void *acquire();
    void *extract(size_t flow, FrameHeader &header);
    void release(size_t flow);
    // Both halves; of ends that are started, the second one alone.
    void execute(const EndpointSet &endpoints);
    void do_all() { execute(all_endpoints()); }
    void start(const EndpointSet &endpoints);
    bool test(const EndpointSet &endpoints); // whether the frame is done; does not wait
    void wait(const EndpointSet &endpoints);
    // Moves the window of an end, for frames that are handed over, or waited for, from now on. Fail with
    // DRI_ERR_ARG where it would leave the array, and with DRI_ERR_STATE where it does not slide.
    void rebase_source(std::span<const int64_t> offset);
    void rebase_sink(size_t flow, std::span<const int64_t> offset);
    // Ends the stream after the frames that are inserted. Does not wait.
    void close_source();
    // Takes all steps that can be taken now, or one, unless another thread is in a call or waits to be; whether
    // there was one. What fails breaks the transfer.
    bool progress() noexcept;
    bool step() noexcept;
    PollResult poll_one() noexcept; // one step, and what else there is to see

    // Marks an end as destroyed, tells the other processes, and frees the end's memory. Fails with DRI_ERR_STATE
    // if a frame that it handed over would be lost, or while another thread is inside a frame; and with what a
    // helper has noticed, if no call has failed with it. A source waits for memory that its last messages need,
    // and where its frames lie in the user's memory for those that read them there; it fails with
    // DRI_ERR_TIMEOUT.
    void destroy_source();
    void destroy_sink(size_t flow);

    // All takers have opened the source's buffers.
    void close_file();

    const std::string &name() const { return name_; }
    const EndpointState &source() const { return *source_; }
    const EndpointState &sink(size_t flow) const { return *flows_[flow].sink; }
    const Flow &flow(size_t i) const { return flows_[i]; }
    size_t num_flows() const { return flows_.size(); }
    bool in_strips() const; // frames of some end differ

private:
    class CallGuard; // holds the transfer for one call, marks it broken if the call fails half-way

    enum class Halves { both, second, second_of_started };

    void poll_departures(); // for those who leave: asked once before a frame begins, so that it fails then and not
                            // half-way
    // What a call needs that does both halves, or the second one alone.
    void check(const EndpointSet &endpoints, bool starts) const;
    void check_insert() const;
    void check_acquire(const EndpointSet &endpoints, bool starts) const;
    void check_sink(const Flow &flow, bool sources_to_come) const;
    void check_capacity(const Flow &flow, bool gives_back) const;
    void check_pullers_and_receivers() const;
    void check_senders(const Flow &flow) const;
    void check_needed(const EndpointSet &endpoints) const;
    void check_together(const EndpointSet &endpoints) const;
    void check_receivers(bool begins) const;
    [[noreturn]] void throw_source_gone(const Departure &source, const Flow &flow) const;
    bool is_over(const Flow &flow) const; // as has come, there is no frame after those that are whole
    bool header_arrived(const Flow &flow) const;
    [[noreturn]] void throw_close_mismatch(const Departure &closed, int other, int64_t frame) const;
    void check_over(const EndpointSet &endpoints) const;
    void check_end_of_stream(int64_t frames) const;
    void check_end_of_stream(const EndpointSet &endpoints) const;
    std::optional<Departure> known_close() const; // who has closed the stream, after how many frames
    void break_with(const Error &error);
    void check_to_come(const Flow &flow, int64_t more) const;
    [[noreturn]] void throw_timeout(const EndpointSet &endpoints) const;
    EndpointSet there(const EndpointSet &asked) const; // of all, those that all_endpoints() means
    EndpointSet started(const EndpointSet &asked) const;
    // What a sink can have moved before its caller does more than to let this call go on.
    int64_t reach(const Flow &flow, bool takes_frame, bool gives_back) const;

    void hand_over(const FrameHeader *header);
    void set_window_offset(int64_t frame);
    void copy_window(std::byte *shared, const std::byte *buffer) const; // all, where it does not slide
    void rebase(EndpointState &endpoint, const char *role, std::span<const int64_t> offset) const;
    [[noreturn]] void throw_offset_mismatch(const Flow &flow) const;
    void set_header(const FrameHeader *given); // of the frame that is handed over
    void give(const EndpointSet &endpoints);   // the first halves
    void want(const EndpointSet &endpoints);   // what the second halves alone begin with
    void complete(const EndpointSet &endpoints, Clock::time_point begin); // the second halves
    void count(const EndpointSet &endpoints, const FrameTime &time);      // the second halves are done
    void add_time(const EndpointSet &endpoints, const FrameTime &time);   // they are not yet
    void finish(EndpointSet endpoints, Halves halves);

    void begin_sinks();
    void begin_source();
    void begin_moves(); // both
    bool finish_moves();
    bool is_idle() const;        // nothing moves
    void begin_flow(Flow &flow); // with the frame of the source that begins to move
    bool decide(Flow &flow);
    bool send_drop_credits();
    bool send_header(Flow &flow);
    bool take_headers();
    static void note_header(Flow &flow); // of the sink's next frame, which may have come
    bool run_step();
    bool take_step();             // also from one frame to the next
    void run_steps();             // all that can be taken now
    void note_failure() noexcept; // that is being handled
    PollResult poll(size_t max_steps, bool polls_sends) noexcept;
    // Whether a thread takes the steps that the caller need not wait for.
    bool leaves_steps(const EndpointSet &endpoints) const;
    bool awaits_word();
    bool has_moved(const EndpointSet &endpoints);
    bool holds_buffer(const Flow &flow) const; // the one that the caller of the source would get next
    // Frames of the source that the sink of this process has taken, and that its caller's next one needs; the
    // first one that it would lack if the source ended.
    int64_t taken_by(const Flow &flow) const;
    int64_t needed_by(const Flow &flow) const;
    int64_t dropped_with(const Flow &flow) const;
    bool has_buffer() const;
    bool needs(const EndpointSet &endpoints, const Flow &flow) const;
    void wait_for_header(const EndpointSet &endpoints); // of the only sink whose frame moves
    bool wait_for_messages(const EndpointSet &endpoints);
    Deadline deadline(const EndpointSet &endpoints, Clock::time_point begin) const;
    // polls: it may be done without a step here.
    template <class Done>
    void move_until(const EndpointSet &endpoints, Deadline deadline, bool polls, const Done &done);
    void send_all(Deadline deadline);
    std::optional<int> slowest_puller(int64_t frames) const;
    void wait_for_readers();
    void leave_source(Flow &flow, bool ended); // ended: after all frames up to the first process's end
    bool pause(Backoff &wait);                 // whether there was time for something else
    bool sends_done(bool to_all);              // else without those to sinks that drop
    FrameTime time_since(Clock::time_point begin) const;
    void linger(Clock::time_point begin, Deadline deadline);

    std::string name_;
    std::optional<EndpointState> source_;
    std::vector<Flow> flows_;
    std::shared_ptr<Transport> transport_;
    std::chrono::nanoseconds patience_;
    FrameFeatures features_;
    WaitMeter waits_; // of the call
    enum User : int { nobody, caller, helper };
    std::atomic<int> user_ = nobody;
    std::atomic<int> waiting_ = 0; // callers who wait for a helper to go
    std::string broken_;
    std::exception_ptr unreported_; // what broke it, where a helper noticed and no call has failed with it
};

} // namespace dri
