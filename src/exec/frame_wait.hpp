// What a call waits for, and for how long. There is one loop that waits while frames move. A broken transfer moves
// none: it only pauses.
#pragma once

#include "exec/engine.hpp"
#include "exec/peer_facts.hpp"
#include "flow/refusal.hpp"
#include "transport/backoff.hpp"

#include <optional>

namespace dri::exec {

class FrameWait {
public:
    FrameWait(TransferParts &parts, Engine &engine) : parts_(parts), engine_(engine) {}

    WaitMeter &meter() { return waits_; } // of the current call
    const WaitMeter &meter() const { return waits_; }

    // Collects departures. Each call polls once before its frame starts, so that the frame fails up front and not
    // half-way.
    void poll_departures() {
        if (parts_.features.messages)
            poll_exchanges();
    }
    PeerFacts &facts() { return facts_; }
    // Both throw if the rules of flow control refuse a call. Nothing has been done then. admit() observes first.
    void admit(const flow::Call &call);
    void check_admitted(const flow::Call &call) const;
    // Whether the second halves of a call can be done now. Throws if they never can be: something can no longer
    // arrive, or the stream is over.
    bool is_done(const flow::CallEndpoints &endpoints);
    // Whether a progress thread takes the steps that the caller need not wait for.
    bool leaves_steps(const flow::CallEndpoints &endpoints) const {
        return parts_.features.threads && has_thread(endpoints);
    }
    // Throws if this process and the one that closed the stream disagree about its end.
    void check_close() {
        if (parts_.ledgers.source->terms().stream)
            compare_close();
    }

    // Does the second halves of a call that has begun at that time.
    void complete(const flow::CallEndpoints &endpoints, transport::Clock::time_point begin);
    void send_all(transport::Deadline deadline); // waits until the source's messages are posted
    // Wait until no process reads the source's buffers; pause_for_readers() is for a broken transfer.
    void wait_for_readers(transport::Deadline deadline);
    void pause_for_readers(transport::Deadline deadline);

private:
    // What the short functions above do if the transfer has that feature.
    void poll_exchanges();
    bool has_thread(const flow::CallEndpoints &endpoints) const;
    void compare_close();
    // Whether the frames of a call are done, and whether the source's next buffer is free.
    bool has_moved(const flow::CallEndpoints &endpoints);
    bool has_buffer();
    // Throws if the wait cannot end because the stream is over.
    void check_over(const flow::CallEndpoints &endpoints) const;
    bool pause(transport::Backoff &wait); // returns whether it did more than spin
    // Takes steps until done() holds, or the deadline has passed: late() then throws. polls: done() may become
    // true without a step of this process.
    template <class Done, class Late>
    void move_until(const flow::CallEndpoints &endpoints, transport::Deadline deadline, bool polls,
                    const Done &done, const Late &late);
    template <class Done>
    void move_until(const flow::CallEndpoints &endpoints, transport::Deadline deadline, bool polls,
                    const Done &done);
    std::optional<int> reader();          // of the source's buffers
    void refuse_reader(int reader) const; // it has not taken all frames in time
    void linger(transport::Clock::time_point begin, transport::Deadline deadline);
    transport::Deadline deadline(const flow::CallEndpoints &endpoints, transport::Clock::time_point begin) const;
    void check_pulls(const flow::CallEndpoints &endpoints) const;

    TransferParts &parts_;
    Engine &engine_;
    PeerFacts facts_{parts_};
    WaitMeter waits_;
};

} // namespace dri::exec
