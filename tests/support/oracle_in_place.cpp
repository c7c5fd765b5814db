#include "oracle_in_place.hpp"

#include "case_data.hpp"
#include "dice.hpp"
#include "kernel/arranger.hpp"
#include "oracle_run.hpp"
#include "plain_runs.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace dri::test {

namespace {

size_t index(int64_t i) { return static_cast<size_t>(i); }

// A process with its one buffer. Only one receive at a time, in order, has memory. Sends use memory and return it
// in order.
struct ProcessState {
    plan::Plan plan;
    std::vector<std::byte> buffer;
    std::vector<std::vector<std::byte>> packed; // per send
    std::vector<bool> taken;                    // per send; whether the receiver has the message
    size_t next_send = 0, first_there = 0, next_receive = 0;
    bool arranged = false;
    bool holds = false; // a message was received, and may not yet be written
    std::vector<std::byte> held;
    size_t next_pull = 0, next_own = 0;
    std::vector<bool> read, changed; // bytes of the buffer that others read, and that the frame changes
    WriteCount writes{0};
};

// Where a byte lies in the buffer, and where it belongs.
struct ByteMove {
    size_t at = 0, target = 0;
};

void add_bytes(const plan::Piece &piece, size_t loop, int64_t at, int64_t &target, std::vector<ByteMove> &bytes) {
    if (loop < piece.loops.size()) {
        for (int64_t i = 0; i < piece.loops[loop].count; ++i)
            add_bytes(piece, loop + 1, at + i * piece.loops[loop].stride, target, bytes);
        return;
    }
    for (int64_t i = 0; i < piece.run_bytes; ++i)
        bytes.push_back({index(at + i), index(target++)});
}

// Each byte of the pieces. Fails if a byte belongs to two offsets, or an offset receives two bytes.
std::vector<ByteMove> bytes_of(const std::vector<plan::Piece> &pieces, size_t buffer_bytes) {
    std::vector<ByteMove> bytes;
    for (const plan::Piece &piece : pieces) {
        int64_t target = piece.offset;
        add_bytes(piece, 0, piece.first, target, bytes);
    }
    std::vector<bool> lies(buffer_bytes), belongs(buffer_bytes);
    for (const auto &[at, target] : bytes) {
        if (at >= buffer_bytes || target >= buffer_bytes || lies[at] || belongs[target])
            fault("the pieces use byte {} or offset {} of {} twice, or lie outside", at, target, buffer_bytes);
        lies[at] = belongs[target] = true;
    }
    return bytes;
}

planner::PlanOptions options_of(const TransferCase &c, Arranging arranging) {
    planner::PlanOptions options = c.options();
    options.in_place = true;
    options.compact = arranging == Arranging::yes;
    return options;
}

class InPlaceSimulation {
public:
    InPlaceSimulation(const TransferCase &c, uint64_t seed, bool heedless, Arranging arranging)
        : dice_(seed), data_(c) {
        const planner::PlanOptions options = options_of(c, arranging);
        const planner::NodeMap nodes = c.node_map();
        for (const int rank : data_.source().dist->group().ranks()) {
            ProcessState p;
            p.plan = planner::make_plan(data_.source(), data_.sink(), options, rank, nodes);
            check(p.plan);
            if (heedless)
                std::fill(p.plan.in_place->packed_before.begin(), p.plan.in_place->packed_before.end(), size_t{0});
            const int from = *data_.source().dist->group().position(rank), to = sink_position(rank);
            GuardedBuffer source = data_.new_source(from);
            p.buffer.resize(index(std::max(data_.source_bytes(from), data_.sink_bytes(to))));
            std::copy_n(source.data(), source.bytes(), p.buffer.begin());
            p.packed.resize(p.plan.sends.size());
            p.taken.resize(p.plan.sends.size());
            p.read.resize(p.buffer.size());
            p.changed.resize(p.buffer.size());
            p.writes = WriteCount(data_.sink_bytes(to));
            processes_.emplace(rank, std::move(p));
        }
    }

    void judge() {
        std::vector<int> ranks;
        for (const auto &[rank, p] : processes_)
            ranks.push_back(rank);
        for (bool any = true; any;) {
            any = false;
            dice_.shuffle(ranks);
            for (const int rank : ranks)
                any = step(processes_.at(rank)) || any;
        }
        for (auto &[rank, p] : processes_)
            finish(p);
        for (auto &[rank, p] : processes_)
            for (size_t i = 0; i < p.read.size(); ++i)
                if (p.read[i] && p.changed[i])
                    fault("rank {}: byte {} changes in a frame in which others read it", rank, i);
    }

private:
    int sink_position(int rank) const { return *data_.sink().dist->group().position(rank); }

    // In a halo exchange both sides have one distribution. Only there data move without messages.
    void check(const plan::Plan &plan) const {
        if (!plan.in_place)
            fault("rank {}: the plan is not in place", plan.rank);
        const bool same = data_.source().dist->id() == data_.sink().dist->id();
        if (!same && (!plan.pulls.empty() || !plan.pullers.empty()))
            fault("rank {}: others read data that this process overwrites", plan.rank);
        for (const plan::Message &m : plan.sends)
            if (std::any_of(plan.pullers.begin(), plan.pullers.end(),
                            [&](const plan::Puller &puller) { return puller.peer == m.peer; }))
                fault("rank {}: {} receives messages and reads", plan.rank, m.peer);
        const auto by_round = [](const plan::Message &a, const plan::Message &b) { return a.round < b.round; };
        if (!std::is_sorted(plan.sends.begin(), plan.sends.end(), by_round) ||
            !std::is_sorted(plan.receives.begin(), plan.receives.end(), by_round))
            fault("rank {}: rounds are not in order", plan.rank);
        for (const plan::StridedCopy &copy : plan.self) {
            auto stays = [&](int64_t src, int64_t dst, int64_t) {
                if (src != dst && !same)
                    fault("rank {}: {} moves bytes", plan.rank, plan::to_text(copy));
            };
            for_each_run(copy, 0, copy.src_offset, copy.dst_offset, stays);
        }
    }

    // The library reorders within the buffer. Here each byte is copied on its own, and bytes outside all pieces
    // are lost.
    void gather(ProcessState &p) {
        const std::vector<plan::Piece> &pieces = p.plan.in_place->before;
        if (std::exchange(p.arranged, true) || pieces.empty())
            return;
        std::vector<std::byte> ordered(p.buffer.size(), std::byte{0x5a});
        for (const auto &[at, target] : bytes_of(pieces, p.buffer.size()))
            ordered[target] = p.buffer[at];
        arrange(p, pieces, &kernel::Arranger::gather);
        compare(p, ordered, bytes_of(pieces, p.buffer.size()), &ByteMove::target);
        p.buffer = std::move(ordered);
    }

    void scatter(ProcessState &p) {
        const std::vector<plan::Piece> &pieces = p.plan.in_place->after;
        if (pieces.empty())
            return;
        const std::vector<ByteMove> bytes = bytes_of(pieces, p.buffer.size());
        std::vector<std::byte> ordered(p.buffer.size(), std::byte{0xa5});
        WriteCount writes(data_.sink_bytes(sink_position(p.plan.rank)));
        for (const auto &[at, target] : bytes) {
            ordered[at] = p.buffer[target];
            if (p.writes.written(static_cast<int64_t>(target)))
                writes.add({1, 0, static_cast<int64_t>(at), {}}, 1);
        }
        arrange(p, pieces, &kernel::Arranger::scatter);
        compare(p, ordered, bytes, &ByteMove::at);
        p.buffer = std::move(ordered);
        p.writes = std::move(writes);
    }

    void arrange(ProcessState &p, const std::vector<plan::Piece> &pieces,
                 void (kernel::Arranger::*way)(std::byte *, std::byte *)) {
        const int64_t block = dice_.range(1, 100);
        std::vector<std::byte> memory((pieces.size() + 1) * index(block));
        kernel::Arranger arranger(pieces, block);
        (arranger.*way)(p.buffer.data(), memory.data());
    }

    static void compare(const ProcessState &p, const std::vector<std::byte> &expected,
                        const std::vector<ByteMove> &bytes, size_t ByteMove::*where) {
        for (const ByteMove &byte : bytes)
            if (p.buffer[byte.*where] != expected[byte.*where])
                fault("rank {}: byte {} is not put in order", p.plan.rank, byte.*where);
    }

    // Reads what another process has, which may do so at any time of the frame.
    bool pull(ProcessState &p) {
        if (p.next_pull == p.plan.pulls.size())
            return false;
        const plan::Pull &pull = p.plan.pulls[p.next_pull++];
        ProcessState &peer = processes_.at(pull.peer);
        for (const plan::StridedCopy &copy : pull.copies) {
            auto read = [&](int64_t src, int64_t, int64_t n) { std::fill_n(peer.read.begin() + src, n, true); };
            for_each_run(copy, 0, copy.src_offset, copy.dst_offset, read);
            p.writes.add(copy, std::ssize(peer.buffer));
            change(p, copy);
            copy_plainly(copy, peer.buffer.data(), p.buffer.data());
        }
        return true;
    }

    // Copies a piece of the own part, which may stay where it is.
    bool copy_own(ProcessState &p) {
        if (p.next_own == p.plan.self.size())
            return false;
        const plan::StridedCopy &copy = p.plan.self[p.next_own++];
        p.writes.add(copy, std::ssize(p.buffer));
        auto move = [&](int64_t src, int64_t dst, int64_t n) {
            if (src == dst)
                return;
            std::copy_n(p.buffer.begin() + src, n, p.buffer.begin() + dst);
            std::fill_n(p.changed.begin() + dst, n, true);
        };
        for_each_run(copy, 0, copy.src_offset, copy.dst_offset, move);
        return true;
    }

    // Nobody reads where numbers are converted.
    static void change(ProcessState &p, const plan::StridedCopy &copy) {
        if (copy.conversion)
            return;
        auto written = [&](int64_t, int64_t dst, int64_t n) { std::fill_n(p.changed.begin() + dst, n, true); };
        for_each_run(copy, 0, copy.src_offset, copy.dst_offset, written);
    }

    bool step(ProcessState &p) {
        gather(p);
        if (dice_.range(0, 1) == 0 && (pull(p) || copy_own(p)))
            return true;
        if (receive(p) || pull(p) || copy_own(p))
            return true;
        while (p.first_there < p.next_send && p.taken[p.first_there])
            ++p.first_there;
        const auto there = static_cast<int64_t>(p.next_send - p.first_there);
        if (p.next_send == p.plan.sends.size() || there >= p.plan.in_place->sends_at_once)
            return false;
        const plan::Message &m = p.plan.sends[p.next_send];
        auto &out = p.packed[p.next_send++];
        out.resize(index(m.bytes));
        for (const plan::StridedCopy &copy : m.copies)
            copy_plainly(copy, p.buffer.data(), out.data());
        return true;
    }

    // Receives the next message into `held` if it was sent, and writes it as soon as the plan allows.
    bool receive(ProcessState &p) {
        if (p.next_receive == p.plan.receives.size())
            return false;
        const plan::Message &m = p.plan.receives[p.next_receive];
        if (!p.holds) {
            ProcessState &peer = processes_.at(m.peer);
            size_t i = 0;
            while (i < peer.next_send && (peer.plan.sends[i].peer != p.plan.rank || peer.taken[i]))
                ++i;
            if (i == peer.next_send)
                return false;
            if (peer.plan.sends[i].bytes != m.bytes || peer.plan.sends[i].round != m.round)
                fault("rank {} expects {} bytes of round {} from {}, not {} of {}", p.plan.rank, m.bytes, m.round,
                      m.peer, peer.plan.sends[i].bytes, peer.plan.sends[i].round);
            peer.taken[i] = true;
            p.held = std::move(peer.packed[i]);
            p.holds = true;
        }
        if (p.next_send < p.plan.in_place->packed_before[p.next_receive])
            return false;
        for (const plan::StridedCopy &copy : m.copies) {
            p.writes.add(copy, m.bytes);
            if (m.peer != p.plan.rank) // what it sends to itself may also stay where it is
                change(p, copy);
            copy_plainly(copy, p.held.data(), p.buffer.data());
        }
        p.holds = false;
        ++p.next_receive;
        return true;
    }

    void finish(ProcessState &p) {
        const plan::Plan &plan = p.plan;
        if (p.next_send < plan.sends.size() || p.next_receive < plan.receives.size())
            fault("rank {} waits for ever: {} of {} sends, {} of {} receives", plan.rank, p.next_send,
                  plan.sends.size(), p.next_receive, plan.receives.size());
        scatter(p);
        for (plan::StridedCopy fill : plan.zeros) {
            fill.src_offset = 0; // fills have no source
            for (plan::Loop &loop : fill.loops)
                loop.src_stride = 0;
            for (plan::Table &table : fill.tables) {
                table.src_stride = 0;
                plan::Entries::List entries = table.entries.list();
                for (plan::TableEntry &entry : entries)
                    entry.src_offset = 0;
                table.entries = entries;
            }
            p.writes.add(fill, fill.run_bytes);
            change(p, fill);
            const std::vector<std::byte> zeros(index(fill.run_bytes));
            copy_plainly(fill, zeros.data(), p.buffer.data());
        }
        // Bytes between the sink's elements keep whatever the source had there.
        const int to = sink_position(plan.rank);
        GuardedBuffer sink = data_.new_sink(to);
        for (int64_t i = 0; i < sink.bytes(); ++i)
            if (p.writes.written(i))
                sink.data()[i] = p.buffer[index(i)];
        data_.check_sink(to, sink, [&](int64_t i) { return p.writes.written(i); });
    }

    Dice dice_;
    CaseData data_;
    std::map<int, ProcessState> processes_;
};

} // namespace

TransferCase as_in_place(TransferCase c) {
    if (c.source.ranks.size() == c.sink.ranks.size()) {
        std::vector<int> ranks = c.source.ranks; // in the order of the sink's ranks
        std::sort(ranks.begin(), ranks.end());
        std::vector<size_t> order(ranks.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](size_t a, size_t b) { return c.sink.ranks[a] < c.sink.ranks[b]; });
        for (size_t i = 0; i < order.size(); ++i)
            c.sink.ranks[order[i]] = ranks[i];
        return c;
    }
    const SideSpec sink = c.sink;
    c.sink = c.source;
    c.sink.type = sink.type;
    c.sink.scale = sink.scale;
    std::reverse(c.sink.ranks.begin(), c.sink.ranks.end());
    return c;
}

ArrangedParts count_arranged(const TransferCase &c) {
    const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
    ArrangedParts parts;
    for (const int rank : source.dist->group().ranks()) {
        const plan::Plan plan =
            planner::make_plan(source, sink, options_of(c, Arranging::yes), rank, c.node_map());
        parts.before += !plan.in_place->before.empty();
        parts.after += !plan.in_place->after.empty();
    }
    return parts;
}

std::string find_fault_in_place(const TransferCase &c, uint64_t seed, bool heedless, Arranging arranging) {
    try {
        InPlaceSimulation(c, seed, heedless, arranging).judge();
    } catch (const std::exception &e) {
        return e.what();
    }
    return {};
}

std::string find_fault_in_any_mode(const TransferCase &c) {
    if (const std::string fault = find_fault(c); !fault.empty())
        return fault;
    const TransferCase in_place = as_in_place(c);
    if (!is_legal(in_place))
        return {};
    constexpr uint64_t seed = 5;
    if (const std::string fault = find_fault_in_place(in_place, seed); !fault.empty())
        return "in place: " + fault;
    if (const std::string fault = find_fault_in_place(in_place, seed, false, Arranging::yes); !fault.empty())
        return "in place, parts put in order: " + fault;
    return {};
}

} // namespace dri::test
