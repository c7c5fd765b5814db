// Moves bytes between processes. A transport knows ranks and messages, and nothing of arrays. The library has one
// transport, mpi_transport. The tests have another one, between threads of one process.
#pragma once

#include "base/error.hpp"
#include "base/wire.hpp"
#include "transport/exchange.hpp"
#include "transport/exchange_layout.hpp"
#include "transport/presence.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dri::transport {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// A set-up message that has arrived.
struct Arrival {
    int peer = 0;
    Bytes bytes;
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
    // Whether a look that finds nothing lets others use the core, and how often that has happened. A wait need not
    // do it again.
    virtual bool yields() const { return false; }
    virtual int64_t rests() const { return 0; }
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

    // Prepares an exchange with the memory that the layout describes. Exchanges of one layout share it. An
    // exchange may be destroyed while its sends are under way: the transport keeps their memory until they are
    // done. Receives that are still posted are cancelled. spec.tag: in [0, exchange_tags()).
    virtual int64_t exchange_tags() const = 0;
    virtual std::unique_ptr<Exchange> prepare(std::shared_ptr<const ExchangeLayout> layout) = 0;
    std::unique_ptr<Exchange> prepare(ExchangeSpec spec) {
        return prepare(std::make_shared<const ExchangeLayout>(std::move(spec)));
    }
    // Closes the transport: waits for all processes and for sends under way. Messages that nobody has received by
    // then are dropped. Collective over the world. Afterwards all other calls fail with DRI_ERR_STATE. Fails with
    // DRI_ERR_TIMEOUT if not all processes have called it by the deadline. Then the only call allowed is this one,
    // again.
    virtual void close(Deadline deadline) = 0;
    // After such a timeout: whether all processes have called close() by now. The transport is closed then. Never
    // waits.
    virtual bool finish_close() = 0;

    // What this process knows of others beside their messages.
    Presence &presence() { return *presence_; }
    const std::shared_ptr<Presence> &shared_presence() const { return presence_; }
    // Asks a process what it waits for. Its answer comes to presence() when it polls. Never waits.
    virtual void ask(int) {}

    // A number that this process has not used before. Any thread may call this.
    uint64_t next_sequence() { return sequence_.fetch_add(1, std::memory_order_relaxed); }

private:
    std::function<bool()> meanwhile_;
    std::shared_ptr<Presence> presence_ = std::make_shared<Presence>();
    std::atomic<uint64_t> sequence_ = 0;
};

} // namespace dri::transport
