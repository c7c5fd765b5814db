// The communicator of the transport, notices of departure, and sends that outlive their caller.
#include "transport/mpi_world.hpp"

#include "transport/mpi_idle.hpp"

#include <sched.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

namespace dri::transport {

namespace {

// Notices that are no departures. Exchanges have tags from 0.
constexpr int64_t question_tag = -1, answer_tag = -2;

// The processes that share a node with this one. Collective over comm.
MPI_Comm make_node_comm(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    return node;
}

// Whether this node has more processes than cores that they may use together. Collective over comm.
bool is_crowded(MPI_Comm comm) {
    MPI_Comm node = make_node_comm(comm);
    int processes = 0;
    int code = MPI_Comm_size(node, &processes);
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    CPU_ZERO(&all);
    const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node);
    MPI_Comm_free(&node);
    check_mpi(code, "MPI_Allreduce");
    return processes > (known ? CPU_COUNT(&all) : static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace

// All requests are tested together, so that MPI moves all of them on.
bool landed(MpiFlight &flight) {
    int done = 0;
    check_mpi(
        MPI_Testall(static_cast<int>(flight.requests.size()), flight.requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
    return done;
}

MpiWorld::MpiWorld(MPI_Comm parent, std::shared_ptr<Presence> known) : presence_(std::move(known)) {
    int between_groups = 0;
    if (parent == MPI_COMM_NULL)
        fail(DRI_ERR_ARG, "the communicator of the world is MPI_COMM_NULL");
    check_mpi(MPI_Comm_test_inter(parent, &between_groups), "MPI_Comm_test_inter");
    if (between_groups)
        fail(DRI_ERR_ARG, "the communicator of the world is an intercommunicator");
    check_mpi(MPI_Comm_dup(parent, &comm), "MPI_Comm_dup"); // not freed after a failure, as in the destructor
    check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    int *highest_tag = nullptr, found = 0;
    check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &highest_tag, &found), "MPI_Comm_get_attr");
    // The MPI standard guarantees tags up to 32767.
    exchange_tags = int64_t{found ? *highest_tag : 32767} - first_exchange_mpi_tag + 1;
    crowded = is_crowded(comm);
    yields = mpi_yields_when_idle();
    listen();
}

// The communicator of a transport that was not closed is not freed. MPI_Comm_free is collective: MPI may wait in
// it for the other processes. After a failure, or when the program exits early, nobody knows whether they make the
// call, too.
MpiWorld::~MpiWorld() {
    if (!mpi_runs())
        return;
    stop_listening();
    end_flights();
}

void MpiWorld::end_flights() noexcept {
    try {
        if (poll())
            return;
    } catch (...) {
    }
    new (std::nothrow) std::list<MpiFlight>(std::move(flights));
    flights.clear();
}

// Once MPI_Finalize has begun, callbacks of the program may still call MPI, and the library.
void MpiWorld::refuse_unless_open() const {
    if (closed.load(std::memory_order_relaxed))
        fail(DRI_ERR_STATE, "the transport is closed");
    if (!mpi_runs())
        fail(DRI_ERR_STATE, "MPI has been finalised");
}

std::vector<int> MpiWorld::nodes() const {
    MPI_Comm node = make_node_comm(comm);
    int lowest = rank;
    const int code = MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    check_mpi(code, "MPI_Allreduce");
    std::vector<int> of_rank(static_cast<size_t>(size));
    check_mpi(MPI_Allgather(&lowest, 1, MPI_INT, of_rank.data(), 1, MPI_INT, comm), "MPI_Allgather");
    return of_rank;
}

// One receive for notices from any process is always posted. Polling therefore costs one test, however many
// processes there are.
void MpiWorld::listen() {
    check_mpi(MPI_Irecv(&posted_notice, sizeof posted_notice, MPI_BYTE, MPI_ANY_SOURCE, notice_mpi_tag, comm,
                        &notice_request),
              "MPI_Irecv");
}

void MpiWorld::stop_listening() noexcept {
    std::lock_guard lock(listening);
    if (notice_request == MPI_REQUEST_NULL)
        return;
    MPI_Cancel(&notice_request);
    MPI_Wait(&notice_request, MPI_STATUS_IGNORE);
}

void MpiWorld::receive_notices() {
    std::unique_lock lock(listening, std::try_to_lock);
    // If another thread holds the lock, it polls for all threads.
    while (lock && notice_request != MPI_REQUEST_NULL) {
        int come = 0;
        MPI_Status status;
        check_mpi(MPI_Test(&notice_request, &come, &status), "MPI_Test");
        if (!come)
            return count_look_in_vain();
        take_notice(status);
    }
}

void MpiWorld::look_for_notices(Look look) {
    if (look == Look::full)
        return receive_notices();
    if (const auto *const sent = presence_->notices()) {
        if (sent->load(std::memory_order_acquire) != notices_taken_.load(std::memory_order_relaxed))
            receive_notices();
        return;
    }
    std::unique_lock lock(listening, std::try_to_lock);
    while (lock && notice_request != MPI_REQUEST_NULL) {
        // A send to nobody is complete. An MPI that finds one complete request looks for no others elsewhere: the
        // test then costs a few loads, and yields nothing.
        std::array<MPI_Request, 2> both{MPI_REQUEST_NULL, notice_request};
        std::array<int, 2> which{};
        std::array<MPI_Status, 2> statuses;
        int done = 0;
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, both.data()), "MPI_Isend");
        const int code = MPI_Testsome(2, both.data(), &done, which.data(), statuses.data());
        notice_request = both[1]; // also if the notice has failed
        check_mpi(code, "MPI_Testsome");
        const auto last = which.begin() + std::clamp(done, 0, 2), notice = std::find(which.begin(), last, 1);
        if (notice == last)
            return;
        take_notice(statuses[static_cast<size_t>(notice - which.begin())]);
    }
}

void MpiWorld::take_notice(const MPI_Status &status) {
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    const auto length = static_cast<size_t>(std::max<int64_t>(bytes - int64_t{sizeof(Notice)}, 0));
    const PostedNotice come_in = posted_notice;
    listen(); // first: what follows may fail
    if (come_in.notice.is_counted)
        notices_taken_.fetch_add(1, std::memory_order_relaxed);
    receive_notice(status.MPI_SOURCE, come_in.notice, {come_in.text.data(), length});
}

void MpiWorld::receive_notice(int peer, const Notice &received, std::string_view text) {
    if (received.tag == question_tag)
        announce({&peer, 1}, {.tag = answer_tag, .frames = received.frames}, presence_->shown());
    else if (received.tag == answer_tag)
        presence_->take_answer(peer, received.frames, std::string(text));
    else
        note_departure(peer, received);
}

void MpiWorld::note_departure(int peer, const Notice &received) {
    std::lock_guard lock(mutex);
    for (const auto &[exchange, listener] : exchanges)
        if (listener.tag == received.tag)
            listener.departures->note(peer, received);
}

// The sends are left to the world, so that this process need not wait for its peers. A notice to this process
// itself is delivered directly. Of the others some are counted: those processes look until they have them. A
// notice of DRI_init is not, because the board is not there yet.
void MpiWorld::announce(std::span<const int> peers, const Notice &announced, std::string_view text) {
    if (closed || !mpi_runs())
        return;
    std::list<MpiFlight> flight(1);
    MpiFlight &mine = flight.front();
    for (const int32_t is_counted : {0, 1}) {
        Notice notice = announced;
        notice.is_counted = is_counted;
        const auto bytes = std::as_bytes(std::span(&notice, 1)), more = std::as_bytes(std::span(text));
        mine.bytes.insert(mine.bytes.end(), bytes.begin(), bytes.end());
        mine.bytes.insert(mine.bytes.end(), more.begin(), more.end());
    }
    const size_t length = mine.bytes.size() / 2;
    mine.requests.assign(peers.size(), MPI_REQUEST_NULL);
    int code = MPI_SUCCESS;
    for (size_t i = 0; i < peers.size() && code == MPI_SUCCESS; ++i) {
        if (peers[i] == rank)
            note_departure(rank, announced);
        else {
            const bool is_counted = presence_->count_notice(peers[i]);
            code = MPI_Isend(mine.bytes.data() + (is_counted ? length : 0), static_cast<int>(length), MPI_BYTE,
                             peers[i], notice_mpi_tag, comm, &mine.requests[i]);
            if (code != MPI_SUCCESS && is_counted)
                presence_->uncount_notice(peers[i]); // otherwise that process would look for it for ever
        }
    }
    {
        std::lock_guard lock(mutex);
        flights.splice(flights.end(), flight);
    }
    check_mpi(code, "MPI_Isend");
}

void MpiWorld::ask(int peer) {
    if (closed || !mpi_runs() || peer == rank)
        return;
    const int64_t number = presence_->expect_answer(peer);
    land(); // earlier questions and answers
    announce({&peer, 1}, {.tag = question_tag, .frames = number}, {});
}

// A full look lets messages arrive meanwhile. But if MPI yields, a look in vain would take the core from a process
// that has something to send, or to receive at once. Flights that are under way are looked at all the same.
bool MpiWorld::poll() {
    if (!mpi_runs())
        return false;
    look_for_notices(yields ? Look::cheap : Look::full);
    return land();
}

bool MpiWorld::land() {
    std::lock_guard lock(mutex);
    std::erase_if(flights, [](MpiFlight &flight) { return landed(flight); });
    return flights.empty();
}

} // namespace dri::transport
