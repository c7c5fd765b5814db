// How a stream is closed.
#include "exec/call_guard.hpp"
#include "flow/call.hpp"
#include "transport/departures.hpp"

namespace dri::exec {

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
