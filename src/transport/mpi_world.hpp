// What a transport over MPI and its exchanges share: the communicator, and sends under way.
#pragma once

#include "transport/message_memory.hpp"
#include "transport/transport.hpp"

#include <mpi.h>

#include <atomic>
#include <list>
#include <mutex>
#include <unordered_set>

namespace dri {

constexpr int notice_mpi_tag = Transport::set_up_tags;
constexpr int first_exchange_mpi_tag = notice_mpi_tag + 1;

// Fails with DRI_ERR_TRANSPORT, what was tried and MPI's own text, unless code is MPI_SUCCESS.
void check_mpi(int code, const char *tried);
// Whether MPI may be called at all.
bool mpi_runs();

// Sends under way, with the memory that they read, or cancelled receives whose message comes all the same.
struct MpiFlight {
    MessageMemory::Piece memory; // of an exchange
    Bytes bytes;                 // of a set-up message
    std::vector<MPI_Request> requests;
};
bool landed(MpiFlight &flight);

class MpiExchange;

// Lives as long as the transport or any of its exchanges.
struct MpiWorld {
    explicit MpiWorld(MPI_Comm parent);
    ~MpiWorld();
    MpiWorld(const MpiWorld &) = delete;
    MpiWorld &operator=(const MpiWorld &) = delete;

    void check_open() const; // fails with DRI_ERR_STATE where the transport is closed or MPI has ended
    // The lowest rank on the node of each rank. Collective over comm.
    std::vector<int> nodes() const;
    // Takes the notices that have come to the exchanges that they are for. Allocates nothing.
    void poll_departures();
    // Sends a notice to each peer once; does nothing where MPI has ended.
    void announce(std::span<const int> peers, const Notice &notice);
    void stop_listening() noexcept;
    bool work_meanwhile() { return meanwhile && meanwhile(); }
    // Frees the memory of flights that are over by now; true when none is left.
    bool poll();

    MPI_Comm comm = MPI_COMM_NULL; // our own duplicate
    int rank = 0, size = 0;
    int64_t exchange_tags = 0;
    bool crowded = false; // more processes than cores here: a wait must give its core away at once
    std::atomic<bool> closed = false;
    std::function<bool()> meanwhile; // as Transport::meanwhile()

    const std::shared_ptr<MessageMemory> memory = std::make_shared<MessageMemory>();

    std::mutex listening; // guards what follows; taken before the other mutex
    Notice notice;        // where the next one arrives
    MPI_Request notice_request = MPI_REQUEST_NULL;

    std::mutex mutex;             // guards what follows
    std::list<MpiFlight> flights; // that outlive the call or the exchange that posted them
    std::unordered_set<MpiExchange *> exchanges;

private:
    void listen();
    void receive_notice(int peer, const Notice &heard);
};

} // namespace dri
