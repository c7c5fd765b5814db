// The steps that are taken for a transfer while its caller does something else.
#include "base/error.hpp"
#include "exec/transfer.hpp"

namespace dri {

// Nobody has called who could be told. There may be no memory for the story.
void Transfer::note_failure() noexcept {
    untold_ = std::current_exception();
    try {
        break_with(current_error());
    } catch (const std::bad_alloc &) {
        broken_ = "no memory"; // short enough to need none
    }
}

bool Transfer::step() noexcept { return help(1, false).stepped; }

bool Transfer::progress() noexcept { return help(SIZE_MAX, false).stepped; }

Helped Transfer::tend() noexcept { return help(1, true); }

// A caller that comes meanwhile waits for one step at most.
Helped Transfer::help(size_t most, bool asks_for_sends) noexcept {
    Helped helped;
    int user = nobody;
    if (waiting_.load(std::memory_order_relaxed) > 0 ||
        !user_.compare_exchange_strong(user, helper, std::memory_order_acquire)) {
        helped.in_use = user != helper;
        return helped;
    }
    try {
        if (broken_.empty()) {
            begin_moves();
            for (size_t steps = 0; steps < most && take_step(); ++steps) {
                helped.stepped = true;
                if (waiting_.load(std::memory_order_relaxed) > 0)
                    break;
            }
            if (asks_for_sends && !helped.stepped)
                helped.under_way = (source_ && source_->moving) || !sends_done(true);
        }
    } catch (...) {
        note_failure();
    }
    user_.store(nobody, std::memory_order_release);
    return helped;
}

bool Transfer::leaves_steps(const EndSet &ends) const {
    if (!traits_.threads)
        return false;
    bool leaves = ends.source && source_->has_thread;
    for (const Flow &flow : flows_)
        leaves = leaves || (ends.takes(flow) && flow.sink->has_thread);
    return leaves;
}

} // namespace dri
