// Endpoints are destroyed.
#include "exec/call_guard.hpp"
#include "flow/call.hpp"
#include "transport/departures.hpp"

#include <algorithm>

namespace dri::exec {

// Checks what can fail before anything is marked: a frame for this process's own sink would be lost, messages
// cannot leave, or pullers still read buffers that the user has or keeps. Then all peers are notified and the
// memory is freed.
void LocalTransfer::destroy_source(transport::Deadline until, Parting parting) {
    CallGuard guard(*this);
    const LongWait::Call watched(wait_.long_wait(),
                                 parting == Parting::takes_back ? "DRI_xfer_abandon" : "DRI_xfer_destroy");
    flow::SourceLedger &source = *parts_.ledgers.source;
    const bool is_read_in_place = parts_.source->is_read_in_place();
    if (parting == Parting::takes_back) {
        breakage_.forget_failure();
        if (!breakage_.any())
            breakage_.set("abandoned");
        if (is_read_in_place)
            wait_.spare_readers(until);
    } else if (guard.report_failure(); !breakage_.any()) {
        wait_.admit({flow::Act::leave, {}});
        guard.run([&] {
            wait_.send_all(until);
            wait_.check_close();
            if (is_read_in_place)
                wait_.wait_for_readers(until);
        });
    } else if (is_read_in_place) {
        wait_.pause_for_readers(until);
    }
    wait_.facts().observe({});
    source.leave();
    const auto close = parts_.ledgers.known_close();
    const auto is_through = [&](flow::SourceFrames frames) { return close && close->frames <= frames; };
    if (const auto &shared = parts_.source->shared) {
        const flow::SourceFrames inserted = source.inserted(),
                                 pulled = parting == Parting::takes_back ? std::min(inserted, {shared->withdraw()})
                                                                         : inserted;
        shared->leave(pulled.count,
                      transport::complete_if(pulled == inserted && (source.closed() || is_through(pulled))));
    }
    parts_.source->shared.reset();
    for (Flow &flow : parts_.flows)
        engine_.leave_source(flow, transport::complete_if(is_through(source.posted())));
    parts_.source->owned.reset();
}

// Nothing is waited for: frames under way to a destroyed sink are discarded.
void LocalTransfer::destroy_sink(size_t i) {
    CallGuard guard(*this);
    guard.report_failure();
    Flow &flow = parts_.flows[i];
    flow.ledger->sink->leave();
    flow.link.leave_sink(flow.ledger->sink->next_array().count);
    flow.drop.leave_sink();
    flow.sink->owned.reset();
}

void LocalTransfer::break_off() {
    const CallGuard guard(*this);
    breakage_.set("abandoned");
}

// Reports how many frames were posted to one sink side. If a frame failed, these are fewer than were handed over,
// and the end of the stream is not reported: a sink must not wait for messages that are never posted. A process
// that leaves after the first process's close has handed over all frames that exist.
void Engine::leave_source(Flow &flow, transport::Leave how) {
    const flow::SourceLedger &source = *parts_.ledgers.source;
    int64_t posted = source.posted_frames().count;
    if (flow.drop.drops()) // the verdict on the frame under way may exist already
        posted = flow.ledger->drop.kept().count -
                 (source.posted() < source.inserted() && flow.link.left(Of::source) ? 1 : 0);
    flow.link.leave_source(posted, source.has_posted_close() ? transport::Leave::complete : how);
    flow.drop.leave_source(flow.ledger->drop, flow.ledger->drop.closing()
                                                  ? source.inserted()
                                                  : flow.pattern().first(flow.ledger->drop.decided()));
    flow.ledger->peers = {}; // what was known of the sink's processes
}

} // namespace dri::exec
