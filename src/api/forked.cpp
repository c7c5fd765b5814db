#include "api/forked.hpp"

#include "api/called.hpp"

#include <pthread.h>

#include <atomic>

namespace dri {

namespace {

std::atomic<bool> forked = false;

// In the child, which has one thread now.
void on_fork() noexcept {
    renew_state_locks();
    renew_called_lock();
    renew_handler_lock();
    if (!abandon_session())
        return;
    abandon_called();
    forked = true;
}

} // namespace

void watch_forks() {
    static const int code = pthread_atfork(nullptr, nullptr, on_fork);
    if (code != 0)
        fail(DRI_ERR_MEMORY, "the system has no memory to tell of forks");
}

bool is_forked() noexcept { return forked.load(std::memory_order_relaxed); }

void require_parent() {
    if (is_forked())
        fail(DRI_ERR_STATE, "this process was forked from one in which the library runs, and has neither "
                            "its threads nor MPI: only the parent may call the library");
}

} // namespace dri
