#include "transport/mpi_transport.hpp"

#include "transport/mpi_exchange.hpp"

#include <sched.h>

#include <cstring>
#include <limits>

namespace dri {

namespace {

class MpiTransport final : public Transport {
public:
    explicit MpiTransport(MPI_Comm comm) : world_(std::make_shared<MpiWorld>(comm)) {}

    int rank() const override { return world_->rank; }
    int size() const override { return world_->size; }
    void send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) override;
    Bytes receive(int peer, int tag, Deadline deadline) override;
    std::optional<Bytes> try_receive(int peer, int tag) override;
    int64_t exchange_tags() const override { return world_->exchange_tags; }
    std::unique_ptr<Exchange> prepare(std::span<const Slot> sends, std::span<const Slot> receives,
                                      int64_t tag) override;
    void retire(std::unique_ptr<Exchange> exchange) override;
    void close() override;

private:
    std::optional<Bytes> take_arrival(int peer, int mpi_tag);
    bool all_sends_done();

    std::shared_ptr<MpiWorld> world_;
};

void MpiTransport::send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) {
    world_->check_open();
    check_peer(peer, size());
    check_set_up_tag(tag);
    if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
        fail(DRI_ERR_OVERFLOW, "a set-up message of {} bytes from rank {} to rank {} is longer than 2^31 - 1",
             bytes.size(), rank(), peer);
    world_->poll();

    // The bytes are copied, so that a send that misses its deadline can go on without its caller.
    std::list<MpiFlight> flight(1);
    MpiFlight &mine = flight.front();
    mine.memory = AlignedBuffer(static_cast<int64_t>(bytes.size()));
    if (!bytes.empty())
        std::memcpy(mine.memory.data(), bytes.data(), bytes.size());
    mine.requests.assign(1, MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(mine.memory.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer, tag, world_->comm,
                        mine.requests.data()),
              "MPI_Isend");
    bool done = false;
    const auto leave_to_world = [&] {
        std::lock_guard lock(world_->mutex);
        world_->flights.splice(world_->flights.end(), flight);
    };
    try {
        done = landed(mine);
        while (!done && peer != rank() && Clock::now() < deadline) {
            sched_yield();
            done = landed(mine);
        }
    } catch (const Error &) {
        leave_to_world();
        throw;
    }
    if (done)
        return;
    leave_to_world();
    if (peer != rank())
        fail(DRI_ERR_TIMEOUT, "rank {} did not take a set-up message of rank {} (tag {}) in time", peer, rank(),
             tag);
}

std::optional<Bytes> MpiTransport::take_arrival(int peer, int mpi_tag) {
    int found = 0, count = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(peer, mpi_tag, world_->comm, &found, &message, &status), "MPI_Improbe");
    if (!found)
        return std::nullopt;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    Bytes bytes(static_cast<size_t>(count));
    check_mpi(MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    return bytes;
}

std::optional<Bytes> MpiTransport::try_receive(int peer, int tag) {
    world_->check_open();
    check_peer(peer, size());
    check_set_up_tag(tag);
    return take_arrival(peer, tag);
}

Bytes MpiTransport::receive(int peer, int tag, Deadline deadline) {
    world_->check_open();
    world_->poll();
    for (;;) {
        if (auto bytes = try_receive(peer, tag))
            return std::move(*bytes);
        if (Clock::now() >= deadline)
            fail(DRI_ERR_TIMEOUT, "rank {} got no set-up message of rank {} (tag {}) in time", rank(), peer, tag);
        sched_yield();
    }
}

std::unique_ptr<Exchange> MpiTransport::prepare(std::span<const Slot> sends, std::span<const Slot> receives,
                                                int64_t tag) {
    world_->check_open();
    check_exchange_tag(tag, exchange_tags());
    world_->poll();
    return std::make_unique<MpiExchange>(world_, sends, receives, tag);
}

void MpiTransport::retire(std::unique_ptr<Exchange> exchange) {
    exchange.reset();
    if (!world_->closed)
        world_->poll();
}

bool MpiTransport::all_sends_done() {
    bool done = world_->poll();
    std::lock_guard lock(world_->mutex);
    for (MpiExchange *exchange : world_->exchanges)
        done = exchange->sends_done() && done;
    return done;
}

// A send ends when somebody receives it, and who is in here receives all that comes. So a process enters the
// barrier when its sends have ended, and goes on receiving until all have.
void MpiTransport::close() {
    if (world_->closed)
        return;
    {
        std::lock_guard lock(world_->mutex);
        for (MpiExchange *exchange : world_->exchanges)
            exchange->cancel_receives();
    }
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool entered = false;
    for (int all_there = 0; !all_there;) {
        while (take_arrival(MPI_ANY_SOURCE, MPI_ANY_TAG)) {
        }
        if (!entered && all_sends_done()) {
            check_mpi(MPI_Ibarrier(world_->comm, &barrier), "MPI_Ibarrier");
            entered = true;
        }
        if (entered)
            check_mpi(MPI_Test(&barrier, &all_there, MPI_STATUS_IGNORE), "MPI_Test");
        if (!all_there)
            sched_yield();
    }
    world_->closed = true;
    check_mpi(MPI_Comm_free(&world_->comm), "MPI_Comm_free");
}

} // namespace

std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm) { return std::make_unique<MpiTransport>(comm); }

} // namespace dri
