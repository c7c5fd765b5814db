// The receives of an exchange over MPI: the messages that one process receives in every frame.
#pragma once

#include "transport/mpi_world.hpp"
#include "transport/staging.hpp"

namespace dri::transport {

class MpiReceives {
public:
    // layout: of the exchange; must outlive this object.
    MpiReceives(std::shared_ptr<MpiWorld> world, const ExchangeLayout &layout);

    int64_t bytes() const { return staging_.bytes(); }
    // These do what Exchange says of set_origin(), post_receives(), receives_open(), try_receive(), receive_data()
    // and release().
    void set_origin(std::byte *origin) { staging_.set_origin(origin); }
    void post();
    bool open() const { return open_ > 0; }
    int64_t take();
    std::byte *data(size_t i) { return staging_.data(i); }
    void release(size_t i);

    void cancel() noexcept; // does not wait
    bool is_quiet();        // whether MPI no longer writes to memory of cancelled receives
    void leave_to_world();  // the world keeps the memory until MPI no longer writes it; the caller holds its mutex

private:
    static constexpr uint32_t none = UINT32_MAX;
    bool find_arrivals();
    bool find_arrival();
    void post_one(size_t i);

    std::shared_ptr<MpiWorld> world_;
    const int mpi_tag_;
    Staging staging_;
    // Per slot: its request, and the message that it is for.
    std::vector<MPI_Request> requests_;
    std::vector<uint32_t> message_at_;
    // next_: per message, the next message of its staging group. waiting_: per group, the first message that waits
    // for a slot.
    std::vector<uint32_t> next_, waiting_;
    size_t open_ = 0; // receives of this frame that have not been returned
    // The slots that the last MPI_Testsome reported: num_arrived_ of them, of which num_taken_ have been returned.
    std::vector<int> arrivals_;
    std::vector<MPI_Status> statuses_;
    size_t num_arrived_ = 0, num_taken_ = 0;
    bool in_statuses_ = false; // whether statuses_ contain error codes
    // The cancelled receives. Exactly one element; it can move to the world without allocation.
    std::list<MpiFlight> cancelled_;
};

} // namespace dri::transport
