// The messages of a frame as plain MPI requests.
#pragma once

#include "transport/mpi_world.hpp"
#include "transport/staging.hpp"

namespace dri {

class MpiExchange final : public Exchange {
public:
    MpiExchange(std::shared_ptr<MpiWorld> world, std::span<const MessageSpec> sends,
                std::span<const MessageSpec> receives, int64_t tag, int64_t receive_credits, int64_t send_credits,
                bool pooled);
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
    void leave(int64_t frames, bool ended) override;

    bool all_landed() { return landed(flight_.front()); } // also those to peers that have left
    void receive_notice(int peer, const Notice &notice);

    void cancel_receives() noexcept; // does not wait
    bool is_quiet();                 // MPI reads and writes no memory of it any more

private:
    static constexpr size_t none = SIZE_MAX;
    void check_senders() const;
    bool find_arrivals();
    int64_t take_arrival();
    void post_receive(size_t i);

    std::shared_ptr<MpiWorld> world_;
    int mpi_tag_;
    const bool has_send_credits_;
    Staging sends_, receives_;
    // Messages in the order of posting; those before first_under_way_ have left their memory.
    std::vector<size_t> posted_;
    size_t first_under_way_ = 0, num_posted_ = 0;
    std::vector<unsigned> sends_since_answer_; // per message
    unsigned looks_for_sends_ = 0;             // that found some under way
    // Per slot: its request, and the message that it is for.
    std::vector<MPI_Request> receive_requests_;
    std::vector<size_t> message_at_;
    // Per message the next one of its peer; per peer the first one that waits for a place.
    std::vector<size_t> next_, waiting_;
    size_t receives_open_ = 0; // of this frame and not yet returned
    // What MPI told of together: the first num_arrived_ of these slots, of which num_taken_ have been returned.
    std::vector<int> arrivals_;
    std::vector<MPI_Status> statuses_;
    size_t num_arrived_ = 0, num_taken_ = 0;
    bool in_statuses_ = false; // whether they tell errors, too
    int64_t frames_ = 0;       // whose receives have been posted
    // Sends, and receives that are cancelled: exactly one each; lists, so that they can go to the world without
    // allocation.
    std::list<MpiFlight> flight_, arriving_;
    Departures departures_;
};

} // namespace dri
