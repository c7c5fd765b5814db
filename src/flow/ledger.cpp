// The transitions of the counters, and the numbers that follow from several of them.
#include "flow/ledger.hpp"

#include <algorithm>

namespace dri::flow {

// The close replaces the second half of a started frame: nobody needs a further buffer.
void SourceLedger::close() {
    closed_ = true;
    started_ = false;
}

void SourceLedger::leave() {
    left_ = true;
    posting_ = false;
}

// A header shows how many frames were dropped before its frame: those for this sink minus the sink's own.
void SinkLedger::take_header(SourceFrames number, FlowFrames before, bool closes) {
    dropped_.publish(before.count - whole_);
    closed_after_ = number;
    over_ = closes;
    header_arrived_ = !closes;
}

void SinkLedger::leave() {
    left_ = true;
    moving_ = header_arrived_ = false;
}

void DropLedger::keep() {
    ++decided_;
    undecided_ = false;
}

void DropLedger::drop() {
    ++decided_;
    dropped_.publish(dropped_ + 1);
    undecided_ = false;
}

void DropLedger::drop_after_close(const Departed &first) {
    closed_before_ = first;
    drop();
}

SourceFrames FlowLedger::handed_over(const SourceLedger &source) const {
    return terms.drops ? SourceFrames{drop.kept().count} : source.inserted();
}

void FlowLedger::take_header(SourceFrames frame, bool closes) {
    sink->take_header(frame, terms.pattern.arrays_in(frame), closes);
}

SourceFrames FlowLedger::frames_at_end() const {
    return terms.drops ? SourceFrames{sink->whole().count} : sink->closed_after();
}

int64_t FlowLedger::number_of(SinkFrames frame) const {
    if (!terms.pattern.skips() || terms.drops)
        return frame.count;
    const FlowFrames array = sink_strips().array_of(frame);
    return terms.pattern.first(array).count * sink_strips().count.number() +
           (frame - sink_strips().of_sink(array));
}

// A source that sends to other processes waits for their sinks. Frames of those sinks may in turn need sinks of
// this process to go on, even ones that take nothing from this source.
Ledgers::Ledgers(std::optional<SourceLedger> of_source, std::vector<FlowLedger> all, int of_rank, bool shares)
    : source(std::move(of_source)), flows(std::move(all)), rank(of_rank), in_place(shares) {
    const bool waits = std::any_of(flows.begin(), flows.end(), [](const FlowLedger &flow) {
        return !flow.terms.drops && flow.terms.has_outflow;
    });
    size_t number = 0;
    for (FlowLedger &flow : flows) {
        flow.number = number++;
        drops = drops || flow.terms.drops;
        flow.terms.binds = source && flow.sink && !flow.terms.drops &&
                           (flow.terms.has_own_part || (waits && flow.terms.has_inflow));
    }
}

// A sink reaches the end after the frames of the source's first process, and its departure reports that. With
// drops, the first process itself reports the end to the other processes of the source.
std::optional<Departed> Ledgers::known_close() const {
    for (const FlowLedger &flow : flows) {
        const int first = flow.terms.first_source;
        if (flow.drop.closed_before())
            return flow.drop.closed_before();
        if (flow.terms.drops)
            continue;
        if (flow.sink && flow.sink->over())
            return Departed{first, flow.sink->closed_after(), false};
        if (flow.peers.receiver_at_end)
            return Departed{first, flow.peers.receiver_at_end->frames, false};
    }
    return std::nullopt;
}

} // namespace dri::flow
