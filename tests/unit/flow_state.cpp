// The identity of a state, and its text.
#include "flow_state.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dri::flow::test {

namespace {

// Collects the bytes of a state.
class StateBytes {
public:
    void put(int64_t value) { bytes_[size_++] = static_cast<uint8_t>(value + 1); }
    void put(const Fingerprint &key) {
        std::memcpy(bytes_.data() + size_, &key, sizeof key);
        size_ += sizeof key;
    }
    void put(const Queue &queue) {
        put(queue.size);
        for (int8_t i = 0; i < queue.size; ++i)
            put(queue.items[at(i)]);
    }

    Fingerprint fingerprint() {
        while (size_ % 8 != 0)
            put(-1);
        Fingerprint key{0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
        for (size_t i = 0; i < size_; i += 8) {
            uint64_t word = 0;
            std::memcpy(&word, bytes_.data() + i, 8);
            key = {mixed(key.low ^ word, 0xa0761d6478bd642fu), mixed(key.high ^ word, 0xe7037ed1a0b428dbu)};
        }
        key = {mixed(key.low, key.high ^ size_), mixed(key.high, 0x8ebc6af09c88c6e3u) ^ key.low};
        key.low |= 1;
        return key;
    }

private:
    std::array<uint8_t, 1024> bytes_; // far more than three processes need
    size_t size_ = 0;

    // A bijection of the value for each odd factor.
    static uint64_t mixed(uint64_t value, uint64_t factor) {
        value = (value ^ value >> 32) * (factor | 1);
        return value ^ value >> 29;
    }
};

// A source that has left is known by the frames that it posted.
void put(StateBytes &key, const SourceLedger &s) {
    key.put(s.inserted().count), key.put(s.posted().count);
    key.put(s.closed() << 1 | s.left() << 3 | (s.left() ? 0 : s.posting() | s.started() << 2));
    key.put(s.left() ? 0 : s.acquired().count);
}

// A sink that has left is known by the frames that it took.
void put(StateBytes &key, const SinkLedger &s, const Store &store) {
    const int64_t flags = s.left() << 1 | s.over() << 2 | store.at_end << 3;
    key.put(s.extracted().count);
    if (s.left()) {
        key.put(flags);
        if (s.over() || store.at_end)
            key.put(s.whole().count), key.put(s.closed_after().count);
        return;
    }
    key.put(flags | s.moving() << 4 | s.wanted() << 5 | s.started() << 6);
    key.put(s.header_arrived() | store.in_use << 1 | store.header << 2);
    key.put(s.released().count), key.put(s.whole().count), key.put(s.copied_strips()),
        key.put(s.closed_after().count);
    key.put(store.extracted), key.put(store.released), key.put(store.last_number);
    for (const int8_t g : store.got)
        key.put(g);
}

// What the caller has still to extract.
void put_content(StateBytes &key, const Job &job, const SinkSide &side, const SinkLedger &s, const Store &store) {
    for (int64_t array = s.next_array().count; array <= s.whole().count; ++array)
        for (size_t source = 0; source < job.sources.size(); ++source) {
            const int64_t strips = array < s.whole().count ? job.strips : store.got[source];
            for (int64_t strip = 0; strip < strips; ++strip)
                key.put(store.content[at(array % side.buffers)][source][at(strip)]);
        }
}

void put(StateBytes &key, const PeerLedger &peers) {
    for (const auto &fact : {peers.sender_left, peers.receivers_left, peers.receiver_at_end, peers.slot_holder})
        if (fact)
            key.put(fact->frames.count), key.put(fact->peer << 1 | fact->ended);
        else
            key.put(-1);
}

void put(StateBytes &key, const Job &job, const Process &p) {
    const Ledgers &l = p.ledgers;
    key.put(p.waits | p.broken << 1 | p.through << 2 | p.leaves << 3);
    if (p.waits)
        key.put(p.waiting.source | p.waiting.all_sinks << 1 | p.waiting.started_only << 2 |
                (p.waiting.sink & 7) << 3);
    if (l.source) {
        put(key, *l.source);
        for (int64_t i = 0; i < job.buffers; ++i) // the buffers that the caller held are lost
            key.put(l.source->left() && p.content[at(i)] >= l.source->inserted().count ? garbage
                                                                                       : p.content[at(i)]);
    }
    for (size_t k = 0; k < l.flows.size(); ++k) {
        const FlowLedger &flow = l.flows[k];
        if (flow.sink) {
            put(key, *flow.sink, p.stores[k]);
            if (!flow.sink->left())
                put_content(key, job, job.sinks[k], *flow.sink, p.stores[k]);
        }
        key.put(p.to_send[k]);
        key.put(p.header_to_send[k] | flow.drop.undecided() << 1 | flow.drop.closing() << 2 |
                flow.drop.closed_before().has_value() << 3);
        key.put(flow.drop.decided().count), key.put(flow.drop.kept().count);
        if (job.old_facts)
            put(key, flow.peers);
    }
    if (job.in_place)
        for (const auto &buffer : p.shared)
            for (const int8_t c : buffer)
                key.put(c);
}

// Which frames a side drops, from the first one that one of its processes has still to extract.
void put_kept(StateBytes &key, const State &state, size_t side) {
    int64_t first = std::ssize(state.kept[side]);
    for (const Process &p : state.processes)
        if (const auto &sink = p.ledgers.flows[side].sink; sink && !sink->left())
            first = std::min(first, sink->next_array().count);
    for (int64_t array = first; array < std::ssize(state.kept[side]); ++array)
        key.put(state.kept[side][at(array)]);
}

} // namespace

Fingerprint fingerprint_of(const Job &job, const Process &process) {
    StateBytes key;
    put(key, job, process);
    return key.fingerprint();
}

Fingerprint fingerprint_of(const Job &job, const State &state) {
    StateBytes key;
    for (size_t p = 0; p < state.processes.size(); ++p)
        key.put(state.prints[p]);
    for (size_t k = 0; k < job.sinks.size(); ++k) {
        for (const int q : job.sinks[k].group) {
            for (size_t s = 0; s < job.sources.size(); ++s)
                key.put(state.messages[s][k][at(q)]);
            key.put(state.headers[k][at(q)]);
            if (job.sinks[k].drops && !state.processes[at(q)].ledgers.flows[k].sink->left())
                key.put(state.credits[k][at(q)]);
        }
        if (!job.sinks[k].drops)
            continue;
        for (const Queue &queue : state.verdicts[k])
            key.put(queue);
        put_kept(key, state, k);
    }
    return key.fingerprint();
}

bool Seen::insert(const Fingerprint &key) {
    if (2 * size_ >= table_.size()) {
        const std::vector<Fingerprint> before = std::exchange(table_, std::vector<Fingerprint>(2 * table_.size()));
        size_ = 0;
        for (const Fingerprint &old : before)
            if (old != Fingerprint{})
                insert(old);
    }
    const size_t mask = table_.size() - 1;
    for (size_t i = key.high & mask;; i = (i + 1) & mask) {
        if (table_[i] == key)
            return false;
        if (table_[i] == Fingerprint{}) {
            table_[i] = key;
            ++size_;
            return true;
        }
    }
}

std::string text_of(const State &state) {
    std::string text;
    for (size_t p = 0; p < state.processes.size(); ++p) {
        const Process &process = state.processes[p];
        text += fmt::format("process {}{}{}:", p, process.waits ? " waits" : "", process.broken ? " broken" : "");
        if (process.leaves)
            text += " to leave";
        else if (process.waits)
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
