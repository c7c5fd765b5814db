// Endpoints are destroyed, one by one or all at the end of the session.
#include "commit/session.hpp"

#include "exec/parting.hpp"
#include "model/group.hpp"
#include "transport/collective.hpp"

namespace dri::commit {

// Destroying a committed endpoint may wait for other processes, so it happens without a lock. A source that takes
// back waits a moment for the pullers that have begun a frame.
void Session::destroy(const std::shared_ptr<Endpoint> &endpoint, exec::Parting parting) {
    constexpr std::chrono::milliseconds moment{100};
    if (const auto &companion = endpoint->declaration().companion; companion && !companion->is_destroyed())
        destroy(companion, parting);
    if (!endpoints_.begin_destroying(endpoint))
        return;
    endpoint->destroy(parting == exec::Parting::takes_back ? transport::Clock::now() + moment : deadline(),
                      parting);
    forget(endpoint);
}

void Session::forget(const std::shared_ptr<Endpoint> &endpoint) {
    if (endpoints_.remove(endpoint))
        running_->remove(endpoint->transfer());
}

// Sinks are destroyed first: the last frame of a source may wait for a sink of this process. Sources wait for half
// the time that other processes wait for this one.
transport::Outcome Session::destroy_all() {
    const EndpointList leaving = endpoints_.begin_leaving();
    const transport::Deadline until = transport::Clock::now() + set_up_time_ / 2;
    transport::Outcome outcome;
    for (const Role role : {Role::sink, Role::source})
        for (const auto &endpoint : leaving)
            if (endpoint->declaration().role == role && leaves(*endpoint, until, outcome))
                endpoints_.end_leaving(endpoint);
    running_->clear(); // not before: a source that waits also moves what others still send
    return outcome;
}

// A source that other processes have not read in time is given up: the session ends, and the warning in the log
// names such a process. Any other failure leaves the transfer broken, and a broken endpoint can be destroyed at
// the second try, unless another thread uses it.
bool Session::leaves(Endpoint &endpoint, transport::Deadline until, transport::Outcome &outcome) noexcept {
    transport::Outcome failure;
    const auto run = [&](auto steps) {
        failure = {};
        try {
            steps();
        } catch (...) {
            failure = {DRI_ERR_MEMORY, "out of memory", rank()}; // so short that it needs no allocation
            try {
                const Error error = current_error();
                log_->warn("close: {}", error.what());
                failure = {error.code(), error.what(), rank()};
            } catch (...) {
            }
        }
        return failure.code;
    };
    const auto destroy = [&] {
        if (!endpoint.is_destroyed())
            endpoint.destroy(until);
    };
    const DRI_Code code = run(destroy);
    if (code == DRI_ERR_TIMEOUT)
        run([&] { endpoint.transfer()->break_off(); });
    else if (code != DRI_SUCCESS)
        run(destroy);
    endpoint.let_thread_go();
    const bool gone = failure.code == DRI_SUCCESS;
    if (!gone && outcome.code == DRI_SUCCESS)
        outcome = std::move(failure);
    return gone;
}

// While a thread of any process is in a call of an endpoint, the transport stays open: that call uses its memory.
// If this call is repeated, the others may have closed their transports meanwhile, and no longer take part in a
// step.
void Session::close(const std::function<void()> &started) {
    const model::Group everybody = world();
    Party party = party_of("DRI_finalize", everybody);
    const transport::Deadline until = deadline();
    started();
    const transport::Outcome mine = destroy_all();
    party.patience = until - transport::Clock::now();
    const auto is_closed = [&] { return mine.code == DRI_SUCCESS && transport_->finish_close(); };
    if (is_closed())
        return;
    try {
        agree_or_fail(party, mine);
    } catch (...) {
        if (is_closed())
            return;
        throw;
    }
    transport_->close(deadline());
}

} // namespace dri::commit
