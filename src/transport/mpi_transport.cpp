// Set-up messages over MPI, and the orderly end of the transport.
#include "transport/mpi_transport.hpp"

#include "base/env.hpp"
#include "transport/backoff.hpp"
#include "transport/mpi_exchange.hpp"
#include "transport/mpi_shutdown.hpp"

#include <algorithm>

namespace dri::transport {

namespace {

// How long a process that knows that all have closed waits until they know it, too.
constexpr auto longest_farewell = std::chrono::seconds(1);

// The setting of all deadlines, for texts.
const char *deadline_setting() { return setting_name(Setting::setup_timeout); }

// Leaves a flight to the world at the end of the scope, which keeps its memory until the sends complete.
class LeftToWorld {
public:
    LeftToWorld(MpiWorld &world, std::list<MpiFlight> &flight) : world_(world), flight_(flight) {}
    ~LeftToWorld() {
        if (!leaves_)
            return;
        const std::lock_guard lock(world_.mutex);
        world_.flights.splice(world_.flights.end(), flight_);
    }
    LeftToWorld(const LeftToWorld &) = delete;
    LeftToWorld &operator=(const LeftToWorld &) = delete;
    void dismiss() { leaves_ = false; }

private:
    MpiWorld &world_;
    std::list<MpiFlight> &flight_;
    bool leaves_ = true;
};

class MpiTransport final : public Transport {
public:
    MpiTransport(MPI_Comm comm, int piece_bytes, std::chrono::milliseconds wait_for_piece)
        : world_(std::make_shared<MpiWorld>(comm, shared_presence())),
          piece_bytes_(static_cast<size_t>(piece_bytes)), wait_for_piece_(wait_for_piece) {}

    int rank() const override { return world_->rank; }
    int size() const override { return world_->size; }
    void send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) override;
    Bytes receive(int peer, int tag, Deadline deadline) override;
    std::optional<Bytes> try_receive(int peer, int tag) override;
    void post(int peer, int tag, Bytes bytes) override;
    Arrival receive_any(int tag, Deadline deadline) override;
    std::vector<int> nodes() override;
    bool takes_any_thread() const override {
        int level = MPI_THREAD_SINGLE;
        check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
        return level >= MPI_THREAD_MULTIPLE;
    }
    std::shared_ptr<void> before_finish(std::function<void()> last) override {
        return std::make_shared<MpiShutdown>(std::move(last));
    }
    bool crowded() const override { return world_->crowded; }
    bool yields() const override { return world_->yields; }
    int64_t rests() const override { return world_->rests.load(std::memory_order_relaxed); }
    void progress() override {
        if (!world_->closed && mpi_runs())
            world_->receive_notices();
    }
    void ask(int peer) override { world_->ask(peer); }
    int64_t exchange_tags() const override { return world_->exchange_tags; }
    std::unique_ptr<Exchange> prepare(std::shared_ptr<const ExchangeLayout> layout) override;
    void close(Deadline deadline) override;
    bool finish_close() override;

private:
    std::list<MpiFlight> start(int peer, int tag, Bytes bytes);
    void pause(Backoff &wait);
    std::optional<Arrival> take_piece(int peer, int mpi_tag);
    std::optional<Arrival> take_message(int peer, int tag);
    void receive_rest(); // what nobody waits for
    void free_communicator();
    bool all_are_in_barrier();
    bool is_quiet(); // whether all sends and all cancelled receives have completed

    std::shared_ptr<MpiWorld> world_;
    size_t piece_bytes_;
    std::chrono::milliseconds wait_for_piece_;
    MPI_Request barrier_ = MPI_REQUEST_NULL; // the barrier of close()
    bool in_barrier_ = false;
    // MPI_Finalize without close(): the others shall take this process for ended. Destroyed first.
    MpiShutdown ends_with_mpi_{[this] {
        if (!world_->closed)
            presence().leave();
    }};
};

// Starts the sends of all pieces of a message at once. A receiver of the first piece therefore need not wait for
// what this process does next. A message ends with a piece that is shorter than the others, and may be empty.
std::list<MpiFlight> MpiTransport::start(int peer, int tag, Bytes bytes) {
    world_->check_open();
    check_peer(peer, size());
    check_set_up_tag(tag);
    world_->poll();
    std::list<MpiFlight> flight(1);
    MpiFlight &mine = flight.front();
    mine.bytes = std::move(bytes);
    mine.requests.assign(mine.bytes.size() / piece_bytes_ + 1, MPI_REQUEST_NULL);
    LeftToWorld left(*world_, flight);
    for (size_t i = 0; i < mine.requests.size(); ++i) {
        const size_t at = i * piece_bytes_, count = std::min(piece_bytes_, mine.bytes.size() - at);
        check_mpi(MPI_Isend(mine.bytes.data() + at, static_cast<int>(count), MPI_BYTE, peer, tag, world_->comm,
                            &mine.requests[i]),
                  "MPI_Isend");
    }
    left.dismiss();
    return flight;
}

// Processes that wait elsewhere may ask what this one waits for. The look before has yielded the core if MPI does
// so; otherwise this yields. Soon it sleeps for a short time each time.
// A process that closes again need not wait once all others have closed.
void MpiTransport::pause(Backoff &wait) {
    if (all_are_in_barrier())
        fail(DRI_ERR_STATE, "the transport is closed");
    world_->look_for_notices(Look::cheap);
    if (meanwhile() || wait.spin())
        return;
    if (world_->yields ? wait.rest_until(Clock::now()) : wait.rest())
        progress();
}

void MpiTransport::post(int peer, int tag, Bytes bytes) {
    auto flight = start(peer, tag, std::move(bytes));
    const LeftToWorld left(*world_, flight);
}

void MpiTransport::send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) {
    // The bytes are copied, so that a send that misses its deadline can complete after this call has returned.
    auto flight = start(peer, tag, Bytes(bytes.begin(), bytes.end()));
    LeftToWorld left(*world_, flight);
    bool done = landed(flight.front());
    RunsCheck check(presence());
    Backoff wait = Backoff::of_set_up();
    while (!done && peer != rank() && Clock::now() < deadline) {
        check.look(peer);
        pause(wait);
        done = landed(flight.front());
    }
    if (done)
        return left.dismiss();
    if (peer != rank())
        fail(DRI_ERR_TIMEOUT,
             "process {} did not receive a set-up message from process {} (tag {}) before the deadline ({})", peer,
             rank(), tag, deadline_setting());
}

// Uses a matched probe, so that no other thread can receive the message between the probe and the receive.
std::optional<Arrival> MpiTransport::take_piece(int peer, int mpi_tag) {
    int found = 0, count = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(peer, mpi_tag, world_->comm, &found, &message, &status), "MPI_Improbe");
    if (!found)
        return std::nullopt;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    Arrival arrival{status.MPI_SOURCE, Bytes(static_cast<size_t>(count))};
    check_mpi(MPI_Mrecv(arrival.bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    return arrival;
}

// Returns nothing if no message has arrived. If the first piece of one is here, waits for each of the others.
std::optional<Arrival> MpiTransport::take_message(int peer, int tag) {
    auto arrival = take_piece(peer, tag);
    if (!arrival)
        return std::nullopt;
    Deadline deadline = Clock::now() + wait_for_piece_;
    RunsCheck check(presence());
    Backoff wait = Backoff::of_set_up();
    for (size_t last = arrival->bytes.size(); last == piece_bytes_;) {
        const auto more = take_piece(arrival->peer, tag);
        if (more) {
            arrival->bytes.insert(arrival->bytes.end(), more->bytes.begin(), more->bytes.end());
            last = more->bytes.size();
            deadline = Clock::now() + wait_for_piece_;
            wait = Backoff::of_set_up();
        } else if (Clock::now() >= deadline) {
            fail(DRI_ERR_TIMEOUT,
                 "process {} received only {} bytes of a set-up message from process {} (tag {}) before the "
                 "deadline ({})",
                 rank(), arrival->bytes.size(), arrival->peer, tag, deadline_setting());
        } else {
            check.look(arrival->peer);
            pause(wait);
        }
    }
    return arrival;
}

std::optional<Bytes> MpiTransport::try_receive(int peer, int tag) {
    world_->check_open();
    check_peer(peer, size());
    check_set_up_tag(tag);
    auto arrival = take_message(peer, tag);
    if (!arrival)
        return std::nullopt;
    return std::move(arrival->bytes);
}

Bytes MpiTransport::receive(int peer, int tag, Deadline deadline) {
    world_->check_open();
    world_->poll();
    Backoff wait = Backoff::of_set_up();
    for (RunsCheck check(presence());; check.look(peer)) {
        if (auto bytes = try_receive(peer, tag))
            return std::move(*bytes);
        if (Clock::now() >= deadline)
            fail(DRI_ERR_TIMEOUT,
                 "process {} received no set-up message from process {} (tag {}) before the deadline ({})", rank(),
                 peer, tag, deadline_setting());
        pause(wait);
    }
}

Arrival MpiTransport::receive_any(int tag, Deadline deadline) {
    world_->check_open();
    check_set_up_tag(tag);
    Backoff wait = Backoff::of_set_up();
    for (;;) {
        world_->poll();
        if (auto arrival = take_message(MPI_ANY_SOURCE, tag))
            return std::move(*arrival);
        if (Clock::now() >= deadline)
            fail(DRI_ERR_TIMEOUT, "process {} received no set-up message (tag {}) before the deadline ({})",
                 rank(), tag, deadline_setting());
        pause(wait);
    }
}

std::vector<int> MpiTransport::nodes() {
    world_->check_open();
    return world_->nodes();
}

std::unique_ptr<Exchange> MpiTransport::prepare(std::shared_ptr<const ExchangeLayout> layout) {
    world_->check_open();
    check_exchange_tag(layout->spec.tag, exchange_tags());
    world_->poll();
    return std::make_unique<MpiExchange>(world_, std::move(layout));
}

bool MpiTransport::is_quiet() {
    bool done = world_->poll();
    std::lock_guard lock(world_->mutex);
    for (const auto &[exchange, listener] : world_->exchanges)
        done = exchange->is_quiet() && done;
    return done;
}

// A send completes when its message is received, and a process in close() receives every message that arrives.
// Therefore each process enters the barrier when its own sends have completed, and continues to receive until all
// processes have entered it. After a timeout the call may be repeated: it stays in the barrier.
void MpiTransport::close(Deadline deadline) {
    if (world_->closed)
        return;
    world_->check_open();
    world_->stop_listening();
    {
        std::lock_guard lock(world_->mutex);
        for (const auto &[exchange, listener] : world_->exchanges)
            exchange->cancel_receives();
    }
    for (Backoff wait = Backoff::of_set_up();; wait.pause()) {
        receive_rest();
        if (!in_barrier_ && is_quiet()) {
            check_mpi(MPI_Ibarrier(world_->comm, &barrier_), "MPI_Ibarrier");
            in_barrier_ = true;
        }
        if (finish_close())
            return;
        if (Clock::now() >= deadline)
            fail(DRI_ERR_TIMEOUT, "process {} closes its transport, but at the deadline ({}) {}", rank(),
                 deadline_setting(),
                 in_barrier_ ? "not all other processes have finished it"
                             : "other processes have not received all of its messages");
    }
}

// The sends of a process complete before it enters the barrier. Only what it has sent in between, in calls that
// failed, may still be under way.
bool MpiTransport::finish_close() {
    if (world_->closed || !mpi_runs() || !all_are_in_barrier())
        return world_->closed;
    world_->closed = true; // it sends nothing more
    free_communicator();
    return true;
}

// Another process may have called again after a failure, and may have sent messages before it learned that all are
// in the barrier. They must be received before the communicator is freed: Open MPI would take those that come
// later for messages of another communicator. So all tell each other that they know. If one does not come back,
// the communicator is kept.
void MpiTransport::free_communicator() {
    MPI_Request all_know = MPI_REQUEST_NULL;
    const Deadline until = Clock::now() + longest_farewell;
    bool knows = false; // and its own messages have gone
    int done = 0;
    for (Backoff wait = Backoff::of_set_up(); !done && Clock::now() < until; wait.pause()) {
        receive_rest();
        if (!knows && world_->poll()) {
            check_mpi(MPI_Ibarrier(world_->comm, &all_know), "MPI_Ibarrier");
            knows = true;
        }
        if (knows)
            check_mpi(MPI_Test(&all_know, &done, MPI_STATUS_IGNORE), "MPI_Test");
    }
    receive_rest();
    world_->end_flights();
    if (done)
        check_mpi(MPI_Comm_free(&world_->comm), "MPI_Comm_free");
}

bool MpiTransport::all_are_in_barrier() {
    int all_there = 0;
    if (in_barrier_) // a request that is complete is so again
        check_mpi(MPI_Test(&barrier_, &all_there, MPI_STATUS_IGNORE), "MPI_Test");
    return all_there;
}

void MpiTransport::receive_rest() {
    while (take_piece(MPI_ANY_SOURCE, MPI_ANY_TAG)) {
    }
}

} // namespace

std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm, int piece_bytes,
                                              std::chrono::milliseconds wait_for_piece) {
    return std::make_unique<MpiTransport>(comm, piece_bytes, wait_for_piece);
}

} // namespace dri::transport
