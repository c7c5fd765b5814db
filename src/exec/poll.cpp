// Steps that are taken for a transfer outside its own calls: by the progress thread or by calls of other
// transfers.
#include "exec/transfer.hpp"
#include "flow/call.hpp"

namespace dri::exec {

bool LocalTransfer::step() noexcept { return poll(1, LooksFor::steps).stepped; }

// A look at messages that still have to leave also moves them on.
bool LocalTransfer::progress() noexcept { return poll(SIZE_MAX, LooksFor::sends_too).stepped; }

PollResult LocalTransfer::poll_step() noexcept { return poll(1, LooksFor::sends_too); }

// Takes steps only if no call uses the transfer, and stops as soon as a caller waits. A caller therefore waits for
// one step at most.
PollResult LocalTransfer::poll(size_t max_steps, LooksFor what) noexcept {
    PollResult result;
    if (const TransferUse::Help help = use_.take_for_help(); help != TransferUse::Help::taken) {
        result.in_use = help == TransferUse::Help::in_use;
        return result;
    }
    try {
        if (!breakage_.any()) {
            engine_.begin_moves();
            for (size_t steps = 0; steps < max_steps && engine_.take_step(); ++steps) {
                result.stepped = true;
                if (use_.is_awaited())
                    break;
            }
            if (what == LooksFor::sends_too && !result.stepped)
                result.under_way =
                    (parts_.source && parts_.ledgers.source->posting()) || !engine_.sends_done(Receivers::all);
        }
    } catch (...) {
        note_failure();
    }
    use_.leave();
    return result;
}

} // namespace dri::exec
