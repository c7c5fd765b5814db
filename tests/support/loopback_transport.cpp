// The transport between threads: set-up messages are queues of byte vectors at the receiving rank.
#include "support/loopback_transport.hpp"

#include "support/loopback_exchange.hpp"

#include <algorithm>
#include <thread>

namespace dri::test {

namespace {

class LoopbackTransport final : public transport::Transport {
public:
    LoopbackTransport(std::shared_ptr<LoopbackWorld> world, int rank) : world_(std::move(world)), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return world_->size(); }
    void send(int peer, int tag, std::span<const std::byte> bytes, transport::Deadline deadline) override;
    Bytes receive(int peer, int tag, transport::Deadline deadline) override;
    std::optional<Bytes> try_receive(int peer, int tag) override;
    void post(int peer, int tag, Bytes bytes) override;
    transport::Arrival receive_any(int tag, transport::Deadline deadline) override;
    std::vector<int> nodes() override { return world_->nodes; }
    void progress() override {}
    void set_meanwhile(std::function<bool()> work) override { world_->at(rank_).meanwhile = std::move(work); }
    bool meanwhile() override { return world_->at(rank_).meanwhile && world_->at(rank_).meanwhile(); }
    bool takes_any_thread() const override { return true; }
    std::shared_ptr<void> before_finish(std::function<void()> last) override {
        return {nullptr, [last = std::move(last)](void *) { last(); }};
    }
    bool crowded() const override { return crowded_; }
    int64_t exchange_tags() const override { return int64_t{1} << 20; }
    std::unique_ptr<transport::Exchange> prepare(std::shared_ptr<const transport::ExchangeLayout> layout) override;
    void close(transport::Deadline deadline) override;
    bool finish_close() override { return closed_; } // a timeout undoes the call here

private:
    void check_open() const {
        if (closed_)
            fail(DRI_ERR_STATE, "the transport is closed");
    }

    // The next message with the tag, from `peer`, or from any process if peer is -1. Nothing if the wait ends
    // without one.
    template <class Wait> std::optional<transport::Arrival> take(int peer, int tag, Wait wait);

    std::shared_ptr<LoopbackWorld> world_;
    int rank_;
    bool crowded_ = static_cast<unsigned>(size()) >
                    std::thread::hardware_concurrency(); // a system call of some us: made once
    bool closed_ = false;
};

// Never waits, because the queue of the receiver has no limit. The deadline is therefore unused.
void LoopbackTransport::send(int peer, int tag, std::span<const std::byte> bytes, transport::Deadline) {
    post(peer, tag, Bytes(bytes.begin(), bytes.end()));
}

void LoopbackTransport::post(int peer, int tag, Bytes bytes) {
    check_open();
    transport::check_peer(peer, size());
    transport::check_set_up_tag(tag);
    LoopbackRank &there = world_->at(peer);
    std::lock_guard lock(there.mutex);
    there.set_up[{tag, rank_}].push_back(std::move(bytes));
    there.changed.notify_all();
}

template <class Wait> std::optional<transport::Arrival> LoopbackTransport::take(int peer, int tag, Wait wait) {
    check_open();
    transport::check_set_up_tag(tag);
    LoopbackRank &here = world_->at(rank_);
    std::unique_lock lock(here.mutex);
    const auto find = [&] {
        // Queues are in the order of tags, then of ranks. One lookup therefore serves a given peer and any peer.
        const auto at = here.set_up.lower_bound({tag, std::max(peer, 0)});
        const bool fits =
            at != here.set_up.end() && at->first.first == tag && (peer < 0 || at->first.second == peer);
        return fits ? at : here.set_up.end();
    };
    wait(here, lock, [&] { return find() != here.set_up.end(); });
    const auto at = find();
    if (at == here.set_up.end())
        return std::nullopt;
    transport::Arrival arrival{at->first.second, std::move(at->second.front())};
    at->second.pop_front();
    if (at->second.empty())
        here.set_up.erase(at);
    return arrival;
}

Bytes LoopbackTransport::receive(int peer, int tag, transport::Deadline deadline) {
    transport::check_peer(peer, size());
    auto arrival =
        take(peer, tag, [&](auto &here, auto &lock, auto there) { return here.wait(lock, deadline, there); });
    if (!arrival)
        fail(DRI_ERR_TIMEOUT, "process {} received no set-up message from process {} (tag {}) before the deadline",
             rank_, peer, tag);
    return std::move(arrival->bytes);
}

transport::Arrival LoopbackTransport::receive_any(int tag, transport::Deadline deadline) {
    auto arrival =
        take(-1, tag, [&](auto &here, auto &lock, auto there) { return here.wait(lock, deadline, there); });
    if (!arrival)
        fail(DRI_ERR_TIMEOUT, "process {} received no set-up message (tag {}) before the deadline", rank_, tag);
    return std::move(*arrival);
}

std::optional<Bytes> LoopbackTransport::try_receive(int peer, int tag) {
    transport::check_peer(peer, size());
    // A wait that returns at once.
    auto arrival = take(peer, tag, [](auto &, auto &, auto) {});
    if (!arrival)
        return std::nullopt;
    return std::move(arrival->bytes);
}

std::unique_ptr<transport::Exchange>
LoopbackTransport::prepare(std::shared_ptr<const transport::ExchangeLayout> layout) {
    check_open();
    transport::check_exchange_tag(layout->spec.tag, exchange_tags());
    return std::make_unique<LoopbackExchange>(world_, rank_, std::move(layout));
}

// Messages that nobody has received by then stay in memory until the last owner of the world releases it.
void LoopbackTransport::close(transport::Deadline deadline) {
    if (closed_)
        return;
    std::unique_lock lock(world_->mutex);
    auto &closing = world_->closing;
    closing.insert(rank_);
    world_->all_closing.notify_all();
    const auto all_there = [&] { return static_cast<int>(closing.size()) == size(); };
    if (!world_->all_closing.wait_until(lock, deadline, all_there)) {
        // After a timeout this process counts as missing for the others, until it calls close() again.
        closing.erase(rank_);
        std::vector<int> missing;
        for (int rank = 0; rank < size(); ++rank)
            if (rank != rank_ && !closing.contains(rank))
                missing.push_back(rank);
        fail(DRI_ERR_TIMEOUT, "process {} closes its transport, and waited until the deadline for processes {}",
             rank_, fmt::join(missing, ", "));
    }
    closed_ = true;
}

} // namespace

std::vector<std::unique_ptr<transport::Transport>> make_loopback(int size, std::vector<int> nodes) {
    if (nodes.empty())
        nodes.assign(static_cast<size_t>(size), 0);
    if (nodes.size() != static_cast<size_t>(size))
        fail(DRI_ERR_INTERNAL, "the nodes of {} processes are given, but there are {} processes", nodes.size(),
             size);
    auto world = std::make_shared<LoopbackWorld>(size, std::move(nodes));
    std::vector<std::unique_ptr<transport::Transport>> transports;
    for (int rank = 0; rank < size; ++rank)
        transports.push_back(std::make_unique<LoopbackTransport>(world, rank));
    return transports;
}

} // namespace dri::test
