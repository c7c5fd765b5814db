// Moves the messages of a frame with MPI_Isend and MPI_Irecv, and bounds what MPI buffers.
#include "transport/mpi_exchange.hpp"

#include "base/checked.hpp"
#include "base/sorted.hpp"
#include "transport/backoff.hpp"

#include <algorithm>

namespace dri::transport {

namespace {

// Polling for departures costs as much as polling for messages, and is seldom needed. Therefore only every 64th
// attempt does it.
constexpr unsigned looks_between = 64;
// MPI may complete a small send although no receive is posted for it. It then buffers any number of such messages
// in the memory of the receiver. Therefore every eighth send of each message is an MPI_Issend, which completes
// only when the message is received. Single words are exempt: they would take a month to fill a memory, and their
// senders should not wait.
constexpr unsigned sends_between_answers = 8;
constexpr int64_t word_bytes = 8;

} // namespace

// Everything that a frame needs is allocated here: staging, requests, and the lists in which messages of one
// staging group wait for a free slot.
MpiExchange::MpiExchange(std::shared_ptr<MpiWorld> world, const ExchangeSpec &spec)
    : MpiExchange(std::move(world), spec, ExchangeLayout(spec)) {}

MpiExchange::MpiExchange(std::shared_ptr<MpiWorld> world, const ExchangeSpec &spec, const ExchangeLayout &layout)
    : world_(std::move(world)), mpi_tag_(narrow<int>(first_exchange_mpi_tag + spec.tag)),
      limits_sends_(spec.send_credits != unlimited_credits),
      sends_(spec.sends, layout.sends, world_->size, *world_->memory),
      receives_(spec.receives, layout.receives, world_->size, *world_->memory), posted_(sends_.size()),
      sends_since_answer_(sends_.size()), receive_requests_(receives_.num_slots(), MPI_REQUEST_NULL),
      message_at_(receives_.num_slots(), none), next_(receives_.size(), none),
      waiting_(receives_.num_groups(), none), arrivals_(receives_.num_slots()), statuses_(receives_.num_slots()),
      flight_(1), arriving_(1), departures_(spec.sends, spec.receives) {
    flight_.front().memory = sends_.take_memory();
    flight_.front().requests.assign(sends_.size(), MPI_REQUEST_NULL);
    narrow<int>(static_cast<int64_t>(std::max(sends_.size(), receives_.size())));
    std::vector<size_t> last(receives_.num_groups(), none);
    for (size_t i = 0; i < receives_.size(); ++i) {
        size_t &before = last[receives_.group(i)];
        if (before != none)
            next_[before] = i;
        before = i;
    }
    std::lock_guard lock(world_->mutex);
    world_->exchanges.insert({this, {spec.tag, &departures_}});
}

MpiExchange::~MpiExchange() {
    {
        std::lock_guard lock(world_->mutex);
        world_->exchanges.erase(this);
    }
    cancel_receives();
    try {
        if (mpi_runs() && is_quiet())
            return;
    } catch (const Error &) {
    }
    // MPI still reads or writes this memory. It stays with the world until MPI has finished.
    arriving_.front().memory = receives_.take_memory();
    std::lock_guard lock(world_->mutex);
    world_->flights.splice(world_->flights.end(), flight_);
    world_->flights.splice(world_->flights.end(), arriving_);
}

bool MpiExchange::is_quiet() {
    const bool sent = all_landed();
    return landed(arriving_.front()) && sent;
}

void MpiExchange::post_receive(size_t i) {
    const MessageSpec &spec = receives_.spec(i);
    const size_t slot = receives_.slot(i);
    message_at_[slot] = i;
    check_mpi(MPI_Irecv(receives_.data(i), static_cast<int>(spec.bytes), MPI_BYTE, spec.peer, mpi_tag_,
                        world_->comm, &receive_requests_[slot]),
              "MPI_Irecv");
}

// Posts a receive for each message that finds a free slot. In each group the messages without one wait in order,
// and release() posts the next of them. For each peer, MPI matches receives in the order of posting, so this order
// must be that of the sends.
void MpiExchange::post_receives() {
    world_->check_open();
    if (receives_open_)
        fail(DRI_ERR_INTERNAL, "{} receives of the last frame are still open", receives_open_);
    ++frames_;
    for (size_t i = 0; i < receives_.size(); ++i)
        receives_.give_back(i);
    receives_open_ = receives_.size();
    std::fill(waiting_.begin(), waiting_.end(), none);
    for (size_t i = 0; i < receives_.size(); ++i) {
        size_t &waiting = waiting_[receives_.group(i)];
        if (receives_.take(i))
            post_receive(i);
        else
            waiting = std::min(waiting, i);
    }
}

void MpiExchange::release(size_t i) {
    receives_.give_back(i);
    size_t &waiting = waiting_[receives_.group(i)];
    if (waiting == none || !receives_.take(waiting))
        return;
    post_receive(waiting);
    waiting = next_[waiting];
}

// Gives the slots of completed sends back, in the order of posting. A message that a departed peer has not
// received keeps its slot, because MPI may still read it; nobody waits for it.
size_t MpiExchange::sends_under_way() {
    auto &requests = flight_.front().requests;
    for (; first_under_way_ < num_posted_; ++first_under_way_) {
        const size_t i = posted_[first_under_way_];
        int landed = requests[i] == MPI_REQUEST_NULL;
        if (!landed)
            check_mpi(MPI_Test(&requests[i], &landed, MPI_STATUS_IGNORE), "MPI_Test");
        if (landed)
            sends_.give_back(i);
        else if (departures_.takes(i))
            break;
    }
    if (first_under_way_ == num_posted_)
        first_under_way_ = num_posted_ = 0;
    return num_posted_ - first_under_way_;
}

std::byte *MpiExchange::send_data(size_t i) {
    if (flight_.front().requests[i] != MPI_REQUEST_NULL)
        fail(DRI_ERR_INTERNAL, "message {} to process {} is still under way from the last frame", i,
             sends_.spec(i).peer);
    if (!sends_.has_slot(i) || num_posted_)
        sends_under_way();
    if (sends_.take(i))
        return sends_.data(i);
    if (!limits_sends_)
        fail(DRI_ERR_INTERNAL, "no memory is left for message {}", i);
    return nullptr;
}

void MpiExchange::post_send(size_t i) {
    world_->check_open();
    const MessageSpec &spec = sends_.spec(i);
    MPI_Request &request = flight_.front().requests[i];
    if (request != MPI_REQUEST_NULL)
        fail(DRI_ERR_INTERNAL, "message {} to process {} is still under way from the last frame", i, spec.peer);
    const bool answered = spec.bytes > word_bytes && ++sends_since_answer_[i] == sends_between_answers;
    if (answered)
        sends_since_answer_[i] = 0;
    check_mpi((answered ? MPI_Issend : MPI_Isend)(send_data(i), static_cast<int>(spec.bytes), MPI_BYTE, spec.peer,
                                                  mpi_tag_, world_->comm, &request),
              answered ? "MPI_Issend" : "MPI_Isend");
    posted_[num_posted_++] = i;
}

// Collects all arrivals with one call, because the cost of MPI_Testsome grows with the number of slots.
bool MpiExchange::find_arrivals() {
    int arrived = 0;
    const int code = MPI_Testsome(static_cast<int>(receive_requests_.size()), receive_requests_.data(), &arrived,
                                  arrivals_.data(), statuses_.data());
    in_statuses_ = code == MPI_ERR_IN_STATUS;
    if (!in_statuses_)
        check_mpi(code, "MPI_Testsome");
    num_taken_ = num_arrived_ = 0;
    if (arrived == MPI_UNDEFINED)
        return false;
    num_arrived_ = static_cast<size_t>(arrived);
    return arrived > 0;
}

int64_t MpiExchange::try_receive() {
    if (!receives_open_ || (num_taken_ == num_arrived_ && !find_arrivals()))
        return -1;
    return take_arrival();
}

int64_t MpiExchange::wait_receive() {
    if (!receives_open_)
        return -1;
    Backoff wait(world_->crowded, Backoff::Rest::yield);
    for (unsigned tries = 1; num_taken_ == num_arrived_ && !find_arrivals(); ++tries) {
        // The wait must end if a sender leaves.
        if (tries % looks_between == 0) {
            world_->poll_departures();
            check_senders();
            if (world_->work_meanwhile()) {
                --tries; // try that work again at once: there may be more of it
                continue;
            }
        }
        wait.pause();
    }
    return take_arrival();
}

int64_t MpiExchange::take_arrival() {
    --receives_open_;
    const MPI_Status &status = statuses_[num_taken_];
    const size_t i = message_at_[static_cast<size_t>(arrivals_[num_taken_++])];
    if (in_statuses_)
        check_mpi(status.MPI_ERROR, "MPI_Testsome");
    const MessageSpec &spec = receives_.spec(i);
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (bytes != spec.bytes)
        fail(DRI_ERR_TRANSPORT, "process {} received a message of {} bytes from process {}, but expected {} bytes",
             world_->rank, bytes, spec.peer, spec.bytes);
    return static_cast<int64_t>(i);
}

// Throws PeerLeft if a posted receive waits for a sender that left before this frame.
void MpiExchange::check_senders() const {
    if (!departures_.any())
        return;
    for (size_t slot = 0; slot < receive_requests_.size(); ++slot)
        if (receive_requests_[slot] != MPI_REQUEST_NULL)
            if (const auto lost = departures_.before(frames_ - 1, message_at_[slot]))
                throw PeerLeft(*lost);
}

// Sends to peers that have left count as done.
bool MpiExchange::sends_done() {
    if (all_landed())
        return true;
    if (++looks_for_sends_ % looks_between == 0)
        world_->poll_departures();
    return departures_.any() && !awaits();
}

// Tests all requests and does not stop at the first open one, so that MPI moves all messages on.
std::optional<int> MpiExchange::awaits() {
    std::optional<int> peer;
    auto &requests = flight_.front().requests;
    for (size_t i = 0; i < requests.size(); ++i) {
        if (requests[i] == MPI_REQUEST_NULL || !departures_.takes(i))
            continue;
        int landed = 0;
        check_mpi(MPI_Test(&requests[i], &landed, MPI_STATUS_IGNORE), "MPI_Test");
        if (!landed && !peer)
            peer = sends_.spec(i).peer;
    }
    return peer;
}

void MpiExchange::wait_sends() {
    Backoff wait(world_->crowded, Backoff::Rest::yield);
    for (unsigned tries = 1; !sends_done(); ++tries) {
        if (tries % looks_between == 0 && world_->work_meanwhile())
            --tries;
        else
            wait.pause();
    }
}

void MpiExchange::poll_departures() {
    world_->check_open();
    world_->poll_departures();
}

void MpiExchange::leave(int64_t frames, Leave how) {
    const auto announce = [&](const Staging &messages, int64_t of_sender) {
        std::vector<int> peers;
        for (size_t i = 0; i < messages.size(); ++i)
            peers.push_back(messages.spec(i).peer);
        if (!peers.empty())
            world_->announce(sorted_once(std::move(peers)),
                             {mpi_tag_ - first_exchange_mpi_tag, of_sender, frames, how});
    };
    announce(sends_, 1);
    announce(receives_, 0);
}

// MPI does not cancel a receive whose message has begun to arrive. That receive completes when the whole message
// has arrived. This may need the sender to act, so nobody waits for it.
void MpiExchange::cancel_receives() noexcept {
    receives_open_ = num_taken_ = num_arrived_ = 0;
    if (!mpi_runs() || receive_requests_.empty())
        return;
    for (MPI_Request &request : receive_requests_)
        if (request != MPI_REQUEST_NULL)
            MPI_Cancel(&request);
    arriving_.front().requests.swap(receive_requests_);
}

} // namespace dri::transport
