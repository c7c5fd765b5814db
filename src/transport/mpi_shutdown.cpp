// Hooks into MPI_Finalize through an attribute of MPI_COMM_SELF.
#include "transport/mpi_shutdown.hpp"

#include "transport/mpi_check.hpp"

#include <utility>

namespace dri::transport {

namespace {

// `last` is emptied first, so that it is called once. Returns whether it succeeded: no exception may pass through
// MPI's own functions.
bool call_once(std::function<void()> &last) noexcept {
    try {
        if (const auto call = std::exchange(last, nullptr))
            call();
        return true;
    } catch (...) {
        return false;
    }
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF before it does anything else, and calls this function. If a
// thread cannot be stopped, MPI may not end below it.
int on_delete(MPI_Comm, int, void *last, void *) noexcept {
    return call_once(*static_cast<std::function<void()> *>(last)) ? MPI_SUCCESS : MPI_ERR_OTHER;
}

} // namespace

MpiShutdown::MpiShutdown(std::function<void()> last) : last_(std::move(last)), keyval_(MPI_KEYVAL_INVALID) {
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval_, nullptr),
              "MPI_Comm_create_keyval");
    const int code = MPI_Comm_set_attr(MPI_COMM_SELF, keyval_, &last_);
    if (code != MPI_SUCCESS)
        MPI_Comm_free_keyval(&keyval_);
    check_mpi(code, "MPI_Comm_set_attr");
}

MpiShutdown::~MpiShutdown() {
    if (!mpi_runs())
        return;
    call_once(last_); // not inside MPI, which would keep the attribute after a failure
    MPI_Comm_delete_attr(MPI_COMM_SELF, keyval_);
    MPI_Comm_free_keyval(&keyval_);
}

} // namespace dri::transport
