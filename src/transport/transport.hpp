// Moves bytes between processes. A transport knows ranks and messages, and nothing of arrays. There are two
// implementations: mpi_transport over MPI, and loopback_transport between threads of one process, for tests.
#pragma once

#include "base/error.hpp"
#include "base/wire.hpp"
#include "transport/departures.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace dri::transport {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// One message of an exchange: the peer, and the length.
struct MessageSpec {
    int peer = 0;
    int64_t bytes = 0; // > 0, at most max_message_bytes
};

// A set-up message that has arrived.
struct Arrival {
    int peer = 0;
    Bytes bytes;
};

constexpr int64_t max_message_bytes = int64_t{1} << 30;

// Thrown by a wait for messages that will never arrive, because their sender has left.
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

// The messages that one process sends and receives in every frame, with their staging memory. An exchange is
// prepared once. No function below allocates, except leave(). There is one frame at a time: sends of a frame may
// be posted when those of the last frame are done. Messages with the same peer and tag arrive in the order of
// posting. A peer may be the process itself. No call waits for messages to a peer that has left, and their memory
// is never used again.
class Exchange {
public:
    virtual ~Exchange() = default;
    // Bytes of staging memory, without what MPI itself uses.
    virtual int64_t memory_bytes() const = 0;

    // Where to pack message i before it is posted: if possible, memory that another message of the frame no longer
    // needs. Null if no slot is free for it, which happens only if sends have credits. Makes progress on messages.
    virtual std::byte *send_data(size_t i) = 0;
    virtual void post_send(size_t i) = 0;
    // The number of posted messages that may not have left their memory yet. Makes progress on messages.
    virtual size_t sends_under_way() = 0;
    virtual bool sends_done() = 0; // makes progress on messages; does not wait
    virtual void wait_sends() = 0;
    // A peer that has not left and has not received a posted message. Nothing if sends_done() is true.
    virtual std::optional<int> awaits() = 0;

    // Posts the receives of a new frame, in order, for each peer as many as there is memory for.
    virtual void post_receives() = 0;
    virtual bool receives_open() const = 0; // whether some messages of the frame have not been returned
    // Waits for any message that has not been returned yet, and returns its index, or -1 if none is left. Throws
    // PeerLeft if a missing message has a sender that left before this frame; frames are counted from 0. A caller
    // that does not release messages may wait for ever.
    virtual int64_t wait_receive() = 0;
    // The same without waiting: also returns -1 if no message has arrived. Throws nothing for a sender that has
    // left.
    virtual int64_t try_receive() = 0;
    virtual std::byte *receive_data(size_t i) = 0; // the bytes of message i, which is returned and not released
    // Declares that message i is unpacked. Its memory may then serve a later message.
    virtual void release(size_t i) = 0;

    // Peers that have left, as far as poll_departures() and the waits have learned of it.
    virtual const Departures &departures() const = 0;
    // Receives notices of departure for all exchanges of the transport. Does not wait. Fails with DRI_ERR_STATE if
    // the transport is closed.
    virtual void poll_departures() = 0;
    // Informs all peers that this process leaves after `frames` frames: all sends of these have been posted, or
    // all receives returned. ended: as in Departure. Nothing may be posted afterwards. Local; allocates.
    virtual void leave(int64_t frames, bool ended = false) = 0;
};

class Transport {
public:
    virtual ~Transport() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    // Set-up messages have any length and a tag in [0, set_up_tags). send() and receive() fail with
    // DRI_ERR_TIMEOUT after the deadline, but try at least once. A send may wait for its receiver, unless that is
    // the process itself. Messages with the same peer and tag are received in the order of sending, each once.
    static constexpr int set_up_tags = 16;
    virtual void send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) = 0;
    virtual Bytes receive(int peer, int tag, Deadline deadline) = 0;
    // The next message, if it has arrived already.
    virtual std::optional<Bytes> try_receive(int peer, int tag) = 0;
    // Sends without ever waiting for the receiver.
    virtual void post(int peer, int tag, Bytes bytes) = 0;
    // The next message from any process. Not for a tag with which receive() is used at the same time.
    virtual Arrival receive_any(int tag, Deadline deadline) = 0;

    // For each rank the lowest rank that shares a node with it. Collective over the world; O(log P) steps.
    virtual std::vector<int> nodes() = 0;
    // Whether this node has more processes than cores that they may use. A wait must then yield its core at once.
    virtual bool crowded() const = 0;
    // Whether any thread may use the transport at any time. Otherwise only one thread at a time may use it.
    virtual bool takes_any_thread() const = 0;
    // Calls `last` once, before the layer below the transport (MPI) is shut down, and at the latest when the
    // returned object is destroyed. A thread that uses the transport must stop there.
    virtual std::shared_ptr<void> before_finish(std::function<void()> last) = 0;
    // Makes progress on messages under way, for a process that waits for something else. Does not wait. Does
    // nothing once closed.
    virtual void progress() = 0;
    // `work` is what the process does while it waits for others, in the transport or elsewhere. It takes one step
    // of other work and returns whether there was one. It must never wait in the transport. To be set before
    // a second thread uses the transport.
    virtual void set_meanwhile(std::function<bool()> work) { meanwhile_ = std::move(work); }
    virtual bool meanwhile() { return meanwhile_ && meanwhile_(); }

    // Prepares an exchange. tag: in [0, exchange_tags()), the same on both processes of a message.
    // receive_credits: how many messages of one peer have receive memory at the same time. send_credits: the same
    // for sends; without a limit there is memory for all sends of a frame. pooled: the credits hold for the
    // messages of all peers together, which receive their memory in the order of the specs.
    virtual int64_t exchange_tags() const = 0;
    static constexpr int64_t unlimited_credits = INT64_MAX;
    virtual std::unique_ptr<Exchange> prepare(std::span<const MessageSpec> sends,
                                              std::span<const MessageSpec> receives, int64_t tag,
                                              int64_t receive_credits = unlimited_credits,
                                              int64_t send_credits = unlimited_credits, bool pooled = false) = 0;
    // Destroys an exchange whose sends may be under way. The transport keeps their memory until they are done.
    // Receives that are still posted are cancelled. The exchange's destructor does the same.
    virtual void retire(std::unique_ptr<Exchange> exchange) = 0;
    // Closes the transport: waits for all processes and for sends under way. Messages that nobody has received by
    // then are dropped. Collective over the world. Afterwards all other calls fail with DRI_ERR_STATE. Fails with
    // DRI_ERR_TIMEOUT if not all processes have called it by the deadline. Then the only call allowed is this one,
    // again.
    virtual void close(Deadline deadline) = 0;

    // A number that this process has not used before. Any thread may call this.
    uint64_t next_sequence() { return sequence_.fetch_add(1, std::memory_order_relaxed); }

private:
    std::function<bool()> meanwhile_;
    std::atomic<uint64_t> sequence_ = 0;
};

} // namespace dri::transport
