// Receives messages with MPI_Irecv, as many at a time as there is memory for.
#include "transport/mpi_receives.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::transport {

// Everything that a frame needs is allocated here: staging, requests, and the lists in which messages of one
// staging group wait for a free slot.
MpiReceives::MpiReceives(std::shared_ptr<MpiWorld> world, const ExchangeLayout &layout)
    : world_(std::move(world)), mpi_tag_(narrow<int>(first_exchange_mpi_tag + layout.spec.tag)),
      staging_(layout.spec.receives, layout.spec.receives_at, layout.receives, world_->size, *world_->memory),
      requests_(staging_.num_slots(), MPI_REQUEST_NULL), message_at_(staging_.num_slots(), none),
      next_(staging_.size(), none), waiting_(staging_.num_groups(), none), arrivals_(staging_.num_slots()),
      statuses_(staging_.num_slots()), cancelled_(1) {
    cancelled_.front().keeps = layout.spec.keeps;
    narrow<int>(std::ssize(next_)); // MPI counts requests in an int
    std::vector<uint32_t> last(staging_.num_groups(), none);
    for (uint32_t i = 0; i < staging_.size(); ++i) {
        uint32_t &before = last[staging_.group(i)];
        if (before != none)
            next_[before] = i;
        before = i;
    }
}

void MpiReceives::post_one(size_t i) {
    const MessageSpec &spec = staging_.spec(i);
    const size_t slot = staging_.slot(i);
    message_at_[slot] = static_cast<uint32_t>(i);
    check_mpi(
        MPI_Irecv(staging_.data(i), spec.bytes, MPI_BYTE, spec.peer, mpi_tag_, world_->comm, &requests_[slot]),
        "MPI_Irecv");
}

// Posts a receive for each message that finds a free slot. In each group the messages without one wait in order,
// and release() posts the next of them. For each peer, MPI matches receives in the order of posting, so this order
// must be that of the sends.
void MpiReceives::post() {
    world_->check_open();
    if (open_)
        fail(DRI_ERR_INTERNAL, "{} receives of the last frame are still open", open_);
    for (size_t i = 0; i < staging_.size(); ++i)
        staging_.give_back(i);
    open_ = staging_.size();
    std::fill(waiting_.begin(), waiting_.end(), none);
    for (uint32_t i = 0; i < staging_.size(); ++i) {
        uint32_t &waiting = waiting_[staging_.group(i)];
        if (staging_.take(i))
            post_one(i);
        else
            waiting = std::min(waiting, i);
    }
}

void MpiReceives::release(size_t i) {
    staging_.give_back(i);
    uint32_t &waiting = waiting_[staging_.group(i)];
    if (waiting == none || !staging_.take(waiting))
        return;
    post_one(waiting);
    waiting = next_[waiting];
}

// A single receive needs no list.
bool MpiReceives::find_arrival() {
    num_taken_ = num_arrived_ = 0;
    if (requests_.front() == MPI_REQUEST_NULL)
        return false;
    int come = 0;
    in_statuses_ = false;
    arrivals_.front() = 0;
    check_mpi(MPI_Test(&requests_.front(), &come, &statuses_.front()), "MPI_Test");
    if (!come)
        world_->count_look_in_vain();
    num_arrived_ = come ? 1 : 0;
    return come;
}

// Collects all arrivals with one call, because the cost of MPI_Testsome grows with the number of slots.
bool MpiReceives::find_arrivals() {
    if (requests_.size() == 1)
        return find_arrival();
    int arrived = 0;
    const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &arrived, arrivals_.data(),
                                  statuses_.data());
    in_statuses_ = code == MPI_ERR_IN_STATUS;
    if (!in_statuses_)
        check_mpi(code, "MPI_Testsome");
    num_taken_ = num_arrived_ = 0;
    if (arrived == MPI_UNDEFINED)
        return false;
    if (arrived == 0)
        world_->count_look_in_vain();
    num_arrived_ = static_cast<size_t>(arrived);
    return arrived > 0;
}

int64_t MpiReceives::take() {
    if (!open_ || (num_taken_ == num_arrived_ && !find_arrivals()))
        return -1;
    --open_;
    const MPI_Status &status = statuses_[num_taken_];
    const size_t i = message_at_[static_cast<size_t>(arrivals_[num_taken_++])];
    if (in_statuses_)
        check_mpi(status.MPI_ERROR, "MPI_Testsome");
    const MessageSpec &spec = staging_.spec(i);
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (bytes != spec.bytes)
        fail(DRI_ERR_TRANSPORT, "process {} received a message of {} bytes from process {}, but expected {} bytes",
             world_->rank, bytes, spec.peer, spec.bytes);
    return static_cast<int64_t>(i);
}

// MPI does not cancel a receive whose message has begun to arrive. That receive completes when the whole message
// has arrived. This may need the sender to act, so nobody waits for it.
void MpiReceives::cancel() noexcept {
    open_ = num_taken_ = num_arrived_ = 0;
    if (!mpi_runs() || requests_.empty())
        return;
    for (MPI_Request &request : requests_)
        if (request != MPI_REQUEST_NULL)
            MPI_Cancel(&request);
    cancelled_.front().requests.swap(requests_);
}

bool MpiReceives::is_quiet() { return landed(cancelled_.front()); }

void MpiReceives::leave_to_world() {
    cancelled_.front().memory = staging_.take_memory();
    world_->flights.splice(world_->flights.end(), cancelled_);
}

} // namespace dri::transport
