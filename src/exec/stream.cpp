// How a stream is closed, and what follows if processes disagree about its end.
#include "exec/call_guard.hpp"
#include "flow/call.hpp"
#include "transport/departures.hpp"

namespace dri::exec {

// If processes of the source disagree about the end, the source breaks its transfer. The sinks of this process
// then take no more frames, so other sources that go on must not wait for them.
void LocalTransfer::break_with(const Error &error) {
    broken_ = error.what();
    if (error.code() != DRI_ERR_MISMATCH || !parts_.source)
        return;
    if (!parts_.ledgers.source->left())
        wait_.observe_ends();
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

// Does not wait. The close moves like a frame: later calls or the progress thread take the steps that are not
// possible now.
void LocalTransfer::close_source() {
    CallGuard guard(*this);
    guard.check_whole();
    guard.check([&] { wait_.admit({flow::Act::close, source_endpoint()}); });
    flow::SourceLedger &source = *parts_.ledgers.source;
    source.close();
    if (parts_.source->shared)
        parts_.source->shared->leave(source.inserted().count, transport::Leave::complete);
    guard.run([&] {
        engine_.begin_moves();
        engine_.run_steps();
    });
}

} // namespace dri::exec
