// The words by which processes agree on dropped frames: credits from the sink, verdicts to the source.
#include "exec/drop_control.hpp"

#include "base/checked.hpp"

namespace dri::exec {

namespace {

constexpr int64_t word_bytes = sizeof(int64_t);
// One slot per frame under way, and one for a credit that has not arrived yet when the next one is sent.
constexpr int64_t credit_slots = flow::frames_under_way + 1;

bool receives_verdicts(const DropPeers &peers) { return peers.drops && peers.in_source && !peers.decides(); }

} // namespace

int64_t DropLayout::bytes(Of of) const {
    if (of == Of::sink)
        return credits_sent.bytes();
    int64_t bytes = checked_add(verdicts_sent.bytes(), verdicts_received.bytes());
    for (const MessageLayout &credits : credits_received)
        bytes = checked_add(bytes, credits.bytes());
    return bytes;
}

DropLayout drop_layout(const DropPeers &peers) {
    DropLayout layout;
    if (!peers.drops)
        return layout;
    layout.drops = true;
    layout.first = peers.first;
    for (const int receiver : peers.receivers)
        layout.credits_received.push_back(control_receives(receiver, word_bytes));
    layout.verdicts_sent = control_sends(peers.others, word_bytes, peers.depth);
    if (receives_verdicts(peers))
        layout.verdicts_received = control_receives(peers.first, word_bytes);
    if (peers.in_sink)
        layout.credits_sent = control_sends({peers.first}, word_bytes, credit_slots);
    return layout;
}

DropControl::DropControl(const DropLayout &layout, transport::Transport &transport, int64_t tag)
    : drops_(layout.drops), first_(layout.first) {
    const int64_t verdict_tag = tag + 1;
    for (const MessageLayout &credits : layout.credits_received) {
        receivers_.push_back({ControlReceiver(credits, transport, tag), {}});
        receivers_.back().credits.expect();
    }
    verdicts_ = ControlSender(layout.verdicts_sent, transport, verdict_tag);
    if (layout.verdicts_received.exchanges > 0) {
        verdict_ = ControlReceiver(layout.verdicts_received, transport, verdict_tag);
        verdict_.expect();
    }
    credits_ = ControlSender(layout.credits_sent, transport, tag);
}

// A frame is kept if every process of the sink has capacity for it.
flow::DropVerdict DropControl::ask_receivers(flow::FlowFrames kept) {
    auto decision = flow::DropVerdict::keep;
    for (Receiver &receiver : receivers_) {
        for (int64_t word = 0; receiver.credits.take(&word); receiver.taken = receiver.taken + 1)
            receiver.credits.expect();
        const bool left = receiver.credits.left(receiver.taken.count).has_value();
        if (flow::decide(kept, receiver.taken, left) == flow::DropVerdict::drop)
            decision = flow::DropVerdict::drop;
    }
    return decision;
}

// False while the slot for this verdict holds an earlier one.
bool DropControl::send_verdict(flow::FlowFrames frame, flow::DropVerdict decision) {
    const int64_t word = decision == flow::DropVerdict::keep;
    return !verdicts_.any() || verdicts_.send(frame.count, &word);
}

// The close is never dropped and needs no verdict. A frame counts as decided only when its verdict is sent or
// received; until then the next call tries again. If the first process has left without a verdict, the frame is
// dropped. If it has closed the stream, this process has one frame too many.
std::optional<flow::DropVerdict> DropControl::decide(flow::DropLedger &ledger, flow::SourceFrames frame) {
    if (ledger.closing()) {
        // No process may wait for further verdicts, or for a process that takes them.
        verdicts_.leave(frame.count, transport::Leave::complete);
        verdict_.leave(frame.count);
        ledger.send_close();
        return flow::DropVerdict::keep;
    }
    auto decision = flow::DropVerdict::drop;
    int64_t word = 0;
    if (ledger.decides()) {
        decision = ask_receivers(ledger.kept());
        if (!send_verdict(ledger.decided(), decision))
            return std::nullopt;
    } else if (verdict_.take(&word)) {
        verdict_.expect();
        decision = word != 0 ? flow::DropVerdict::keep : flow::DropVerdict::drop;
    } else if (const auto left = verdict_.left(frame.count); !left) {
        return std::nullopt;
    } else if (left->complete()) {
        ledger.drop_after_close({left->peer, {left->frames}, true});
        return decision;
    }
    decision == flow::DropVerdict::keep ? ledger.keep() : ledger.drop();
    return decision;
}

void DropControl::leave_source(flow::DropLedger &ledger, flow::SourceFrames frames) {
    if (!ledger.closing() || ledger.undecided()) { // otherwise decide() has notified them
        verdicts_.leave(frames.count, transport::complete_if(ledger.closing()));
        verdict_.leave(frames.count);
    }
    for (Receiver &receiver : receivers_)
        receiver.credits.leave(receiver.taken.count);
    ledger.leave();
    verdicts_.clear();
    receivers_.clear();
    verdict_.clear();
}

// The first process decides by what it knows, so a credit leaves at once if it has a slot.
void DropControl::count_received() {
    if (!drops_)
        return;
    ++taken_;
    send_credit();
}

bool DropControl::send_credit() {
    if (!has_to_send_credit())
        return false;
    if (!credits_.takes_any()) {
        credited_ = taken_; // nobody is left to receive it
        return true;
    }
    if (!credits_.send(credited_, &credited_))
        return false;
    ++credited_;
    return true;
}

void DropControl::leave_sink() {
    credits_.leave(taken_);
    credits_.clear();
    credited_ = taken_;
}

} // namespace dri::exec
