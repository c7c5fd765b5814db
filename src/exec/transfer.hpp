// The ends of one named transfer that a process holds, ready to run: buffers in turn, frames, order of steps.
#pragma once

#include "base/in_turn.hpp"
#include "base/memory.hpp"
#include "exec/frame_times.hpp"
#include "exec/link.hpp"
#include "transport/backoff.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace dri {

// One end's buffers and its frames. Frame f uses buffer f modulo their number.
struct End {
    std::vector<std::byte *> buffers;
    std::vector<AlignedBuffer> owned; // those of them that the library provides
    // A source that others pull from: one buffer here for each, which is the library's own, or takes the user's at
    // the hand-over, unless the takers read that where it is.
    std::shared_ptr<SharedSource> shared;
    int64_t buffer_bytes = 0;
    int64_t workspace_bytes = 0;        // of shared, without the library's own buffers
    int64_t message_frames = INT64_MAX; // of a source: frames that its messages have memory for at once
    Team team;
    int64_t frames = 0;
    double last_seconds = 0, total_seconds = 0;
    FrameTimes times;
    bool destroyed = false;

    std::byte *buffer(int64_t frame) const {
        return buffers[static_cast<size_t>(in_turn(frame, std::ssize(buffers)))];
    }
};

// How far an end is. The one reading of an end that another thread may be running a frame of.
struct Progress {
    int64_t frames;
    double last_seconds, total_seconds;
};
Progress progress(const End &end);

// What flows to one sink side. The end is there if this process is in that side's group.
struct Flow {
    Link link;
    std::optional<End> sink;
};

class Transfer {
public:
    // patience: how long destroy_source() waits.
    Transfer(std::string name, std::optional<End> source, std::vector<Flow> flows,
             std::shared_ptr<Transport> transport, std::chrono::nanoseconds patience);

    // One frame. Fail with DRI_ERR_DEADLOCK, nothing done, where only this process could go on; with
    // DRI_ERR_STATE where the transfer is broken, in use by another thread, or the end destroyed, and where all
    // sinks of the source, or a source that the sink's frame needs, are destroyed. Once a frame has failed
    // half-way the transfer is broken.
    void do_all();
    void do_source();
    void do_sink(size_t flow);

    // Marks an end as destroyed, tells the other processes, and frees the end's memory. Fails with DRI_ERR_STATE
    // if a frame that it handed over would be lost, or while another thread is inside a frame. A source whose
    // frames lie in the user's memory waits for those that read them there, and fails with DRI_ERR_TIMEOUT.
    void destroy_source();
    void destroy_sink(size_t flow);

    // All takers have opened the source's buffers.
    void close_file();

    const std::string &name() const { return name_; }
    const End &source() const { return *source_; }
    const End &sink(size_t flow) const { return *flows_[flow].sink; }
    const Flow &flow(size_t i) const { return flows_[i]; }
    size_t num_flows() const { return flows_.size(); }

private:
    class Turn; // holds the transfer for one call, marks it broken if the call fails half-way
    // The ends that a frame is of.
    struct Ends {
        const std::byte *source = nullptr; // the frame's buffer, where the source is one of them
        bool sinks = true;
        const Flow *only = nullptr; // where it is one sink alone
        bool takes(const Flow &flow) const;
    };

    void look(); // for those who leave: asked once before a frame begins, so that it fails then and not half-way
    void check_source(int64_t sinks_to_come) const;
    void check_sink(const Flow &flow, int64_t sources_to_come) const;
    void check_takers() const;
    [[noreturn]] void fail_without(const Departure &source, const Flow &flow) const;
    void hand_over();
    void run_frame(const Ends &ends);
    bool run_step(const Ends &ends);
    bool wait_for_messages(const Ends &ends);
    void check_senders(const Flow &flow) const;
    std::optional<int> lacks(int64_t frames) const;
    void wait_for_takers();
    void wait_for_readers();
    bool pause(Backoff &wait); // whether there was time for something else
    bool sends_done();
    FrameTime time_since(Clock::time_point begin) const;
    void linger(Clock::time_point begin);

    std::string name_;
    std::optional<End> source_;
    std::vector<Flow> flows_;
    std::shared_ptr<Transport> transport_;
    std::chrono::nanoseconds patience_;
    std::atomic<bool> busy_ = false;
    WaitMeter waits_; // of the call
    std::string broken_;
};

} // namespace dri
