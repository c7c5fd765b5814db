// Bytes between processes. Knows ranks and messages; knows nothing of arrays. One implementation per
// file pair: mpi_transport over MPI, loopback_transport between threads of one process, for tests.
#pragma once

#include "base/error.hpp"
#include "base/wire.hpp"
#include "transport/departures.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace dri {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// One message of an exchange: the process at the other end, and its length.
struct MessageSpec {
    int peer = 0;
    int64_t bytes = 0; // > 0, at most max_message_bytes
};

// A set-up message that has come.
struct Arrival {
    int peer = 0;
    Bytes bytes;
};

// What a process remembers between the collective steps with one tag.
struct StepMemory {
    uint64_t stamp = 0;        // greater than that of any step it has been through
    Digest left;               // the group of the last step that failed, unless it has met since
    std::map<int, Bytes> kept; // by sender: the last message, where it was taken and not answered
};

constexpr int64_t max_message_bytes = int64_t{1} << 30;

// What a wait for messages that will never come fails with.
class PeerLeft : public Error {
public:
    explicit PeerLeft(const Departure &departure)
        : Error(DRI_ERR_STATE,
                fmt::format("process {} has left after {} frames", departure.peer, departure.frames)),
          departure_(departure) {}
    const Departure &departure() const { return departure_; }

private:
    Departure departure_;
};

// The messages that one process sends and receives in every frame, with the memory that they travel in.
// Prepared once; nothing below allocates. One frame at a time: sends of a frame may be posted once those of
// the last one are done. Messages with one peer and tag arrive in the order of posting; a peer may be
// the process itself. Messages to a peer that has left are never waited for, and their memory is never used again.
class Exchange {
public:
    virtual ~Exchange() = default;
    // Memory for messages, beside what MPI holds.
    virtual int64_t memory_bytes() const = 0;

    // Where message i is packed, until it is posted: memory that another message of the frame has left, where
    // there is any. Null where all of its peer's memory is taken, which happens only if sends have credits; moves
    // messages on.
    virtual std::byte *send_data(size_t i) = 0;
    virtual void post_send(size_t i) = 0;
    // Messages posted that may not have left their memory yet; moves messages on.
    virtual size_t sends_under_way() = 0;
    virtual bool sends_done() = 0; // moves messages on; does not wait
    virtual void wait_sends() = 0;
    // A peer that is still there and has not taken a message that was posted; none where sends_done() is true.
    virtual std::optional<int> awaits() = 0;

    // Posts the receives of a new frame, of each peer as many as there is memory for, in order.
    virtual void post_receives() = 0;
    virtual bool receives_open() const = 0; // whether some have not been returned
    // Waits for any message not yet returned, and returns its index; -1 when there is none left. Throws PeerLeft
    // where one waits for a sender that has left before this frame, frames being counted from 0. Who waits without
    // having released messages may wait for ever.
    virtual int64_t wait_receive() = 0;
    // The same without waiting: -1, too, where none has come. Throws nothing for a sender that has left.
    virtual int64_t try_receive() = 0;
    virtual std::byte *receive_data(size_t i) = 0; // where message i, returned and not released, is
    // Message i is unpacked: its memory may take a later one of the same peer.
    virtual void release(size_t i) = 0;

    // Peers that have left, as far as poll_departures() and the waits have heard.
    virtual const Departures &departures() const = 0;
    // For all exchanges of the transport. Does not wait; fails with DRI_ERR_STATE where the transport is closed.
    virtual void poll_departures() = 0;
    // Tells all peers that this process leaves, after so many frames that all its sends have been posted for, or
    // all its receives returned. ended: because there are no more. Afterwards nothing is posted any more.
    // Local; allocates.
    virtual void leave(int64_t frames, bool ended = false) = 0;
};

class Transport {
public:
    virtual ~Transport() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    // Set-up messages of any length, with a tag in [0, set_up_tags). Both fail with DRI_ERR_TIMEOUT
    // after the deadline, but look at least once before. A send may wait for its receiver, unless that is the
    // process itself. A message is received once, in the order of sending per peer and tag.
    static constexpr int set_up_tags = 16;
    virtual void send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) = 0;
    virtual Bytes receive(int peer, int tag, Deadline deadline) = 0;
    // The next message if it is there already.
    virtual std::optional<Bytes> try_receive(int peer, int tag) = 0;
    // A send that never waits for its receiver.
    virtual void post(int peer, int tag, Bytes bytes) = 0;
    // The next message of any process. Not for tags that are received by peer at the same time.
    virtual Arrival receive_any(int tag, Deadline deadline) = 0;

    // For each rank the lowest rank that shares a node with it. Collective over the world; O(log P) steps.
    virtual std::vector<int> nodes() = 0;
    // More processes on this node than cores that they may use: a wait must give its core away at once.
    virtual bool crowded() const = 0;
    // Whether any thread may use the transport at any time; else one at a time.
    virtual bool takes_any_thread() const = 0;
    // Calls `last` before what the transport stands on goes, and at the latest when what is returned here goes: a
    // thread that uses the transport stops there.
    virtual std::shared_ptr<void> before_finish(std::function<void()> last) = 0;
    // Moves on whatever messages are under way, for who waits elsewhere. Does not wait; does nothing once closed.
    virtual void progress() = 0;
    // What the process does while it waits for others, in here or elsewhere: takes one step of something else and
    // tells whether there was one. It never waits in here. Set before a second thread uses the transport.
    virtual void set_meanwhile(std::function<bool()> work) { meanwhile_ = std::move(work); }
    virtual bool meanwhile() { return meanwhile_ && meanwhile_(); }

    // Exchanges have a tag in [0, exchange_tags()), the same at both ends. receive_credits: messages of one peer
    // that have memory here at once; there is memory for all sends of a frame, unless send_credits limits them,
    // too. pooled: credits are of all peers' messages, which get their memory in the order of the slots.
    virtual int64_t exchange_tags() const = 0;
    static constexpr int64_t unlimited_credits = INT64_MAX;
    virtual std::unique_ptr<Exchange> prepare(std::span<const MessageSpec> sends,
                                              std::span<const MessageSpec> receives, int64_t tag,
                                              int64_t receive_credits = unlimited_credits,
                                              int64_t send_credits = unlimited_credits, bool pooled = false) = 0;
    // Takes an exchange whose sends may be under way, and keeps them until they are done. Receives still
    // posted are given up. To destroy an exchange does the same.
    virtual void retire(std::unique_ptr<Exchange> exchange) = 0;
    // Ends the transport's work: waits for all processes and for sends under way; what nobody has received
    // by then is dropped. Collective over the world. Afterwards all calls but this one fail with DRI_ERR_STATE.
    // Fails with DRI_ERR_TIMEOUT where not all have come by the deadline; then it may only be called again.
    virtual void close(Deadline deadline) = 0;

    // One thread at a time, as for the tag.
    virtual StepMemory &step_memory(int tag) { return step_memory_.at(static_cast<size_t>(tag)); }
    // A number that this process has not had before.
    uint64_t next_sequence() { return sequence_.fetch_add(1, std::memory_order_relaxed); }

private:
    std::function<bool()> meanwhile_;
    std::array<StepMemory, set_up_tags> step_memory_;
    std::atomic<uint64_t> sequence_ = 0;
};

} // namespace dri
