// What a caller wants: a call for some endpoints of its process. And the answer: it goes on, waits or is refused.
#pragma once

#include "flow/ledger.hpp"
#include "flow/refusal.hpp"

#include <limits>

namespace dri::flow {

// The endpoints of a process that a call is for: the source, one sink, or all existing ones.
struct CallEndpoints { // small enough for a register
    static constexpr uint32_t no_sink = std::numeric_limits<uint32_t>::max();

    bool source = false;
    bool all_sinks = false;
    bool started_only = false; // only sinks whose frame is started
    uint32_t sink = no_sink;   // the flow of the one sink

    static constexpr CallEndpoints of_sink(size_t flow) { return {.sink = static_cast<uint32_t>(flow)}; }
    static CallEndpoints all(const Ledgers &ledgers) {
        return {.source = ledgers.source.has_value(), .all_sinks = true};
    }
    bool includes(const FlowLedger &flow) const { // its sink
        return flow.has_sink() && (all_sinks || sink == flow.number) && (!started_only || flow.sink->started());
    }
    bool includes_any_sink(const Ledgers &ledgers) const;
    bool includes_any(const Ledgers &ledgers) const { return source || includes_any_sink(ledgers); }
};

// A frame has two halves at each endpoint. At a source, the first half inserts a frame and the second acquires the
// next buffer. At a sink, the first half releases the oldest buffer and the second extracts the next frame.
enum class Act : uint8_t {
    insert,  // the source's first half
    release, // a sink's first half
    start,   // the first halves of all endpoints, before wait
    finish,  // second halves alone: acquire, extract, wait
    attempt, // the same if no wait is needed: otherwise they stay to be done
    test,    // looks whether the second halves can be done
    execute, // both halves; endpoints that are started do the second half only
    close,   // ends the stream
    leave,   // destroys the source
};

struct Call {
    Act act = Act::execute;
    CallEndpoints endpoints;
};

// A call goes on, waits, or is refused. A refused call has changed nothing.
struct Ruling {
    enum Kind : uint8_t { go, wait, refused };
    Kind kind = go;
    Refused refusal{}; // present if it is refused

    static Ruling of(const Refused &refusal) {
        return refusal ? Ruling{.kind = refused, .refusal = refusal} : Ruling{};
    }
    bool is_refused() const { return kind == refused; }
    // The same for a call that does not wait: what only its caller could bring about is not there yet.
    Ruling without_wait() const {
        return is_refused() && code_of(refusal->reason) == DRI_ERR_DEADLOCK ? Ruling{.kind = wait} : *this;
    }
};

// The endpoints of `asked` that still exist. If all are asked: without a closed source, unless it is the only one.
// Inline and by value, because every frame asks: a value that is written to memory in parts and copied whole
// stalls.
inline CallEndpoints existing(const Ledgers &l, CallEndpoints asked) {
    if (asked.all_sinks && asked.source &&
        (l.source->left() || (l.source->closed() && asked.includes_any_sink(l)))) // almost never
        asked.source = false;
    return asked;
}
// Those that are started, too.
CallEndpoints started(const Ledgers &ledgers, CallEndpoints asked);

} // namespace dri::flow
