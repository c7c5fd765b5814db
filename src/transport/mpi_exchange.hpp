// The messages of a frame as plain MPI requests.
#pragma once

#include "transport/mpi_world.hpp"
#include "transport/staging.hpp"

namespace dri {

class MpiExchange final : public Exchange {
public:
    MpiExchange(std::shared_ptr<MpiWorld> world, std::span<const Slot> sends, std::span<const Slot> receives,
                int64_t tag);
    ~MpiExchange() override;

    std::byte *send_data(size_t i) override { return sends_.data(i); }
    std::byte *receive_data(size_t i) override { return receives_.data(i); }
    void post_receives() override;
    void post_send(size_t i) override;
    int64_t wait_receive() override;
    bool sends_done() override;
    void wait_sends() override;
    const Departures &departures() const override { return departures_; }
    void look() override;
    void leave(int64_t frames) override;

    bool all_landed() { return landed(flight_.front()); } // also those to peers that have left
    void hear(int peer, const Notice &notice);

    void cancel_receives() noexcept;

private:
    void check_senders() const;
    void gather_arrivals();

    std::shared_ptr<MpiWorld> world_;
    int mpi_tag_;
    Staging sends_, receives_;
    std::vector<MPI_Request> receive_requests_;
    size_t receives_open_ = 0; // posted and not yet returned
    // What MPI told of together: the first arrived_ of these, of which next_ have been returned.
    std::vector<int> arrivals_;
    std::vector<MPI_Status> statuses_;
    size_t arrived_ = 0, next_ = 0;
    bool in_statuses_ = false;    // whether they tell errors, too
    int64_t frames_ = 0;          // whose receives have been posted
    std::list<MpiFlight> flight_; // exactly one; a list, so that it can go to the world without allocation
    Departures departures_;
};

} // namespace dri
