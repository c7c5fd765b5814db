// A transport that counts what a process receives in set-up messages.
#pragma once

#include "transport/transport.hpp"

namespace dri_test {

struct Received {
    int64_t messages = 0, bytes = 0;
};

class CountingTransport final : public dri::Transport {
public:
    explicit CountingTransport(dri::Transport &inner) : inner_(inner) {}
    const Received &received() const { return received_; }

    int rank() const override { return inner_.rank(); }
    int size() const override { return inner_.size(); }
    void send(int peer, int tag, std::span<const std::byte> bytes, dri::Deadline deadline) override {
        inner_.send(peer, tag, bytes, deadline);
    }
    dri::Bytes receive(int peer, int tag, dri::Deadline deadline) override {
        dri::Bytes bytes = inner_.receive(peer, tag, deadline);
        count(bytes);
        return bytes;
    }
    std::optional<dri::Bytes> try_receive(int peer, int tag) override {
        auto bytes = inner_.try_receive(peer, tag);
        if (bytes)
            count(*bytes);
        return bytes;
    }
    void post(int peer, int tag, dri::Bytes bytes) override { inner_.post(peer, tag, std::move(bytes)); }
    dri::Arrival receive_any(int tag, dri::Deadline deadline) override {
        dri::Arrival arrival = inner_.receive_any(tag, deadline);
        count(arrival.bytes);
        return arrival;
    }
    std::vector<int> nodes() override { return inner_.nodes(); }
    int64_t exchange_tags() const override { return inner_.exchange_tags(); }
    std::unique_ptr<dri::Exchange> prepare(std::span<const dri::Slot> sends, std::span<const dri::Slot> receives,
                                           int64_t tag) override {
        return inner_.prepare(sends, receives, tag);
    }
    void retire(std::unique_ptr<dri::Exchange> exchange) override { inner_.retire(std::move(exchange)); }
    void close(dri::Deadline deadline) override { inner_.close(deadline); }

private:
    void count(const dri::Bytes &bytes) {
        ++received_.messages;
        received_.bytes += static_cast<int64_t>(bytes.size());
    }
    dri::Transport &inner_;
    Received received_;
};

} // namespace dri_test
