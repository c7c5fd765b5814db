// Sends messages with MPI_Isend, and bounds what MPI buffers.
#include "transport/mpi_sends.hpp"

#include "base/checked.hpp"

#include <utility>

namespace dri::transport {

namespace {

// Polling for departures costs as much as polling for messages, and is seldom needed. Therefore only every 64th
// attempt does it.
constexpr unsigned looks_between = 64;
// With so many messages of the staging under way, it is worth to look whether one of them has left its slot.
constexpr size_t looks_from = 3;
// MPI may complete a small send although no receive is posted for it. It then buffers any number of such messages
// in the memory of the receiver. Therefore every eighth send of each message is an MPI_Issend, which completes
// only when the message is received. Single words are exempt: they would take a month to fill a memory, and their
// senders should not wait. So are messages that their receiver answers in each frame.
constexpr uint8_t sends_between_answers = 8, needs_no_answer = UINT8_MAX;
constexpr int64_t word_bytes = 8;

} // namespace

MpiSends::MpiSends(std::shared_ptr<MpiWorld> world, const ExchangeLayout &layout, const Departures &departures)
    : world_(std::move(world)), mpi_tag_(narrow<int>(first_exchange_mpi_tag + layout.spec.tag)),
      limited_(layout.spec.send_credits != unlimited_credits),
      staging_(layout.spec.sends, layout.spec.sends_at, layout.sends, world_->size, *world_->memory),
      departures_(departures), in_order_(layout.spec.in_order && layout.spec.answered.empty()),
      posted_(in_order_ ? 0 : staging_.size()), sends_since_answer_(posted_.size()), flight_(1) {
    narrow<int>(static_cast<int64_t>(staging_.size())); // MPI counts requests in an int
    for (size_t i = 0; i < posted_.size(); ++i)
        if (layout.spec.sends[i].bytes <= word_bytes || (!layout.spec.answered.empty() && layout.spec.answered[i]))
            sends_since_answer_[i] = needs_no_answer;
    flight_.front().keeps = layout.spec.keeps;
    flight_.front().memory = staging_.take_memory();
    flight_.front().requests.assign(staging_.size(), MPI_REQUEST_NULL);
}

inline bool MpiSends::is_answered(size_t i) {
    if (in_order_)
        return frame_since_answer_ == sends_between_answers && staging_.spec(i).bytes > word_bytes;
    if (sends_since_answer_[i] == needs_no_answer || ++sends_since_answer_[i] < sends_between_answers)
        return false;
    sends_since_answer_[i] = 0;
    return true;
}

// A look costs a part of what a short message costs, and gives up the core if there are more processes than cores.
// Therefore the first question after a post is answered without a look while few messages are under way.
size_t MpiSends::under_way() {
    if (!std::exchange(is_new_, false) || staged_under_way() >= looks_from)
        look();
    return staged_under_way();
}

// Gives the slots of completed sends back, in the order of posting. A message that a departed peer has not
// received keeps its slot, because MPI may still read it; nobody waits for it.
size_t MpiSends::look() {
    auto &requests = flight_.front().requests;
    for (; first_under_way_ < num_posted_; ++first_under_way_) {
        const size_t i = posted(first_under_way_);
        int landed = requests[i] == MPI_REQUEST_NULL;
        if (!landed)
            check_mpi(MPI_Test(&requests[i], &landed, MPI_STATUS_IGNORE), "MPI_Test");
        if (!landed && departures_.takes(i))
            break;
        if (landed)
            staging_.give_back(i);
        outside_under_way_ -= staging_.is_outside(i);
    }
    if (first_under_way_ == num_posted_ && !in_order_)
        first_under_way_ = num_posted_ = 0;
    return num_posted_ - first_under_way_;
}

std::byte *MpiSends::data(size_t i) {
    if (flight_.front().requests[i] != MPI_REQUEST_NULL)
        fail(DRI_ERR_INTERNAL, "message {} to process {} is still under way from the last frame", i,
             staging_.spec(i).peer);
    if ((staged_under_way() >= looks_from && !staging_.is_outside(i)) || !staging_.take(i))
        look();
    if (staging_.take(i))
        return staging_.data(i);
    if (!limited_)
        fail(DRI_ERR_INTERNAL, "no memory is left for message {}", i);
    return nullptr;
}

void MpiSends::post(size_t i) {
    world_->check_open();
    const MessageSpec &spec = staging_.spec(i);
    MPI_Request &request = flight_.front().requests[i];
    if (request != MPI_REQUEST_NULL)
        fail(DRI_ERR_INTERNAL, "message {} to process {} is still under way from the last frame", i, spec.peer);
    if (in_order_ ? i < num_posted_ : num_posted_ == posted_.size())
        begin_frame(i);
    const bool answered = is_answered(i);
    const std::byte *const from = staging_.take(i) ? staging_.data(i) : data(i); // mostly packed there already
    check_mpi((answered ? MPI_Issend : MPI_Isend)(from, spec.bytes, MPI_BYTE, spec.peer, mpi_tag_, world_->comm,
                                                  &request),
              answered ? "MPI_Issend" : "MPI_Isend");
    if (in_order_)
        num_posted_ = i + 1;
    else
        posted_[num_posted_++] = static_cast<uint32_t>(i);
    outside_under_way_ += staging_.is_outside(i);
    is_new_ = true;
}

// Looks for frames whose end nobody has asked for. In order, a lower number than the last one shows a new frame.
void MpiSends::begin_frame(size_t i) {
    if (first_under_way_ < num_posted_ && look() > 0 && (in_order_ || num_posted_ == posted_.size()))
        fail(DRI_ERR_INTERNAL, "message {} is sent before the messages of the last frame have left", i);
    if (!in_order_)
        return;
    first_under_way_ = num_posted_ = 0;
    if (frame_since_answer_++ == sends_between_answers)
        frame_since_answer_ = 1;
}

// Sends to peers that have left count as done.
bool MpiSends::done() {
    if (first_under_way_ == num_posted_)
        return true;
    if (!all_landed()) {
        world_->count_look_in_vain();
        if (++looks_ % looks_between == 0)
            world_->look_for_notices(Look::cheap);
        if (!departures_.any() || awaits())
            return false;
    }
    look(); // gives all slots back, and empties the list of posted messages
    return true;
}

// Tests all requests and does not stop at the first open one, so that MPI moves all messages on.
std::optional<int> MpiSends::awaits() {
    std::optional<int> peer;
    auto &requests = flight_.front().requests;
    for (size_t i = 0; i < requests.size(); ++i) {
        if (requests[i] == MPI_REQUEST_NULL || !departures_.takes(i))
            continue;
        int landed = 0;
        check_mpi(MPI_Test(&requests[i], &landed, MPI_STATUS_IGNORE), "MPI_Test");
        if (!landed && !peer)
            peer = staging_.spec(i).peer;
    }
    return peer;
}

void MpiSends::leave_to_world() { world_->flights.splice(world_->flights.end(), flight_); }

} // namespace dri::transport
