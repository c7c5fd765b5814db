// The messages of a frame as plain, non-persistent MPI requests.
#pragma once

#include "transport/mpi_world.hpp"
#include "transport/staging.hpp"

namespace dri::transport {

class MpiExchange final : public Exchange {
public:
    MpiExchange(std::shared_ptr<MpiWorld> world, const ExchangeSpec &spec);
    ~MpiExchange() override;

    int64_t memory_bytes() const override { return sends_.bytes() + receives_.bytes(); }
    std::byte *send_data(size_t i) override;
    void post_send(size_t i) override;
    size_t sends_under_way() override;
    bool sends_done() override;
    void wait_sends() override;
    std::optional<int> awaits() override;
    void post_receives() override;
    bool receives_open() const override { return receives_open_ > 0; }
    int64_t wait_receive() override;
    int64_t try_receive() override;
    std::byte *receive_data(size_t i) override { return receives_.data(i); }
    void release(size_t i) override;
    const Departures &departures() const override { return departures_; }
    void poll_departures() override;
    void leave(int64_t frames, Leave how) override;

    bool all_landed() { return landed(flight_.front()); } // all sends, also those to peers that have left

    void cancel_receives() noexcept; // does not wait
    bool is_quiet();                 // whether MPI no longer reads or writes memory of this exchange

private:
    static constexpr size_t none = SIZE_MAX;
    void check_senders() const;
    bool find_arrivals();
    int64_t take_arrival();
    void post_receive(size_t i);

    MpiExchange(std::shared_ptr<MpiWorld> world, const ExchangeSpec &spec, const ExchangeLayout &layout);

    std::shared_ptr<MpiWorld> world_;
    int mpi_tag_;
    const bool limits_sends_;
    Staging sends_, receives_;
    // Messages in the order of posting; those before first_under_way_ have left their memory.
    std::vector<size_t> posted_;
    size_t first_under_way_ = 0, num_posted_ = 0;
    std::vector<unsigned> sends_since_answer_; // per message
    unsigned looks_for_sends_ = 0;             // calls of sends_done() that found sends under way
    // Per receive slot: its request, and the message that it is for.
    std::vector<MPI_Request> receive_requests_;
    std::vector<size_t> message_at_;
    // next_: per message, the next message of its staging group. waiting_: per group, the first message that waits
    // for a slot.
    std::vector<size_t> next_, waiting_;
    size_t receives_open_ = 0; // receives of this frame that have not been returned
    // The slots that the last MPI_Testsome reported: num_arrived_ of them, of which num_taken_ have been returned.
    std::vector<int> arrivals_;
    std::vector<MPI_Status> statuses_;
    size_t num_arrived_ = 0, num_taken_ = 0;
    bool in_statuses_ = false; // whether statuses_ contain error codes
    int64_t frames_ = 0;       // frames whose receives have been posted
    // The sends, and the cancelled receives. Each list has exactly one element; a list element can move to the
    // world without allocation.
    std::list<MpiFlight> flight_, arriving_;
    Departures departures_;
};

} // namespace dri::transport
