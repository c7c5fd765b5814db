// Starting and ending the library, without MPI's types.
#pragma once

#include "api/forked.hpp"
#include "api/guard.hpp"

#include <utility>

namespace dri::api {

// A call that starts or ends the library. There is one at a time: the constructor fails with DRI_ERR_STATE, and
// names the other call, while another thread is in one.
class StartOrEnd {
public:
    explicit StartOrEnd(const char *call);
    ~StartOrEnd();
    StartOrEnd(const StartOrEnd &) = delete;
    StartOrEnd &operator=(const StartOrEnd &) = delete;
};

// Fails with DRI_ERR_STATE if a thread is in such a call, and names that call.
void require_no_start_or_end();

// Runs a call that starts or ends the library. The library is in use during the whole call, even while it only
// checks its state: a child that is forked meanwhile may not even query the state of MPI.
template <class F> int start_or_finish(const char *call, F &&steps) noexcept {
    return guard(call, [&] {
        const InUse use;
        const StartOrEnd alone(call);
        std::forward<F>(steps)();
    });
}

// The steps of DRI_init, DRI_init_fcomm and DRI_finalize.
void start(int *argc, char ***argv);
void start_on_fortran_comm(int comm);
void finish();

} // namespace dri::api
