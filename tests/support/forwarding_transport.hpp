// A transport that forwards everything to another one. Tests override what they observe or break.
#pragma once

#include "transport/transport.hpp"

namespace dri::test {

class ForwardingTransport : public dri::transport::Transport {
public:
    explicit ForwardingTransport(dri::transport::Transport &inner) : inner_(inner) {}

    int rank() const override { return inner_.rank(); }
    int size() const override { return inner_.size(); }
    void send(int peer, int tag, std::span<const std::byte> bytes, dri::transport::Deadline deadline) override {
        inner_.send(peer, tag, bytes, deadline);
    }
    dri::Bytes receive(int peer, int tag, dri::transport::Deadline deadline) override {
        return inner_.receive(peer, tag, deadline);
    }
    std::optional<dri::Bytes> try_receive(int peer, int tag) override { return inner_.try_receive(peer, tag); }
    void post(int peer, int tag, dri::Bytes bytes) override { inner_.post(peer, tag, std::move(bytes)); }
    dri::transport::Arrival receive_any(int tag, dri::transport::Deadline deadline) override {
        return inner_.receive_any(tag, deadline);
    }
    std::vector<int> nodes() override { return inner_.nodes(); }
    bool crowded() const override { return inner_.crowded(); }
    bool yields() const override { return inner_.yields(); }
    int64_t rests() const override { return inner_.rests(); }
    bool takes_any_thread() const override { return inner_.takes_any_thread(); }
    std::shared_ptr<void> before_finish(std::function<void()> last) override {
        return inner_.before_finish(std::move(last));
    }
    void progress() override { inner_.progress(); }
    void set_meanwhile(std::function<bool()> work) override { inner_.set_meanwhile(std::move(work)); }
    bool meanwhile() override { return inner_.meanwhile(); }
    int64_t exchange_tags() const override { return inner_.exchange_tags(); }
    std::unique_ptr<dri::transport::Exchange>
    prepare(std::shared_ptr<const dri::transport::ExchangeLayout> layout) override {
        return inner_.prepare(std::move(layout));
    }
    void close(dri::transport::Deadline deadline) override { inner_.close(deadline); }
    bool finish_close() override { return inner_.finish_close(); }

private:
    dri::transport::Transport &inner_;
};

} // namespace dri::test
