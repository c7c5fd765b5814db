// One call's hold of a transfer.
#pragma once

#include "base/error.hpp"
#include "exec/transfer.hpp"

#include <sched.h>

namespace dri {

class Transfer::Turn {
public:
    explicit Turn(Transfer &transfer) : transfer_(transfer) {
        for (int user = nobody; !transfer.user_.compare_exchange_weak(user, caller, std::memory_order_acquire);
             user = nobody) {
            if (user == caller)
                fail(DRI_ERR_STATE, "transfer '{}' is in use by another thread", transfer.name_);
            if (user == helper)
                sched_yield();
        }
        transfer.waits_.begin_frame();
    }
    ~Turn() { transfer_.user_.store(nobody, std::memory_order_release); }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

    void check_whole() const {
        if (!transfer_.broken_.empty())
            fail(DRI_ERR_STATE, "transfer '{}' is broken: {}", transfer_.name_, transfer_.broken_);
    }

    // Runs the steps that cannot be taken back; after a time-out they go on where they were. The end
    // of a stream is no failure.
    template <class F> void run(F steps) {
        try {
            steps();
        } catch (const Error &e) {
            if (e.code() != DRI_ERR_TIMEOUT && e.code() != DRI_END_OF_STREAM)
                transfer_.broken_ = e.what();
            throw;
        } catch (const std::exception &e) {
            transfer_.broken_ = e.what();
            throw;
        }
    }

private:
    Transfer &transfer_;
};

} // namespace dri
