#include "transport/mpi_exchange.hpp"

#include "base/checked.hpp"
#include "base/sorted.hpp"
#include "transport/backoff.hpp"

#include <algorithm>

namespace dri {

MpiExchange::MpiExchange(std::shared_ptr<MpiWorld> world, std::span<const Slot> sends,
                         std::span<const Slot> receives, int64_t tag)
    : world_(std::move(world)), mpi_tag_(narrow<int>(first_exchange_mpi_tag + tag)), sends_(sends, world_->size),
      receives_(receives, world_->size), receive_requests_(receives.size(), MPI_REQUEST_NULL),
      arrivals_(receives.size()), statuses_(receives.size()), flight_(1), departures_(sends, receives) {
    flight_.front().memory = sends_.take_memory();
    flight_.front().requests.assign(sends.size(), MPI_REQUEST_NULL);
    narrow<int>(static_cast<int64_t>(std::max(sends.size(), receives.size())));
    std::lock_guard lock(world_->mutex);
    world_->exchanges.insert(this);
}

MpiExchange::~MpiExchange() {
    std::lock_guard lock(world_->mutex);
    world_->exchanges.erase(this);
    cancel_receives();
    try {
        if (mpi_runs() && all_landed())
            return;
    } catch (const Error &) {
    }
    world_->flights.splice(world_->flights.end(), flight_);
}

void MpiExchange::post_receives() {
    world_->check_open();
    if (receives_open_)
        fail(DRI_ERR_INTERNAL, "{} receives of the last frame are still open", receives_open_);
    ++frames_;
    for (size_t i = 0; i < receive_requests_.size(); ++i) {
        const Slot &slot = receives_.slot(i);
        check_mpi(MPI_Irecv(receives_.data(i), static_cast<int>(slot.bytes), MPI_BYTE, slot.peer, mpi_tag_,
                            world_->comm, &receive_requests_[i]),
                  "MPI_Irecv");
        ++receives_open_;
    }
}

void MpiExchange::post_send(size_t i) {
    world_->check_open();
    const Slot &slot = sends_.slot(i);
    MPI_Request &request = flight_.front().requests[i];
    if (request != MPI_REQUEST_NULL)
        fail(DRI_ERR_INTERNAL, "message {} to rank {} is still under way from the last frame", i, slot.peer);
    check_mpi(MPI_Isend(sends_.data(i), static_cast<int>(slot.bytes), MPI_BYTE, slot.peer, mpi_tag_, world_->comm,
                        &request),
              "MPI_Isend");
}

// All that have come are asked for at once: one question costs as much as there are receives.
void MpiExchange::gather_arrivals() {
    int arrived = 0;
    for (Backoff wait(world_->crowded, Backoff::Rest::yield);; wait.pause()) {
        const int code = MPI_Testsome(static_cast<int>(receive_requests_.size()), receive_requests_.data(),
                                      &arrived, arrivals_.data(), statuses_.data());
        in_statuses_ = code == MPI_ERR_IN_STATUS;
        if (!in_statuses_)
            check_mpi(code, "MPI_Testsome");
        if (arrived)
            break;
        // A sender that leaves must end the wait.
        world_->look();
        check_senders();
    }
    next_ = 0;
    arrived_ = arrived == MPI_UNDEFINED ? 0 : static_cast<size_t>(arrived);
}

int64_t MpiExchange::wait_receive() {
    if (!receives_open_)
        return -1;
    if (next_ == arrived_)
        gather_arrivals();
    if (!arrived_)
        return receives_open_ = 0, -1;
    --receives_open_;
    const MPI_Status &status = statuses_[next_];
    const auto index = static_cast<size_t>(arrivals_[next_++]);
    if (in_statuses_)
        check_mpi(status.MPI_ERROR, "MPI_Testsome");
    const Slot &slot = receives_.slot(index);
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (bytes != slot.bytes)
        fail(DRI_ERR_TRANSPORT, "rank {} got a message of {} bytes from rank {}, but expected {}", world_->rank,
             bytes, slot.peer, slot.bytes);
    return static_cast<int64_t>(index);
}

void MpiExchange::check_senders() const {
    if (!departures_.any())
        return;
    for (size_t i = 0; i < receive_requests_.size(); ++i)
        if (receive_requests_[i] != MPI_REQUEST_NULL)
            if (const auto lost = departures_.before(frames_ - 1, i))
                throw PeerLeft(*lost);
}

bool MpiExchange::sends_done() {
    if (all_landed())
        return true;
    world_->look();
    if (!departures_.any())
        return false;
    bool done = true;
    auto &requests = flight_.front().requests;
    for (size_t i = 0; i < requests.size(); ++i) {
        if (requests[i] == MPI_REQUEST_NULL || !departures_.takes(i))
            continue;
        int landed = 0;
        check_mpi(MPI_Test(&requests[i], &landed, MPI_STATUS_IGNORE), "MPI_Test");
        done = done && landed;
    }
    return done;
}

void MpiExchange::wait_sends() {
    for (Backoff wait(world_->crowded, Backoff::Rest::yield); !sends_done();)
        wait.pause();
}

void MpiExchange::look() {
    world_->check_open();
    world_->look();
}

void MpiExchange::hear(int peer, const Notice &notice) {
    if (first_exchange_mpi_tag + notice.tag == mpi_tag_)
        departures_.note(peer, notice);
}

void MpiExchange::leave(int64_t frames) {
    const auto tell = [&](const Staging &messages, int64_t of_sender) {
        std::vector<int> peers;
        for (size_t i = 0; i < messages.size(); ++i)
            peers.push_back(messages.slot(i).peer);
        if (!peers.empty())
            world_->tell(sorted_once(std::move(peers)), {mpi_tag_ - first_exchange_mpi_tag, of_sender, frames});
    };
    tell(sends_, 1);
    tell(receives_, 0);
}

void MpiExchange::cancel_receives() noexcept {
    receives_open_ = next_ = arrived_ = 0;
    if (!mpi_runs())
        return;
    for (MPI_Request &request : receive_requests_) {
        if (request == MPI_REQUEST_NULL)
            continue;
        // A receive that has its message already is not cancelled, but ends in the wait.
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

} // namespace dri
