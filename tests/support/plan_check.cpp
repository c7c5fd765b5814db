// Checks the plans of all processes of a job against each other. It does not know how they were made.
#include "support/plan_check.hpp"

#include "base/checked.hpp"
#include "plan/tiles.hpp"

#include <algorithm>

namespace dri::test {

namespace {

// Bytes [lo, hi) of a buffer or a message.
struct Span {
    int64_t lo, hi;
};

// Selects the source or the destination members of a copy, so that each check is written once.
struct Side {
    int64_t plan::StridedCopy::*offset;
    int64_t plan::Loop::*stride;
    int64_t plan::TableEntry::*entry;
    int64_t plan::Table::*step;
    int64_t (*run_bytes)(const plan::StridedCopy &copy);
};

int64_t src_run_bytes(const plan::StridedCopy &copy) { return copy.run_bytes; }

constexpr Side source_side{&plan::StridedCopy::src_offset, &plan::Loop::src_stride, &plan::TableEntry::src_offset,
                           &plan::Table::src_stride, src_run_bytes};
constexpr Side destination_side{&plan::StridedCopy::dst_offset, &plan::Loop::dst_stride,
                                &plan::TableEntry::dst_offset, &plan::Table::dst_stride, plan::dst_run_bytes};

// Range from the first to the last byte that a copy touches on one side.
Span bounds(const plan::StridedCopy &copy, Side side) {
    Span span{copy.*side.offset, checked_add(copy.*side.offset, side.run_bytes(copy))};
    for (const plan::Loop &l : copy.loops) {
        const int64_t reach = checked_mul(l.count - 1, l.*side.stride);
        int64_t &end = reach < 0 ? span.lo : span.hi;
        end = checked_add(end, reach);
    }
    for (const plan::Table &t : copy.tables) {
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        for (const plan::TableEntry &e : t.entries) {
            const int64_t reach = checked_mul(e.count - 1, t.*side.step);
            lo = std::min(lo, e.*side.entry + std::min<int64_t>(reach, 0));
            hi = std::max(hi, e.*side.entry + std::max<int64_t>(reach, 0));
        }
        span.lo = checked_add(span.lo, lo);
        span.hi = checked_add(span.hi, hi);
    }
    return span;
}

// Replaces the spans starting at index `start` by their repetitions at every step of a table.
void repeat_spans(const plan::Table &table, Side side, size_t start, std::vector<Span> &spans) {
    const std::vector<Span> once(spans.begin() + static_cast<std::ptrdiff_t>(start), spans.end());
    spans.resize(start);
    for (const plan::TableEntry &e : table.entries)
        for (int64_t i = 0; i < e.count; ++i)
            for (const Span &span : once) {
                const int64_t at = e.*side.entry + i * table.*side.step;
                spans.push_back({span.lo + at, span.hi + at});
            }
}

// Appends all contiguous spans that a copy touches on one side. Loops that are dense in that side's memory make
// one span. The cost is the number of spans. A loop of stride 0 counts only if count_repeats is true.
void add_spans(const plan::StridedCopy &copy, Side side, bool count_repeats, std::vector<Span> &spans) {
    struct Step {
        int64_t stride, count;
    };
    std::vector<Step> steps;
    int64_t at = copy.*side.offset, run = side.run_bytes(copy);
    for (const plan::Loop &l : copy.loops) {
        const int64_t stride = l.*side.stride;
        if (stride < 0)
            at += (l.count - 1) * stride;
        if (l.count > 1 && (stride != 0 || count_repeats))
            steps.push_back({std::abs(stride), l.count});
    }
    std::sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) { return a.stride < b.stride; });
    auto first = steps.begin();
    for (; first != steps.end() && first->stride == run; ++first)
        run *= first->count;
    const size_t start = spans.size();
    spans.push_back({at, at + run});
    for (; first != steps.end(); ++first) {
        const size_t end = spans.size();
        for (int64_t i = 1; i < first->count; ++i)
            for (size_t k = start; k < end; ++k)
                spans.push_back({spans[k].lo + i * first->stride, spans[k].hi + i * first->stride});
    }
    for (const plan::Table &table : copy.tables)
        repeat_spans(table, side, start, spans);
}

class Checker {
public:
    Checker(const std::vector<plan::Plan> &plans, const std::vector<BufferBytes> &buffers)
        : plans_(plans), buffers_(buffers) {}

    std::string check() {
        if (plans_.size() != buffers_.size())
            return fmt::format("{} plans, but {} pairs of buffers", plans_.size(), buffers_.size());
        for (size_t i = 0; i < plans_.size(); ++i)
            check_plan(i);
        return faults_;
    }

private:
    template <class... Args> void fault(fmt::format_string<Args...> text, Args &&...args) {
        faults_ += fmt::format(text, std::forward<Args>(args)...) + "\n";
    }

    void check_plan(size_t rank) {
        const plan::Plan &plan = plans_[rank];
        if (plan.rank != static_cast<int>(rank))
            fault("plan {} belongs to rank {}", rank, plan.rank);
        for (size_t i = 0; i < plan.self.size(); ++i) {
            const std::string name = fmt::format("rank {}, self copy {}", rank, i);
            check_inside(name, plan.self[i], source_side, buffers_[rank].source, "source buffer");
            check_inside(name, plan.self[i], destination_side, buffers_[rank].sink, "sink buffer");
        }
        for (size_t i = 0; i < plan.zeros.size(); ++i)
            check_inside(fmt::format("rank {}, zeros {}", rank, i), plan.zeros[i], destination_side,
                         buffers_[rank].sink, "sink buffer");
        for (size_t i = 0; i < plan.sends.size(); ++i) {
            const plan::Message &m = plan.sends[i];
            const std::string name = fmt::format("rank {}, send {} to {}", rank, i, m.peer);
            check_message(name, m, source_side, buffers_[rank].source, "source buffer", destination_side, true);
            check_peer(name, m.peer);
        }
        for (size_t i = 0; i < plan.receives.size(); ++i) {
            const plan::Message &m = plan.receives[i];
            const std::string name = fmt::format("rank {}, receive {} from {}", rank, i, m.peer);
            check_message(name, m, destination_side, buffers_[rank].sink, "sink buffer", source_side, false);
            check_peer(name, m.peer);
        }
        for (const plan::Pull &pull : plan.pulls)
            check_pull(rank, pull);
        for (const plan::Puller &puller : plan.pullers)
            check_peer(fmt::format("rank {}, puller {}", rank, puller.peer), puller.peer);
        for (size_t peer = 0; peer < plans_.size(); ++peer) {
            check_pair(rank, peer);
            check_pullers(rank, peer);
        }
    }

    // Reports a fault and returns false if the copy leaves the `bytes` bytes of `where`.
    bool check_inside(const std::string &name, const plan::StridedCopy &copy, Side side, int64_t bytes,
                      const char *where) {
        if (plan::copy_bytes(copy) == 0) {
            fault("{}: copies nothing: {}", name, plan::to_text(copy));
            return false;
        }
        const Span span = bounds(copy, side);
        if (span.lo >= 0 && span.hi <= bytes)
            return true;
        fault("{}: [{}, {}) leaves the {} of {} B: {}", name, span.lo, span.hi, where, bytes, plan::to_text(copy));
        return false;
    }

    // once: the copies fill the message, each byte exactly once. Otherwise they read it, each byte at least once.
    void check_message(const std::string &name, const plan::Message &m, Side buffer_side, int64_t buffer_bytes,
                       const char *buffer, Side message_side, bool once) {
        if (m.bytes <= 0)
            fault("{}: a message of {} B", name, m.bytes);
        bool inside = true;
        std::vector<Span> spans;
        for (const plan::StridedCopy &copy : m.copies) {
            const bool in_buffer = check_inside(name, copy, buffer_side, buffer_bytes, buffer);
            const bool in_message = check_inside(name, copy, message_side, m.bytes, "message");
            inside = inside && in_buffer && in_message;
            if (in_message)
                add_spans(copy, message_side, once, spans);
        }
        if (inside)
            check_cover(name, m.bytes, spans, once);
    }

    // Sorts the spans and reports gaps, and with `once` also overlaps.
    void check_cover(const std::string &name, int64_t bytes, std::vector<Span> &spans, bool once) {
        std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.lo < b.lo; });
        int64_t covered = 0;
        for (const Span &span : spans) {
            if (span.lo > covered)
                return fault("{}: bytes [{}, {}) are in no copy", name, covered, span.lo);
            if (once && span.lo < covered)
                return fault("{}: byte {} is in two copies", name, span.lo);
            covered = std::max(covered, span.hi);
        }
        if (covered < bytes)
            fault("{}: bytes [{}, {}) are in no copy", name, covered, bytes);
    }

    bool check_peer(const std::string &name, int peer) {
        if (peer >= 0 && static_cast<size_t>(peer) < plans_.size())
            return true;
        fault("{}: there is no such rank", name);
        return false;
    }

    void check_pull(size_t rank, const plan::Pull &pull) {
        const std::string name = fmt::format("rank {}, pull from {}", rank, pull.peer);
        if (pull.copies.empty() && plans_[rank].strips.empty())
            fault("{}: has no copies", name);
        if (!check_peer(name, pull.peer))
            return;
        if (pull.peer == static_cast<int>(rank))
            fault("{}: from itself", name);
        for (const plan::StridedCopy &copy : pull.copies) {
            check_inside(name, copy, source_side, buffers_[static_cast<size_t>(pull.peer)].source,
                         "peer's source buffer");
            check_inside(name, copy, destination_side, buffers_[rank].sink, "sink buffer");
        }
    }

    // Compares what two processes state about direct pulls between them: bytes, and whether pieces are long.
    void check_pullers(size_t from, size_t to) {
        std::vector<int64_t> known, taken;
        int64_t pulls = 0;
        bool long_pieces = true;
        for (const plan::Puller &puller : plans_[from].pullers)
            if (puller.peer == static_cast<int>(to))
                known.push_back(puller.bytes);
        for (const plan::Pull &pull : plans_[to].pulls)
            if (pull.peer == static_cast<int>(from)) {
                if (pulls++ % plan::count_strips(plans_[to]) == 0)
                    taken.push_back(0);
                taken.back() += plan::pull_bytes(pull);
                long_pieces = long_pieces && plan::reads_in_long_pieces(pull.copies);
            }
        if (known != taken)
            fault("rank {} expects rank {} to pull [{}] B, but it pulls [{}] B", from, to, fmt::join(known, ", "),
                  fmt::join(taken, ", "));
        for (const plan::Puller &puller : plans_[from].pullers)
            if (pulls > 0 && puller.peer == static_cast<int>(to) && puller.long_pieces != long_pieces)
                fault("ranks {} and {} disagree on whether pieces are long", from, to);
        if (known.size() > 1)
            fault("rank {} is listed by rank {} as a puller {} times", to, from, known.size());
    }

    static std::vector<int64_t> lengths(const std::vector<plan::Message> &messages, size_t peer) {
        std::vector<int64_t> bytes;
        for (const plan::Message &m : messages)
            if (m.peer == static_cast<int>(peer))
                bytes.push_back(m.bytes);
        return bytes;
    }

    // Messages between two processes must have equal numbers and lengths in the same order.
    void check_pair(size_t from, size_t to) {
        const auto sent = lengths(plans_[from].sends, to);
        const auto received = lengths(plans_[to].receives, from);
        if (sent.size() != received.size())
            fault("rank {} sends {} messages to {}, which receives {}", from, sent.size(), to, received.size());
        for (size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
            if (sent[i] != received[i])
                fault("message {} from {} to {}: {} B sent, {} B received", i, from, to, sent[i], received[i]);
    }

    const std::vector<plan::Plan> &plans_;
    const std::vector<BufferBytes> &buffers_;
    std::string faults_;
};

} // namespace

std::string check_plans(const std::vector<plan::Plan> &plans, const std::vector<BufferBytes> &buffers) {
    return Checker(plans, buffers).check();
}

namespace {

void add_message(std::string &text, const char *what, const plan::Message &message) {
    text += fmt::format("  {} {}: {} B\n", what, message.peer, message.bytes);
    for (const plan::StridedCopy &copy : message.copies)
        text += "    " + plan::to_text(copy) + "\n";
}

} // namespace

std::string to_text(const plan::Plan &plan) {
    std::string text = fmt::format("rank {}: self {} B, sends {} B, receives {} B\n", plan.rank,
                                   plan::self_bytes(plan), plan::send_bytes(plan), plan::receive_bytes(plan));
    if (plan.note_bytes)
        text += fmt::format("  notes of {} B behind messages\n", plan.note_bytes);
    for (const plan::Puller &puller : plan.pullers)
        text += fmt::format("  pulled by {}: {} B\n", puller.peer, puller.bytes);
    for (const plan::StridedCopy &copy : plan.self)
        text += "  self " + plan::to_text(copy) + "\n";
    for (const plan::StridedCopy &fill : plan.zeros)
        text += "  zeros " + plan::to_text(fill) + "\n";
    for (const plan::Message &m : plan.sends)
        add_message(text, "send to", m);
    for (const plan::Message &m : plan.receives)
        add_message(text, "receive from", m);
    for (const plan::Pull &pull : plan.pulls) {
        text += fmt::format("  pull from {}: {} B\n", pull.peer, plan::pull_bytes(pull));
        for (const plan::StridedCopy &copy : pull.copies)
            text += "    " + plan::to_text(copy) + "\n";
    }
    return text;
}

} // namespace dri::test
