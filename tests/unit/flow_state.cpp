// The identity of a state, and its text.
#include "flow_model.hpp"

#include <algorithm>
#include <cstring>

namespace dri::flow::test {

namespace {

// Collects the bytes of a state.
class StateBytes {
public:
    void put(int64_t value) { bytes_[size_++] = static_cast<uint8_t>(value + 1); }
    void put_print(Fingerprint key) {
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
        Fingerprint key = 0x9e3779b97f4a7c15u ^ size_;
        for (size_t i = 0; i < size_; i += 8) {
            uint64_t word = 0;
            std::memcpy(&word, bytes_.data() + i, 8);
            key = mixed(key ^ word);
        }
        return mixed(key) | 1;
    }

private:
    std::array<uint8_t, 1024> bytes_; // far more than three processes need
    size_t size_ = 0;

    // A bijection.
    static uint64_t mixed(uint64_t value) {
        value = (value ^ value >> 32) * 0xa0761d6478bd642fu;
        value = (value ^ value >> 29) * 0xe7037ed1a0b428dbu;
        return value ^ value >> 32;
    }
};

// What a process still does, so that values which nothing reads again can be left out. Where processes do not obey
// refusals, any value may be read again.
struct Activity {
    Activity(const Job &job, const Process &p)
        : is_exact(!job.ignored.empty() || job.in_place), is_broken(p.broken && !is_exact),
          has_source(p.ledgers.source && !p.ledgers.source->left() && !is_broken) {}

    // A broken process can only leave.
    bool has_sink(const FlowLedger &flow) const { return flow.has_sink() && !is_broken; }
    // A closed source acquires no buffer any more.
    bool acquires(const SourceLedger &s) const { return !s.left() && !is_broken && (is_exact || !s.closed()); }
    // At the end of the stream nothing arrives any more: it matters no longer which buffers are given back.
    bool receives(const SinkLedger &s) const { return is_exact || !s.over(); }

    bool is_exact, is_broken, has_source;
};

// A source that does no more is known by the frames that it posted.
void put(StateBytes &key, const SourceLedger &s, const Activity &does) {
    const bool has_left = s.left() || does.is_broken;
    key.put(s.inserted().count), key.put(s.posted().count);
    key.put(s.closed() << 1 | s.left() << 3 | (has_left ? 0 : s.posting() | s.started() << 2));
    key.put(does.acquires(s) ? s.acquired().count : 0);
}

// A sink that has left is known by the frames that it took; one of a broken process also by what it has not taken.
void put(StateBytes &key, const SinkLedger &s, const Store &store, const Activity &does) {
    const int64_t flags = s.left() << 1 | s.over() << 2 | store.at_end << 3;
    key.put(s.extracted().count);
    if (s.left() || does.is_broken) {
        key.put(flags);
        if (s.over() || store.at_end || !s.left())
            key.put(s.whole().count), key.put(s.closed_after().count);
        if (!s.left())
            for (const int8_t g : store.got)
                key.put(s.moving() ? g + 1 : 0);
        return;
    }
    key.put(flags | s.moving() << 4 | s.started() << 5 | (does.receives(s) ? s.wanted() << 6 : 0));
    key.put(s.whole().count), key.put(s.closed_after().count), key.put(store.last_number);
    if (!does.receives(s))
        return;
    key.put(s.header_arrived() | store.in_use << 1 | store.header << 2);
    key.put(s.released().count), key.put(s.copied_strips());
    key.put(store.extracted), key.put(store.released);
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

void put(StateBytes &key, const std::optional<Departed> &fact) {
    if (fact)
        key.put(fact->frames.count), key.put(fact->peer << 1 | fact->ended);
    else
        key.put(-1);
}

// Facts that are not looked at anew before they are used.
void put_facts(StateBytes &key, const FlowLedger &flow, const Activity &does) {
    if (does.is_exact || does.has_sink(flow))
        put(key, flow.peers.sender_left);
    if (does.is_exact || does.has_source)
        for (const auto &fact : {flow.peers.receivers_left, flow.peers.receiver_at_end, flow.peers.slot_holder})
            put(key, fact);
}

void put(StateBytes &key, const Job &job, const Process &p) {
    const Ledgers &l = p.ledgers;
    const Activity does(job, p);
    key.put(p.waits | p.broken << 1 | p.through << 2 | p.leaves << 3);
    if (p.waits)
        key.put(p.waiting.source | p.waiting.all_sinks << 1 | p.waiting.started_only << 2 |
                (p.waiting.sink & 7) << 3);
    if (l.source) {
        put(key, *l.source, does);
        for (int64_t i = 0; i < job.buffers && does.is_exact; ++i) // the buffers that the caller held are lost
            key.put(l.source->left() && p.content[at(i)] >= l.source->inserted().count ? garbage
                                                                                       : p.content[at(i)]);
    }
    for (size_t k = 0; k < l.flows.size(); ++k) {
        const FlowLedger &flow = l.flows[k];
        if (flow.sink) {
            put(key, *flow.sink, p.stores[k], does);
            if (flow.has_sink() && !does.is_broken)
                put_content(key, job, job.sinks[k], *flow.sink, p.stores[k]);
        }
        key.put(flow.drop.kept().count), key.put(flow.drop.closed_before().has_value());
        if (does.is_exact || does.has_source || does.has_sink(flow)) {
            key.put(p.to_send[k]), key.put(flow.drop.decided().count);
            key.put(p.header_to_send[k] | flow.drop.undecided() << 1 | flow.drop.closing() << 2);
        }
        if (job.old_facts)
            put_facts(key, flow, does);
    }
    if (job.in_place)
        for (const auto &buffer : p.shared)
            for (const int8_t c : buffer)
                key.put(c);
}

// What the buffers of a source hold of frames that somebody has still to take. As long as it acquires buffers,
// what they hold follows from how many those are.
void put_frames(StateBytes &key, const Model &model, const State &state, size_t s) {
    const Job &job = model.job();
    const int p = job.sources[s];
    const Process &process = state.processes[at(p)];
    const Activity does(job, process);
    const SourceLedger &source = *process.ledgers.source;
    if (does.is_exact || does.acquires(source))
        return;
    const SourceFrames end = source.inserted();
    SourceFrames first = end;
    for (size_t k = 0; k < job.sinks.size(); ++k)
        for (const int q : job.sinks[k].group) {
            if (!model.takes(k, q, p))
                continue;
            if (model.by_message(k, q, p))
                first = does.has_source ? std::min(first, source.posted()) : first;
            else if (!state.processes[at(q)].broken && !model.departed_sink(state, k, q))
                first = std::min(first, model.taken(state, k, q, s));
        }
    for (; first < end; first = first + 1)
        key.put(process.content[at(first.count % job.buffers)]);
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

Fingerprint fingerprint_of(const Model &model, const State &state) {
    const Job &job = model.job();
    StateBytes key;
    for (size_t p = 0; p < state.processes.size(); ++p)
        key.put_print(state.prints[p]);
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
        for (size_t s = 0; s < job.sources.size(); ++s)
            if (!job.ignored.empty() || !state.processes[at(job.sources[s])].ledgers.source->left())
                key.put(state.verdicts[k][s]);
        put_kept(key, state, k);
    }
    for (size_t s = 0; s < job.sources.size(); ++s)
        put_frames(key, model, state, s);
    return key.fingerprint();
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
