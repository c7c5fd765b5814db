// Exchanges of a source whose messages are not sent. Tests set which ones count as sent, and see what was posted.
#pragma once

#include "support/forwarding_transport.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dri::test {

class KeptExchange : public dri::transport::Exchange {
public:
    explicit KeptExchange(std::shared_ptr<const dri::transport::ExchangeLayout> layout)
        : layout_(std::move(layout)), sends_(layout_->spec.sends), departures_(*layout_) {
        for (const dri::transport::MessageSpec &spec : sends_)
            out_.emplace_back(static_cast<size_t>(spec.bytes));
    }
    int64_t memory_bytes() const override { return 0; }
    void set_origin(std::byte *) override {}
    std::byte *send_data(size_t i) override { return out_[i].data(); }
    void post_receives() override {}
    bool receives_open() const override { return false; }
    int64_t try_receive() override { return -1; }
    std::byte *receive_data(size_t) override { return nullptr; }
    void release(size_t) override {}
    const dri::transport::Departures &departures() const override { return departures_; }
    void poll_departures(dri::transport::Look) override {}
    void leave(int64_t, dri::transport::Leave) override {}

protected:
    const std::shared_ptr<const dri::transport::ExchangeLayout> layout_;
    const std::vector<dri::transport::MessageSpec> &sends_;
    dri::transport::Departures departures_;

private:
    std::vector<std::vector<std::byte>> out_;
};

// A transport whose exchanges are all of the given type.
template <class KindOfExchange> class KeptTransport final : public ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    std::unique_ptr<dri::transport::Exchange>
    prepare(std::shared_ptr<const dri::transport::ExchangeLayout> layout) override {
        return std::make_unique<KindOfExchange>(std::move(layout));
    }
};

} // namespace dri::test
