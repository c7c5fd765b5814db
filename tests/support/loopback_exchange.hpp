// The messages of a frame between threads. A posted send is a node in the list of its destination, and the
// receiver copies straight from the sender's staging memory. It is not made for speed.
#pragma once

#include "transport/staging.hpp"
#include "transport/transport.hpp"

#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <set>

namespace dri::test {

struct LoopbackFlight;
struct LoopbackWorld;
class LoopbackExchange;

// One message of one direction, prepared once.
struct LoopbackSend {
    LoopbackFlight *flight = nullptr;
    transport::MessageSpec spec;
    const std::byte *data = nullptr;
    LoopbackSend *next = nullptr; // in the list of the destination
    bool posted = false;          // and not yet received
};

// The sends of an exchange, with the memory that they read.
struct LoopbackFlight {
    LoopbackFlight(std::shared_ptr<const transport::ExchangeLayout> layout, LoopbackWorld &world, int source);
    const std::shared_ptr<const transport::ExchangeLayout> layout;
    // Whether messages take a slot when they are packed and give it back when they are received.
    const bool limits_sends;
    transport::Staging staging;
    std::vector<LoopbackSend> sends;
    int source;
    int64_t tag;
    size_t under_way = 0;
    bool retired = false;
};

// The state of one rank. The mutex guards all of it except `meanwhile`, and also the flights of this rank's
// exchanges.
struct LoopbackRank {
    // Waits with the lock until there() is true or the deadline has passed; returns whether it is true. Other work
    // of the process (`meanwhile`) runs without the lock.
    template <class There>
    bool wait(std::unique_lock<std::mutex> &lock, transport::Deadline deadline, There there) {
        if (!meanwhile)
            return changed.wait_until(lock, deadline, there);
        for (bool found = there(); !found; found = there()) {
            if (transport::Clock::now() >= deadline)
                return false;
            lock.unlock();
            const bool worked = meanwhile();
            lock.lock();
            if (!worked && !there())
                changed.wait_for(lock, std::chrono::milliseconds(1));
        }
        return true;
    }

    std::function<bool()> meanwhile; // as in Transport::meanwhile()
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::pair<int, int>, std::deque<Bytes>> set_up; // by tag and source; no queue is empty
    LoopbackSend *first = nullptr, *last = nullptr;          // messages to this rank, not yet received, in order
    std::list<LoopbackFlight> retired;                       // flights whose exchange is destroyed
    std::set<LoopbackExchange *> exchanges;
};

struct LoopbackWorld {
    LoopbackWorld(int size, std::vector<int> node_of_rank)
        : ranks(static_cast<size_t>(size)), nodes(std::move(node_of_rank)) {}
    LoopbackRank &at(int rank) { return ranks[static_cast<size_t>(rank)]; }
    int size() const { return static_cast<int>(ranks.size()); }

    std::vector<LoopbackRank> ranks;
    const std::vector<int> nodes;
    const std::shared_ptr<transport::MessageMemory> memory = std::make_shared<transport::MessageMemory>();
    std::mutex mutex; // guards what follows
    std::condition_variable all_closing;
    std::set<int> closing;
};

class LoopbackExchange final : public transport::Exchange {
public:
    LoopbackExchange(std::shared_ptr<LoopbackWorld> world, int rank,
                     std::shared_ptr<const transport::ExchangeLayout> layout);
    ~LoopbackExchange() override;

    int64_t memory_bytes() const override { return flight_.front().staging.bytes() + receives_.bytes(); }
    void set_origin(std::byte *origin) override;
    std::byte *send_data(size_t i) override;
    void post_send(size_t i) override;
    size_t sends_under_way() override;
    bool sends_done() override;
    std::optional<int> awaits() override;
    void post_receives() override;
    bool receives_open() const override { return receives_open_ > 0; }
    int64_t try_receive() override;
    std::byte *receive_data(size_t i) override { return receives_.data(i); }
    void release(size_t i) override;
    const transport::Departures &departures() const override { return departures_; }
    void poll_departures(transport::Look) override {}
    void leave(int64_t frames, transport::Leave how) override;

private:
    struct PeerReceives { // the receives from one peer, and how many of them have arrived in this frame
        int peer = 0;
        std::vector<size_t> messages;
        size_t arrived = 0;
    };
    PeerReceives *waiting_for(int peer);
    bool has_memory(size_t i);
    void take_in_order();
    LoopbackSend *take_arrival();
    int64_t copy_arrival(LoopbackSend &send);
    std::optional<int> untaken() const; // the receiver of a message that is posted and not yet received

    std::shared_ptr<LoopbackWorld> world_;
    int rank_;
    const std::shared_ptr<const transport::ExchangeLayout> layout_;
    int64_t tag_;
    const bool pooled_; // receives get their slots in order, and before they arrive
    size_t next_in_order_ = 0;
    transport::Staging receives_;
    std::vector<PeerReceives> by_peer_; // in the order of peers
    size_t receives_open_ = 0;
    std::list<LoopbackFlight> flight_; // exactly one; as a list element it can outlive the exchange without moving
    transport::Departures departures_; // guarded by the rank's mutex
};

} // namespace dri::test
