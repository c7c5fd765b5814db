#include "api/forked.hpp"

#include "api/called.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>

namespace dri {

namespace {

std::atomic<int> uses = 0; // a child has the parent's number

// A word that is set where the library has been in use, and never in a child of that process. The system wipes it
// there, also where it calls no handler of forks: in children that _Fork() and clone() make. Where the system
// cannot, as before Linux 4.14, the handler does.
using Mark = std::atomic<int>;
Mark plain_mark = 0;

Mark *make_mark() {
    void *const page = mmap(nullptr, sizeof(Mark), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return &plain_mark;
    madvise(page, sizeof(Mark), MADV_WIPEONFORK);
    return new (page) Mark(plain_mark.load());
}

Mark *mark = &plain_mark;

// In the child, which has one thread now. Another one of the parent may have any of the locks.
void on_fork() noexcept {
    mark->store(0);
    renew_state_locks();
    renew_called_lock();
    renew_handler_lock();
}

// When the library is loaded: a fork while another thread starts it comes too early for anything later.
int watch_forks() {
    mark = make_mark();
    return pthread_atfork(nullptr, nullptr, on_fork);
}

const int watch_code = watch_forks();

} // namespace

InUse::InUse() {
    require_parent();
    if (watch_code != 0)
        fail(DRI_ERR_MEMORY, "the system has no memory to tell of forks");
    mark->store(1); // before the library is in use: other threads may ask meanwhile
    ++uses;
}

InUse::~InUse() { --uses; }

bool is_forked() noexcept { return mark->load(std::memory_order_relaxed) == 0 && uses.load() != 0; }

void require_parent() {
    if (is_forked())
        fail(DRI_ERR_STATE, "this process was forked from one in which the library is in use, and has neither "
                            "its threads nor MPI: only the parent may call the library");
}

} // namespace dri
