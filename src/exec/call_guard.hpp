// Holds a transfer for one call, and decides which failures of the call break it.
#pragma once

#include "base/error.hpp"
#include "exec/transfer.hpp"
#include "flow/refusal.hpp"

#include <exception>
#include <string_view>

namespace dri::exec {

class LocalTransfer::CallGuard {
public:
    // Takes the transfer for the calling thread. Waits at most one step if a helper uses it; refuses if another
    // caller does.
    explicit CallGuard(LocalTransfer &transfer) : transfer_(transfer) {
        if (!transfer.use_.take_for_call())
            refuse(flow::Reason::in_use);
        transfer.wait_.meter().begin_frame();
    }
    ~CallGuard() { transfer_.use_.leave(); }
    CallGuard(const CallGuard &) = delete;
    CallGuard &operator=(const CallGuard &) = delete;

    // Throws, once, what a helper found, as if this call had found it.
    void report_failure() { transfer_.breakage_.report_failure(); }
    void check_whole() {
        report_failure();
        if (transfer_.breakage_.any())
            refuse(flow::Reason::broken, transfer_.breakage_.cause());
    }

    // Runs the tests that precede a call; they change nothing. Only one failure breaks the transfer: processes of
    // the source disagree about the end of the stream, so no later call can succeed.
    template <class F> void check(F needs) {
        try {
            needs();
        } catch (const Error &e) {
            if (e.code() == DRI_ERR_MISMATCH)
                transfer_.break_with(e);
            throw;
        }
    }

    // Runs steps that cannot be undone, so a failure breaks the transfer. Three codes do not: after a timeout or a
    // deadlock the next call continues where this one stopped, and the end of a stream is not a failure.
    template <class F> void run(F steps) {
        try {
            steps();
        } catch (const Error &e) {
            if (e.code() != DRI_ERR_TIMEOUT && e.code() != DRI_ERR_DEADLOCK && e.code() != DRI_END_OF_STREAM)
                transfer_.break_with(e);
            throw;
        } catch (const std::exception &e) {
            transfer_.breakage_.set(e.what());
            throw;
        }
    }

private:
    // Out of line, because every call has these two looks.
    [[noreturn, gnu::cold, gnu::noinline]] void refuse(flow::Reason reason, std::string_view cause = {}) const {
        flow::refuse({.reason = reason}, transfer_.parts_.caller(), {.one = cause});
    }

    LocalTransfer &transfer_;
};

} // namespace dri::exec
