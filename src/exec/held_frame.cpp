// The frames that a caller holds are the last ones that it has extracted.
#include "exec/held_frame.hpp"

#include "flow/ledger.hpp"
#include "flow/refusal.hpp"

namespace dri::exec {

HeldFrame held_frame(const LocalTransfer &transfer, size_t flow) {
    const flow::SinkLedger &ledger = *transfer.ledgers().flows[flow].sink;
    if (!ledger.holds_frame())
        flow::refuse({.reason = flow::Reason::no_frame_held}, {transfer.name(), transfer.ledgers().rank});
    const int64_t frame = ledger.extracted().count - 1;
    const SinkEnd &sink = transfer.sink(flow);
    return {sink.buffer(frame), sink.header(frame), frame};
}

} // namespace dri::exec
