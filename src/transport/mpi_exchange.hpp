// The messages of a frame as plain, non-persistent MPI requests.
#pragma once

#include "transport/mpi_receives.hpp"
#include "transport/mpi_sends.hpp"

namespace dri::transport {

class MpiExchange final : public Exchange {
public:
    MpiExchange(std::shared_ptr<MpiWorld> world, std::shared_ptr<const ExchangeLayout> layout);
    ~MpiExchange() override;

    int64_t memory_bytes() const override { return sends_.bytes() + receives_.bytes(); }
    void set_origin(std::byte *origin) override {
        sends_.set_origin(origin);
        receives_.set_origin(origin);
    }
    std::byte *send_data(size_t i) override { return sends_.data(i); }
    void post_send(size_t i) override { sends_.post(i); }
    size_t sends_under_way() override { return sends_.under_way(); }
    bool sends_done() override { return sends_.done(); }
    std::optional<int> awaits() override { return sends_.awaits(); }
    void post_receives() override { receives_.post(); }
    bool receives_open() const override { return receives_.open(); }
    int64_t try_receive() override { return receives_.take(); }
    std::byte *receive_data(size_t i) override { return receives_.data(i); }
    void release(size_t i) override { receives_.release(i); }
    const Departures &departures() const override { return departures_; }
    void poll_departures(Look look) override;
    void leave(int64_t frames, Leave how) override;

    void cancel_receives() noexcept { receives_.cancel(); } // does not wait
    bool is_quiet(); // whether MPI no longer reads or writes memory of this exchange

private:
    std::shared_ptr<MpiWorld> world_;
    const std::shared_ptr<const ExchangeLayout> layout_; // outlives the members that refer to it
    Departures departures_;
    MpiSends sends_;
    MpiReceives receives_;
};

} // namespace dri::transport
