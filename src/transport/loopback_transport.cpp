#include "transport/loopback_transport.hpp"

#include "transport/loopback_exchange.hpp"

namespace dri {

namespace {

class LoopbackTransport final : public Transport {
public:
    LoopbackTransport(std::shared_ptr<LoopbackWorld> world, int rank) : world_(std::move(world)), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return world_->size(); }
    void send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) override;
    Bytes receive(int peer, int tag, Deadline deadline) override;
    std::optional<Bytes> try_receive(int peer, int tag) override;
    int64_t exchange_tags() const override { return int64_t{1} << 20; }
    std::unique_ptr<Exchange> prepare(std::span<const Slot> sends, std::span<const Slot> receives,
                                      int64_t tag) override;
    void retire(std::unique_ptr<Exchange> exchange) override { exchange.reset(); }
    void close() override;

private:
    void check_open() const {
        if (closed_)
            fail(DRI_ERR_STATE, "the transport is closed");
    }

    // The next message after the wait, if there is one then.
    template <class Wait> std::optional<Bytes> take(int peer, int tag, Wait wait);

    std::shared_ptr<LoopbackWorld> world_;
    int rank_;
    bool closed_ = false;
};

void LoopbackTransport::send(int peer, int tag, std::span<const std::byte> bytes, Deadline) {
    check_open();
    check_peer(peer, size());
    check_set_up_tag(tag);
    Bytes copy(bytes.begin(), bytes.end());
    LoopbackRank &there = world_->at(peer);
    std::lock_guard lock(there.mutex);
    there.set_up[{rank_, tag}].push_back(std::move(copy));
    there.changed.notify_all();
}

template <class Wait> std::optional<Bytes> LoopbackTransport::take(int peer, int tag, Wait wait) {
    check_open();
    check_peer(peer, size());
    check_set_up_tag(tag);
    LoopbackRank &here = world_->at(rank_);
    std::unique_lock lock(here.mutex);
    std::deque<Bytes> &queue = here.set_up[{peer, tag}];
    wait(here.changed, lock, [&] { return !queue.empty(); });
    if (queue.empty())
        return std::nullopt;
    Bytes bytes = std::move(queue.front());
    queue.pop_front();
    return bytes;
}

Bytes LoopbackTransport::receive(int peer, int tag, Deadline deadline) {
    auto bytes = take(peer, tag, [&](auto &changed, auto &lock, auto there) {
        return changed.wait_until(lock, deadline, there);
    });
    if (!bytes)
        fail(DRI_ERR_TIMEOUT, "rank {} got no set-up message of rank {} (tag {}) in time", rank_, peer, tag);
    return std::move(*bytes);
}

std::optional<Bytes> LoopbackTransport::try_receive(int peer, int tag) {
    return take(peer, tag, [](auto &, auto &, auto) {});
}

std::unique_ptr<Exchange> LoopbackTransport::prepare(std::span<const Slot> sends, std::span<const Slot> receives,
                                                     int64_t tag) {
    check_open();
    check_exchange_tag(tag, exchange_tags());
    return std::make_unique<LoopbackExchange>(world_, rank_, sends, receives, tag);
}

// Sends that nobody has received by then are kept until the last owner of the world lets go of it.
void LoopbackTransport::close() {
    if (closed_)
        return;
    std::unique_lock lock(world_->mutex);
    ++world_->closing;
    world_->all_closing.notify_all();
    world_->all_closing.wait(lock, [&] { return world_->closing == world_->size(); });
    closed_ = true;
}

} // namespace

std::vector<std::unique_ptr<Transport>> make_loopback(int size) {
    auto world = std::make_shared<LoopbackWorld>(size);
    std::vector<std::unique_ptr<Transport>> transports;
    for (int rank = 0; rank < size; ++rank)
        transports.push_back(std::make_unique<LoopbackTransport>(world, rank));
    return transports;
}

} // namespace dri
