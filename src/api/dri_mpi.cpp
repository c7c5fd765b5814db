// The calls of dri_mpi.h. This file has all of the interface that needs MPI, also what starts and ends the
// library.
#include "api/start.hpp"
#include "api/state.hpp"
#include "model/group.hpp"
#include "transport/mpi_transport.hpp"

#include <dri/dri_mpi.h>

#include <mutex>

namespace dri::api {

namespace {

// Set while MPI is running that DRI_init has started. Only calls that start or end the library use it.
std::unique_ptr<const InUse> own_mpi;
std::mutex world_mutex;                 // guards world_group
MPI_Group world_group = MPI_GROUP_NULL; // a copy, because the user may free the communicator it is from

void check(int code, const char *what) {
    if (code != MPI_SUCCESS)
        fail(DRI_ERR_TRANSPORT, "{} failed with MPI code {}", what, code);
}

bool mpi_is(int (*query)(int *)) {
    int flag = 0;
    check(query(&flag), "the query of the state of MPI");
    return flag != 0;
}

void require_stopped() {
    if (session_runs())
        fail(DRI_ERR_STATE, "the library is running already");
}

void require_mpi() {
    if (!mpi_is(MPI_Initialized))
        fail(DRI_ERR_STATE, "MPI is not running yet: call MPI_Init first, or start the library with DRI_init");
    if (mpi_is(MPI_Finalized))
        fail(DRI_ERR_STATE, "MPI has been finalised");
}

// While this object exists, MPI returns errors for invalid handles. Without it such an error would end the job.
class ErrorsReturn {
public:
    explicit ErrorsReturn(MPI_Comm comm) : comm_(comm) {
        check(MPI_Comm_get_errhandler(comm, &before_), "MPI_Comm_get_errhandler");
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    ~ErrorsReturn() {
        MPI_Comm_set_errhandler(comm_, before_);
        MPI_Errhandler_free(&before_);
    }
    ErrorsReturn(const ErrorsReturn &) = delete;
    ErrorsReturn &operator=(const ErrorsReturn &) = delete;

private:
    MPI_Comm comm_;
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

void require_intracomm(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL)
        fail(DRI_ERR_ARG, "the communicator is MPI_COMM_NULL");
    // An invalid handle has no error handler of its own. Depending on its version, MPI uses that of MPI_COMM_WORLD
    // or of MPI_COMM_SELF.
    const ErrorsReturn world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
    int inter = 0;
    if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        fail(DRI_ERR_ARG, "the handle is not a valid communicator");
    if (inter)
        fail(DRI_ERR_ARG, "the communicator is an intercommunicator");
}

// Starts MPI. DRI_finalize then ends it.
void start_mpi(int *argc, char ***argv) {
    auto use = std::make_unique<const InUse>();
    int given = 0;
    check(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &given), "MPI_Init_thread");
    own_mpi = std::move(use);
}

void finish_mpi() {
    if (!mpi_is(MPI_Finalized))
        check(MPI_Finalize(), "MPI_Finalize");
    own_mpi.reset();
}

void set_world_group(MPI_Group group) {
    const std::lock_guard lock(world_mutex);
    if (world_group != MPI_GROUP_NULL && !mpi_is(MPI_Finalized))
        MPI_Group_free(&world_group);
    world_group = group;
}

// The group is there before the session, which other threads may use at once.
void open_on(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm, &group), "MPI_Comm_group");
    set_world_group(group);
    try {
        open_session([comm] { return transport::make_mpi_transport(comm); });
    } catch (...) {
        set_world_group(MPI_GROUP_NULL);
        throw;
    }
}

// The ranks in the world of a communicator's processes, in its order. Fails if a process is not in the world.
std::vector<int> world_ranks(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    check(MPI_Comm_group(comm, &group), "MPI_Comm_group");
    int n = 0;
    check(MPI_Group_size(group, &n), "MPI_Group_size");
    std::vector<int> own(static_cast<size_t>(n)), ranks(own);
    for (int i = 0; i < n; ++i)
        own[static_cast<size_t>(i)] = i;
    {
        const std::lock_guard lock(world_mutex);
        if (world_group == MPI_GROUP_NULL)
            fail(DRI_ERR_STATE, "another thread of this process has ended the library");
        check(MPI_Group_translate_ranks(group, n, own.data(), world_group, ranks.data()),
              "MPI_Group_translate_ranks");
    }
    MPI_Group_free(&group);
    for (int i = 0; i < n; ++i)
        if (ranks[static_cast<size_t>(i)] == MPI_UNDEFINED)
            fail(DRI_ERR_ARG, "process {} of the communicator is not in the world", i);
    return ranks;
}

} // namespace

void start(int *argc, char ***argv) {
    require_stopped();
    if (!mpi_is(MPI_Initialized))
        start_mpi(argc, argv);
    require_mpi();
    open_on(MPI_COMM_WORLD);
}

void start_on_fortran_comm(int comm) {
    require_stopped();
    require_mpi();
    const MPI_Comm world = MPI_Comm_f2c(static_cast<MPI_Fint>(comm));
    try {
        require_intracomm(world);
    } catch (const Error &error) {
        fail(error.code(), "comm is {}: {}", comm, error.what());
    }
    open_on(world);
}

// If DRI_init started MPI and then failed, there is no session, and only MPI is ended.
void finish() {
    const bool mpi_ended = mpi_is(MPI_Finalized);
    const bool only_mpi = own_mpi && !session_runs() && !mpi_ended;
    if (!only_mpi)
        close_session(!mpi_ended);
    set_world_group(MPI_GROUP_NULL);
    if (own_mpi)
        finish_mpi();
}

} // namespace dri::api

extern "C" {

int DRI_init_comm(MPI_Comm world) {
    return dri::api::start_or_finish("DRI_init_comm", [&] {
        dri::api::require_stopped();
        dri::api::require_mpi();
        dri::api::require_intracomm(world);
        dri::api::open_on(world);
    });
}

int DRI_group_from_comm(MPI_Comm comm, DRI_Group *group) {
    return dri::api::guard("DRI_group_from_comm", [&] {
        DRI_Group &out = dri::api::null_handle(group, "group");
        const auto session = dri::api::session();
        dri::api::require_mpi();
        dri::api::require_intracomm(comm);
        out =
            dri::api::make_handle<DRI_Group>(dri::model::make_group(dri::api::world_ranks(comm), session->size()));
    });
}
}
