// Detects that this process is a forked child of one that uses the library.
#include "api/forked.hpp"

#include "api/called.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>

namespace dri::api {

namespace {

std::atomic<int> uses = 0; // number of InUse objects; a child inherits the parent's number

// A word that is 1 in a process that has used the library, and 0 in its forked children. It lies in a page that
// the system wipes in a child (MADV_WIPEONFORK). That includes children of _Fork() and clone(), for which no fork
// handler runs. Before Linux 4.14 the system cannot do so; then the fork handler clears the word.
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

// Runs in the child, which has only one thread. Another thread of the parent may have held any of the locks at the
// fork.
void on_fork() noexcept {
    mark->store(0);
    renew_state_locks();
    renew_called_lock();
    renew_handler_lock();
}

// Runs when the library is loaded. Later would be too late: another thread may fork while DRI_init runs.
int watch_forks() {
    mark = make_mark();
    return pthread_atfork(nullptr, nullptr, on_fork);
}

const int watch_code = watch_forks();

} // namespace

InUse::InUse() {
    require_parent();
    if (watch_code != 0)
        fail(DRI_ERR_MEMORY, "no memory to register a fork handler");
    mark->store(1); // before `uses` is raised, because other threads may call is_forked() meanwhile
    ++uses;
}

InUse::~InUse() { --uses; }

bool is_forked() noexcept { return mark->load(std::memory_order_relaxed) == 0 && uses.load() != 0; }

void require_parent() {
    if (is_forked())
        fail(DRI_ERR_STATE, "this process was forked from one that uses the library, and has neither its "
                            "threads nor MPI: only the parent may call the library");
}

} // namespace dri::api
