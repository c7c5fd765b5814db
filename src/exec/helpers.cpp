// The steps that are taken for a transfer while its caller does something else.
#include "exec/transfer.hpp"

namespace dri {

bool Transfer::step() noexcept { return help(1); }

bool Transfer::progress() noexcept { return help(SIZE_MAX); }

// A caller that comes meanwhile waits for one step at most.
bool Transfer::help(size_t most) noexcept {
    int user = nobody;
    if (waiting_.load(std::memory_order_relaxed) > 0 ||
        !user_.compare_exchange_strong(user, helper, std::memory_order_acquire))
        return false;
    size_t steps = 0;
    try {
        if (broken_.empty()) {
            begin_moves();
            while (steps < most && take_step()) {
                ++steps;
                if (waiting_.load(std::memory_order_relaxed) > 0)
                    break;
            }
        }
    } catch (const std::exception &e) {
        broken_ = e.what();
    }
    user_.store(nobody, std::memory_order_release);
    return steps > 0;
}

} // namespace dri
