// Which thread uses a transfer.
#pragma once

#include <sched.h>

#include <atomic>

namespace dri::exec {

// A lock that one thread holds: a caller, for a call of the transfer, or a helper, which takes steps outside the
// calls. A caller waits for a helper, at most one step, and for nobody else.
class TransferUse {
public:
    // Returns false if another call uses the transfer.
    bool take_for_call() {
        int user = nobody;
        if (!user_.compare_exchange_strong(user, caller, std::memory_order_acquire) && user == helper)
            user = wait_for_helper();
        return user != caller;
    }
    // taken: by this helper. in_use: a call uses it or waits to use it. helped: another helper uses it.
    enum class Help { taken, in_use, helped };
    Help take_for_help() {
        int user = nobody;
        if (is_awaited() || !user_.compare_exchange_strong(user, helper, std::memory_order_acquire))
            return user == helper ? Help::helped : Help::in_use;
        return Help::taken;
    }
    // Whether a caller waits for a helper to finish its step.
    bool is_awaited() const { return waiting_.load(std::memory_order_relaxed) > 0; }
    void leave() { user_.store(nobody, std::memory_order_release); }

private:
    enum User : int { nobody, caller, helper };

    // Waits until this call has the transfer, or another call has it. Returns nobody, or caller if another call
    // took it first.
    int wait_for_helper() {
        int user = helper;
        for (waiting_.fetch_add(1, std::memory_order_relaxed); user == helper;) {
            sched_yield();
            user = nobody;
            user_.compare_exchange_strong(user, caller, std::memory_order_acquire);
        }
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        return user;
    }

    std::atomic<int> user_ = nobody;
    std::atomic<int> waiting_ = 0; // callers that wait for a helper
};

} // namespace dri::exec
