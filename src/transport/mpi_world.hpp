// What a transport over MPI and its exchanges share: the communicator, notices of departure, and sends under way.
#pragma once

#include "transport/message_memory.hpp"
#include "transport/mpi_check.hpp"
#include "transport/mpi_shutdown.hpp"
#include "transport/transport.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace dri::transport {

constexpr int notice_mpi_tag = Transport::set_up_tags;
constexpr int first_exchange_mpi_tag = notice_mpi_tag + 1;

// Sends under way with the memory that they read, or cancelled receives whose message arrives nevertheless.
struct MpiFlight {
    MessageMemory::Piece memory;       // if they are messages of an exchange
    std::shared_ptr<const void> keeps; // other memory of such messages
    Bytes bytes;                       // if they are pieces of a set-up message, or a notice
    std::vector<MPI_Request> requests;
};
bool landed(MpiFlight &flight); // whether all requests have completed

class MpiExchange;

// Whom notices with a tag concern.
struct Listener {
    int64_t tag = 0; // of the exchange
    Departures *departures = nullptr;
};

// A notice as it is received. An answer carries a text: what its sender waits for.
struct PostedNotice {
    Notice notice;
    std::array<char, Presence::max_text> text;
};

// Exists as long as the transport or any of its exchanges.
struct MpiWorld {
    MpiWorld(MPI_Comm parent, std::shared_ptr<Presence> known);
    ~MpiWorld();
    MpiWorld(const MpiWorld &) = delete;
    MpiWorld &operator=(const MpiWorld &) = delete;

    // Fails with DRI_ERR_STATE if the transport is closed or MPI is not running. Each message asks it, so it costs
    // two loads.
    void check_open() const {
        if (closed.load(std::memory_order_relaxed) || mpi_ends_.load(std::memory_order_relaxed)) [[unlikely]]
            refuse_unless_open();
    }
    // For each rank the lowest rank on its node. Collective over comm.
    std::vector<int> nodes() const;
    // These receive the notices that have arrived, and pass them to the exchanges that they are for. They allocate
    // nothing. receive_notices() also moves on what is under way. look_for_notices() does so for a full look, or
    // if a process of the board has sent a notice.
    void receive_notices();
    void look_for_notices(Look look);
    // Sends a notice to each peer once. Does nothing if the transport is closed or MPI is not running.
    void announce(std::span<const int> peers, const Notice &announced) { announce(peers, announced, {}); }
    void ask(int peer); // what it waits for
    void stop_listening() noexcept;
    // Frees the memory of flights that have completed. Returns true if none is left.
    bool poll();
    // Also ends the flights that have not completed. MPI may still use their memory, so that is never freed.
    void end_flights() noexcept;

    MPI_Comm comm = MPI_COMM_NULL; // the library's own duplicate
    int rank = 0, size = 0;
    int64_t exchange_tags = 0;
    bool crowded = false;           // more processes than cores on this node: a wait must yield its core at once
    bool yields = false;            // MPI yields the core in a call that finds nothing to do
    std::atomic<int64_t> rests = 0; // calls of MPI that found nothing, and yielded
    void count_look_in_vain() {
        if (yields)
            rests.store(rests.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    std::atomic<bool> closed = false;

    const std::shared_ptr<MessageMemory> memory = std::make_shared<MessageMemory>();

    std::mutex listening;       // guards the next two members; locked before `mutex`
    PostedNotice posted_notice; // the buffer of the posted receive
    MPI_Request notice_request = MPI_REQUEST_NULL;

    std::mutex mutex;             // guards the next two members
    std::list<MpiFlight> flights; // flights that outlive the call or the exchange that posted them
    std::unordered_map<MpiExchange *, Listener> exchanges;

private:
    void refuse_unless_open() const;
    void listen();
    void announce(std::span<const int> peers, const Notice &announced, std::string_view text);
    void receive_notice(int peer, const Notice &received, std::string_view text);
    void note_departure(int peer, const Notice &received);
    // Passes on a notice that has arrived, and listens for the next one. The caller holds `listening`.
    void take_notice(const MPI_Status &status);
    bool land(); // frees the memory of flights that have completed

    const std::shared_ptr<Presence> presence_;
    std::atomic<uint64_t> notices_taken_ = 0;            // of those that their senders have counted
    std::atomic<bool> mpi_ends_ = false;                 // MPI_Finalize has begun
    MpiShutdown shutdown_{[this] { mpi_ends_ = true; }}; // refers to what precedes it
};

} // namespace dri::transport
