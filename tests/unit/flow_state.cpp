// The identity of a state, and its text.
#include "flow_state.hpp"

namespace dri::flow::test {

namespace {

void put(std::string &key, int64_t value) { key.push_back(static_cast<char>(value + 1)); }
void put(std::string &key, const Queue &queue) {
    put(key, queue.size);
    for (int8_t i = 0; i < queue.size; ++i)
        put(key, queue.items[at(i)]);
}
void put(std::string &key, const Ledgers &l) {
    if (l.source) {
        const SourceLedger &s = *l.source;
        put(key, s.inserted().count), put(key, s.acquired().count), put(key, s.posted().count);
        put(key, s.posting() | s.closed() << 1 | s.started() << 2 | s.left() << 3);
    }
    for (const FlowLedger &flow : l.flows) {
        if (flow.sink) {
            const SinkLedger &s = *flow.sink;
            put(key, s.extracted().count), put(key, s.released().count), put(key, s.whole().count);
            put(key, s.copied_strips()), put(key, s.closed_after().count);
            put(key, s.moving() | s.wanted() << 1 | s.started() << 2 | s.left() << 3);
            put(key, s.header_arrived() | s.over() << 1);
        }
        put(key, flow.drop.decided().count), put(key, flow.drop.kept().count);
        put(key, flow.drop.undecided() | flow.drop.closing() << 1 | flow.drop.closed_before().has_value() << 2);
    }
}

} // namespace

std::string key_of(const State &state) {
    std::string key;
    for (const Process &p : state.processes) {
        put(key, p.ledgers);
        put(key, p.waits | p.broken << 1 | p.waiting.source << 2 | p.waiting.all_sinks << 3 |
                     p.waiting.started_only << 4);
        put(key, p.waits ? static_cast<int64_t>(p.waiting.sink & 7) : 0);
        for (const int8_t c : p.content)
            put(key, c);
        for (size_t k = 0; k < p.ledgers.flows.size(); ++k) {
            put(key, p.to_send[k]);
            put(key, p.header_to_send[k] | p.verdict_to_send[k] << 1 | p.unsent_close[k] << 2);
            const Store &store = p.stores[k];
            if (!p.ledgers.flows[k].sink)
                continue;
            for (const auto &array : store.content)
                for (const auto &part : array)
                    for (const int8_t c : part)
                        put(key, c);
            for (const int8_t g : store.got)
                put(key, g);
            put(key, store.extracted), put(key, store.released), put(key, store.last_number);
            put(key, store.in_use | store.header << 1 | store.at_end << 2);
        }
    }
    for (const auto &of_source : state.messages)
        for (const auto &of_flow : of_source)
            for (const Queue &queue : of_flow)
                put(key, queue);
    for (const auto &of_flow : state.headers)
        for (const Queue &queue : of_flow)
            put(key, queue);
    for (const auto &of_flow : state.verdicts)
        for (const Queue &queue : of_flow)
            put(key, queue);
    for (const auto &of_flow : state.credits)
        for (const int8_t credit : of_flow)
            put(key, credit);
    for (const auto &of_flow : state.kept)
        for (const int8_t number : of_flow)
            put(key, number);
    return key;
}

std::string text_of(const State &state) {
    std::string text;
    for (size_t p = 0; p < state.processes.size(); ++p) {
        const Process &process = state.processes[p];
        text += fmt::format("process {}{}{}:", p, process.waits ? " waits" : "", process.broken ? " broken" : "");
        if (process.waits)
            text += fmt::format(" for{}{}", process.waiting.source ? " source" : "",
                                process.waiting.all_sinks ? " all sinks"
                                : process.waiting.sink != CallEndpoints::no_sink
                                    ? fmt::format(" sink {}", process.waiting.sink)
                                    : "");
        if (const auto &s = process.ledgers.source)
            text += fmt::format(" inserted {} acquired {} posted {}{}{}", s->inserted().count, s->acquired().count,
                                s->posted().count, s->closed() ? " closed" : "", s->left() ? " left" : "");
        for (const FlowLedger &flow : process.ledgers.flows)
            if (flow.sink)
                text += fmt::format(" extracted {} released {} whole {}{}{}{}", flow.sink->extracted().count,
                                    flow.sink->released().count, flow.sink->whole().count,
                                    flow.sink->moving() ? " moving" : "", flow.sink->over() ? " over" : "",
                                    flow.sink->left() ? " left" : "");
        text += "; ";
    }
    return text;
}
} // namespace dri::flow::test
