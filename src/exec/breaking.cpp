// How a transfer breaks, and what other processes learn of it.
#include "base/error.hpp"
#include "exec/transfer.hpp"

#include <new>

namespace dri::exec {

// If processes of the source disagree about the end, the source breaks its transfer. The sinks of this process
// then take no more frames, so other sources that go on must not wait for them.
void LocalTransfer::break_with(const Error &error) {
    breakage_.set(error.what());
    if (error.code() != DRI_ERR_MISMATCH || !parts_.source)
        return;
    if (!parts_.ledgers.source->left())
        wait_.facts().observe_ends();
    const auto closed = parts_.ledgers.known_close();
    for (Flow &flow : parts_.flows) {
        const auto &sink = flow.ledger->sink;
        if (!closed || !sink || sink->left() || flow.drop.drops() || sink->over())
            continue;
        try {
            flow.link.report_end_of_stream(closed->frames.count);
        } catch (const std::exception &) { // a peer without this report learns it when the sink is destroyed
        }
    }
}

// No caller is present to receive the error, so it is kept for the next call. Its text may need memory that is
// missing.
void LocalTransfer::note_failure() noexcept {
    breakage_.keep_failure();
    try {
        break_with(current_error());
    } catch (const std::bad_alloc &) {
        breakage_.set("no memory");
    }
}

} // namespace dri::exec
