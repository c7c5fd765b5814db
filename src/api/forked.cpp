// Detects that this process is a forked child of one that uses the library.
#include "api/forked.hpp"

#include "api/generation.hpp"
#include "base/error.hpp"

#include <pthread.h>

#include <atomic>

namespace dri::api {

namespace {

std::atomic<int> uses = 0; // number of InUse objects; a child inherits the parent's number
std::atomic<bool> forked = false;

// Runs in the child, which has only one thread.
void on_fork() noexcept {
    forked.store(uses.load() != 0);
    start_generation();
}

// Registered when the library is loaded. Later would be too late: another thread may fork while DRI_init runs.
const int watch_code = pthread_atfork(nullptr, nullptr, on_fork);

} // namespace

InUse::InUse() {
    require_parent();
    if (watch_code != 0)
        fail(DRI_ERR_MEMORY, "no memory to register a fork handler");
    ++uses;
}

InUse::~InUse() { --uses; }

bool is_forked() noexcept { return forked.load(std::memory_order_relaxed); }

void require_parent() {
    if (is_forked())
        fail(DRI_ERR_STATE, "this process was forked from one that uses the library, and has neither its "
                            "threads nor MPI: only the parent may call the library");
}

} // namespace dri::api
