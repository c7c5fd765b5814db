// The objects of the library in this process: handle tables and the session.
#include "api/state.hpp"

#include "api/forked.hpp"
#include "api/generation.hpp"
#include "api/start.hpp"
#include "base/at_end.hpp"

#include <atomic>
#include <mutex>

namespace dri::api {

namespace {

// What lasts between calls.
struct State {
    HandleTables tables;
    const std::shared_ptr<transport::UserMemory> user_memory = std::make_shared<transport::UserMemory>();
    std::mutex session_mutex;
    std::shared_ptr<commit::Session> session; // guarded by session_mutex
    std::atomic<bool> runs{false};            // whether there is a session, for questions that need no more
};

// The state is deleted when the process exits, which ends the library's threads. A forked child keeps it: to end a
// session would wait for threads that the child does not have.
struct KeptState {
    State *const state = new State;
    ~KeptState() {
        if (!is_forked())
            delete state;
    }
} kept;

// A session, during which the library is in use: from before it is made until the last call that uses it has
// released it.
struct SessionInUse {
    const InUse use;
    commit::Session session;
    SessionInUse(const std::function<std::unique_ptr<transport::Transport>()> &make_transport,
                 std::shared_ptr<const transport::UserMemory> user_memory)
        : session(make_transport(), std::move(user_memory)) {}
};

void set_session(std::shared_ptr<commit::Session> session) {
    set_rank(session ? session->rank() : no_rank);
    const std::lock_guard lock(kept.state->session_mutex);
    kept.state->session.swap(session);
    kept.state->runs.store(kept.state->session != nullptr, std::memory_order_release);
}

[[noreturn]] void fail_not_running() {
    fail(DRI_ERR_STATE, "the library is not running: this call must come after DRI_init and before DRI_finalize");
}

} // namespace

HandleTables &handle_tables() { return kept.state->tables; }

transport::UserMemory &user_memory() { return *kept.state->user_memory; }

std::shared_ptr<commit::Session> running_session() {
    const std::lock_guard lock(kept.state->session_mutex);
    return kept.state->session;
}

std::shared_ptr<commit::Session> session() {
    require_parent();
    if (auto running = running_session())
        return running;
    require_no_start_or_end();
    fail_not_running();
}

void require_session() {
    if (!session_runs())
        static_cast<void>(session()); // which fails as it must
}

bool session_runs() { return !is_forked() && kept.state->runs.load(std::memory_order_acquire); }

void open_session(const std::function<std::unique_ptr<transport::Transport>()> &make_transport) {
    if (session_runs())
        fail(DRI_ERR_STATE, "the library is running already");
    const auto opened = std::make_shared<SessionInUse>(make_transport, kept.state->user_memory);
    set_session(std::shared_ptr<commit::Session>(opened, &opened->session));
}

// The session is removed before anything is destroyed, so that calls of other threads fail from then on. After a
// failure it is back: a missing process, and one in another call, may still come, and a thread may leave its call.
void close_session(bool mpi_runs) {
    const std::shared_ptr<commit::Session> closing = running_session();
    if (!closing)
        fail_not_running();
    try {
        closing->close([] {
            set_session(nullptr);
            handle_tables().clear();
            start_generation();
        });
    } catch (const Error &error) {
        if (mpi_runs && error.code() != DRI_ERR_TRANSPORT)
            set_session(closing);
        else
            run_at_end();
        throw;
    } catch (...) {
        set_session(closing);
        throw;
    }
    run_at_end(); // now, because endpoints use the memory of arrays until they are destroyed
}

} // namespace dri::api
