// The objects of the library in this process: handle tables and the session.
#include "api/state.hpp"

#include "api/forked.hpp"
#include "api/generation.hpp"

#include <mutex>

namespace dri::api {

namespace {

// What lasts between calls.
struct State {
    HandleTables tables;
    std::mutex session_mutex;
    std::shared_ptr<commit::Session> session; // guarded by session_mutex
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
    explicit SessionInUse(const std::function<std::unique_ptr<transport::Transport>()> &make_transport)
        : session(make_transport()) {}
};

void set_session(std::shared_ptr<commit::Session> session) {
    set_rank(session ? session->rank() : no_rank);
    const std::lock_guard lock(kept.state->session_mutex);
    kept.state->session.swap(session);
}

} // namespace

HandleTables &handle_tables() { return kept.state->tables; }

std::shared_ptr<commit::Session> session() {
    require_parent();
    const std::lock_guard lock(kept.state->session_mutex);
    if (!kept.state->session)
        fail(DRI_ERR_STATE,
             "the library is not running: this call must come after DRI_init and before DRI_finalize");
    return kept.state->session;
}

bool session_runs() {
    if (is_forked())
        return false;
    const std::lock_guard lock(kept.state->session_mutex);
    return kept.state->session != nullptr;
}

void open_session(const std::function<std::unique_ptr<transport::Transport>()> &make_transport) {
    if (session_runs())
        fail(DRI_ERR_STATE, "the library is running already");
    const auto opened = std::make_shared<SessionInUse>(make_transport);
    set_session(std::shared_ptr<commit::Session>(opened, &opened->session));
}

// The session is removed before anything is destroyed, so that calls of other threads fail from then on.
void close_session() {
    const std::shared_ptr<commit::Session> closing = session();
    try {
        closing->close([] {
            set_session(nullptr);
            handle_tables().clear();
            start_generation();
        });
    } catch (const Error &error) {
        // Missing processes, and those in another call, may still come. The session stays, so that DRI_finalize
        // can be called again.
        if (error.code() == DRI_ERR_TIMEOUT || error.code() == DRI_ERR_MISMATCH)
            set_session(closing);
        throw;
    }
}

} // namespace dri::api
