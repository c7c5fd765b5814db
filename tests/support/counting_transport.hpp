// A transport that counts what its process receives in set-up messages.
#pragma once

#include "support/forwarding_transport.hpp"

namespace dri::test {

struct Received {
    int64_t messages = 0, bytes = 0;
};

class CountingTransport final : public ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    const Received &received() const { return received_; }

    dri::Bytes receive(int peer, int tag, dri::transport::Deadline deadline) override {
        dri::Bytes bytes = ForwardingTransport::receive(peer, tag, deadline);
        count(bytes);
        return bytes;
    }
    std::optional<dri::Bytes> try_receive(int peer, int tag) override {
        auto bytes = ForwardingTransport::try_receive(peer, tag);
        if (bytes)
            count(*bytes);
        return bytes;
    }
    dri::transport::Arrival receive_any(int tag, dri::transport::Deadline deadline) override {
        dri::transport::Arrival arrival = ForwardingTransport::receive_any(tag, deadline);
        count(arrival.bytes);
        return arrival;
    }

private:
    void count(const dri::Bytes &bytes) {
        ++received_.messages;
        received_.bytes += static_cast<int64_t>(bytes.size());
    }
    Received received_;
};

} // namespace dri::test
