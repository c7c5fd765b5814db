// What a call waits for, and for how long. There is one loop that waits. Only for a broken transfer it takes no
// steps.
#pragma once

#include "exec/engine.hpp"
#include "exec/long_wait.hpp"
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
    // half-way. A call that receives data looks for messages next, and the poll does not do it, too.
    void poll_departures(const flow::CallEndpoints &endpoints) {
        if (parts_.features.messages)
            poll_exchanges(receives_data(endpoints) ? transport::Look::cheap : transport::Look::full);
    }
    PeerFacts &facts() { return facts_; }
    // They throw if the rules of flow control refuse a call. Nothing has been done then. check_admitted() observes
    // nothing before. admit_attempt() returns false if there is nothing to do yet.
    void admit(const flow::Call &call);
    void check_admitted(const flow::Call &call) const;
    bool admit_attempt(const flow::Call &call);
    // Whether the second halves of a call can be done now. Throws if they never can be: something can no longer
    // arrive, or the stream is over.
    bool is_done(const flow::CallEndpoints &endpoints) { return goes_on(look(endpoints)); }
    // The same for a call that does not wait. Of an attempt, what only its caller could bring about is not done
    // yet.
    bool is_done_now(const flow::Call &call) {
        const flow::Ruling ruling = look(call.endpoints);
        return goes_on(call.act == flow::Act::attempt ? ruling.without_wait() : ruling);
    }
    // Whether a progress thread takes the steps that the caller need not wait for.
    bool leaves_steps(const flow::CallEndpoints &endpoints) const {
        return parts_.features.threads && has_thread(endpoints);
    }
    // Throws if this process and the one that closed the stream disagree about its end.
    void check_close() {
        if (parts_.ledgers.source->terms().stream)
            compare_close();
    }

    LongWait &long_wait() { return long_wait_; }
    // For a call that does not wait and is not done: fails if it waits for a process that has ended.
    void look_between(const flow::CallEndpoints &endpoints, transport::Clock::time_point now) {
        long_wait_.look_between(now, [&](const Among &among) { return facts_.missing(endpoints, among); });
    }
    // Does the second halves of a call that has begun at that time.
    void complete(const flow::CallEndpoints &endpoints, transport::Clock::time_point begin);
    void send_all(transport::Deadline deadline); // waits until the source's messages are posted
    // Wait until no process reads the source's buffers. The other two are for a broken transfer, and
    // spare_readers() returns after the deadline without a failure.
    [[gnu::cold]] void wait_for_readers(transport::Deadline deadline);
    [[gnu::cold]] void pause_for_readers(transport::Deadline deadline);
    [[gnu::cold]] void spare_readers(transport::Deadline deadline);

private:
    flow::Ruling look(const flow::CallEndpoints &endpoints); // at what the second halves need
    bool goes_on(const flow::Ruling &ruling) const;          // throws a refusal
    // What the short functions above do if the transfer has that feature.
    void poll_exchanges(transport::Look look);
    bool receives_data(const flow::CallEndpoints &endpoints) const;
    bool has_thread(const flow::CallEndpoints &endpoints) const;
    void compare_close();
    // Whether the frames of a call are done, and whether the source's next buffer is free.
    bool has_moved(const flow::CallEndpoints &endpoints);
    bool has_buffer();
    // Throws if the wait cannot end because the stream is over.
    void check_over(const flow::CallEndpoints &endpoints) const;
    bool others_ran();
    bool rest(transport::Backoff &wait, int64_t free, bool moves);
    bool rest_in_look(transport::Backoff &wait, int64_t free); // the last look has yielded
    bool pause(transport::Backoff &wait);                      // returns whether it did more than spin
    // What is waited for: frames and buffers of a call, or those that read the source's buffers before its end.
    enum class For { frames, readers };
    // What ends a wait: only steps of this process, also other processes without a step of this one, or these
    // alone, because the transfer is broken and takes no steps.
    enum class EndedBy { own_steps, others_too, others_alone };
    flow::Refused missing(const flow::CallEndpoints &endpoints, For what, const Among &among) const;
    // Takes steps until done() holds, and fails after the deadline.
    template <EndedBy by, For what = For::frames, class Done>
    void move_until(const flow::CallEndpoints &endpoints, transport::Deadline deadline, const Done &done);
    // What such a wait does in a pause that leaves time for it: the deadline, processes that have left or ended,
    // and the report.
    [[gnu::noinline]] void look_around(const flow::CallEndpoints &endpoints, transport::Deadline deadline,
                                       For what);
    std::optional<int> reader(); // of the source's buffers
    void linger(transport::Clock::time_point begin, transport::Deadline deadline);
    transport::Deadline deadline(const flow::CallEndpoints &endpoints, transport::Clock::time_point begin) const;
    void check_pulls(const flow::CallEndpoints &endpoints) const;

    TransferParts &parts_;
    Engine &engine_;
    PeerFacts facts_{parts_};
    WaitMeter waits_;
    int64_t rests_ = 0; // of the transport, when others_ran() was asked last: those of other waits do not count
    LongWait long_wait_{parts_};
};

} // namespace dri::exec
