// Moves the frames of one transfer: which step comes next, and when a frame is complete. Nothing here waits.
#pragma once

#include "exec/lane.hpp"
#include "exec/parts.hpp"
#include "flow/call.hpp"
#include "transport/departures.hpp"

namespace dri::exec {

// Whose messages count: those to sinks that hold the source back, or all.
enum class Receivers { holding, all };

class Engine {
public:
    explicit Engine(TransferParts &parts) : parts_(parts) {}

    // The first halves of a call, each done once even if the call is repeated. want() starts a call that does
    // second halves only.
    void give(const flow::CallEndpoints &endpoints);
    void want(const flow::CallEndpoints &endpoints) {
        for (flow::FlowLedger &flow : parts_.ledgers.flows)
            if (endpoints.includes(flow))
                flow.sink->want(); // the last free buffer may be filled, see SinkLedger::reach
        begin_moves();
    }
    void hand_over(const FrameHeader *header); // the frame that the caller inserts next
    // Notifies the processes that take from this source. complete: all frames up to the close of the source's
    // first process were handed over.
    void leave_source(Flow &flow, transport::Leave how);

    // Start the next frames of sinks and of the source, where flow control allows it.
    void begin_sinks();
    void begin_source() {
        if (parts_.ledgers.source && !parts_.ledgers.source->posting() && parts_.ledgers.source->has_to_post())
            begin_post();
    }
    void begin_moves(); // both
    bool run_step();    // whether one was possible
    // Counts the frames of which no step is left. Returns whether there was one, so that the next frames can
    // start.
    bool finish_moves();
    bool take_step();     // one step; starts the next frame if one is complete
    void run_steps();     // all that are possible now
    bool is_idle() const; // no frame moves
    bool sends_done(Receivers which);
    bool stays_to_send(); // whether some messages may leave only while both processes look

private:
    void begin_post();           // of the source's next frame
    void begin_flow(Flow &flow); // the same in one flow
    bool take_verdict(Flow &flow);
    bool send_drop_credits();
    bool send_header(Flow &flow);
    bool take_headers();
    static void note_header(Flow &flow); // after a header may have arrived for the sink's next frame
    // Polling for a message costs time for each sender.
    enum class Senders { few, many };
    bool unpack_arrived(Senders senders);
    bool post_next(SendAhead ahead);
    bool copy_own(); // also pads
    bool copy_own(Flow &flow);
    bool pull_ready();
    void set_header(const FrameHeader *given);
    void set_window_offset(int64_t frame);
    void begin_in_next_buffer();
    bool is_copied(int64_t buffer) const;
    void copy_window(std::byte *shared, const std::byte *buffer) const;
    [[noreturn]] void throw_offset_mismatch(const Flow &flow) const;

    TransferParts &parts_;
};

} // namespace dri::exec
