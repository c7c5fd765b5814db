#include "oracle_run.hpp"

#include "guarded_buffer.hpp"
#include "oracle.hpp"
#include "plain_runs.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <sstream>
#include <stdexcept>

namespace dri::test {

namespace {

size_t at(int64_t i) { return static_cast<size_t>(i); }

// Byte b of the element with flat index i of the root object.
std::byte stamp(int64_t i, int64_t b) {
    const uint64_t word = scramble(static_cast<uint64_t>(i) * 64 + static_cast<uint64_t>(b / 8));
    return static_cast<std::byte>(word >> (8 * (b % 8)));
}

class CaseRun {
public:
    CaseRun(const TransferCase &c, const Copier &copier)
        : c_(c), copier_(copier), source_(make_side(c, c.source)), sink_(make_side(c, c.sink)),
          source_oracle_(c, c.source, source_), sink_oracle_(c, c.sink, sink_) {
        for (int p = 0; p < source_oracle_.positions(); ++p)
            sources_.emplace_back(buffer_bytes(source_, p), 1000 + p);
        for (int p = 0; p < sink_oracle_.positions(); ++p) {
            sinks_.emplace_back(buffer_bytes(sink_, p), 5000000 + p);
            sink_writes_.emplace_back(sinks_.back().bytes());
        }
    }

    void judge() {
        fill_sources();
        make_plans();
        for (const Plan &plan : plans_)
            run_sends(plan);
        for (const Plan &plan : plans_)
            run_receives(plan);
        for (const Plan &plan : plans_)
            fill_pads(plan);
        for (const auto &[pair, box] : mail_)
            if (!box.empty())
                fault("{} messages from {} to {} nobody received", box.size(), pair.first, pair.second);
        check_sources();
        check_sinks();
    }

private:
    std::optional<int> source_position(int rank) const { return source_.dist->group().position(rank); }
    std::optional<int> sink_position(int rank) const { return sink_.dist->group().position(rank); }
    int64_t src_pitch() const { return c_.type.pitch(); }
    int64_t dst_pitch() const { return c_.type_of(c_.sink).pitch(); }

    // The place of byte b of an element. Split: each plane is half of the buffer.
    static int64_t byte_place(const Side &side, const ElementType &type, const HeldElement &h, int64_t buffer,
                              int64_t b) {
        if (side.layout(h.position).format == ComplexFormat::interleaved)
            return h.place * type.pitch() + b;
        const int64_t component = type.pitch() / 2;
        return b / component * (buffer / 2) + h.place * component + b % component;
    }

    // The element of the root object with flat index i, as a source has it.
    std::vector<std::byte> element(int64_t i) const {
        std::vector<std::byte> bytes(at(src_pitch()));
        const Scalar scalar = plain_scalar(c_.type);
        if (!c_.converts()) {
            for (int64_t b = 0; b < src_pitch(); ++b)
                bytes[at(b)] = stamp(i, b);
            return bytes;
        }
        const int64_t n = scalar_bytes(scalar);
        for (int64_t b = 0; b < src_pitch(); b += n)
            make_number(scalar, scramble(static_cast<uint64_t>(2 * i + (b > 0))), bytes.data() + b);
        return bytes;
    }

    // The same, as a sink wants it.
    std::vector<std::byte> wanted(int64_t i) const {
        const std::vector<std::byte> from = element(i);
        if (!c_.converts())
            return from;
        std::vector<std::byte> to(at(dst_pitch()));
        const Conversion c{plain_scalar(c_.type), plain_scalar(c_.type_of(c_.sink)), c_.sink.scale};
        for (size_t k = 0; k * at(scalar_bytes(c.from)) < from.size(); ++k)
            convert_plainly(c, from.data() + k * at(scalar_bytes(c.from)), to.data() + k * at(scalar_bytes(c.to)));
        return to;
    }

    template <class F> void for_each_source_element(F f) {
        int64_t flat = 0;
        for_each_index(c_.root, [&](const Dims &index) {
            for (const HeldElement &h : source_oracle_.holders(index))
                f(flat, h);
            ++flat;
        });
    }

    void fill_sources() {
        for_each_source_element([&](int64_t flat, const HeldElement &h) {
            GuardedBuffer &buffer = sources_[at(h.position)];
            if (h.place < 0 || (h.place + 1) * src_pitch() > buffer.bytes())
                fault("source {}: element {} lies outside {} bytes", h.position, flat, buffer.bytes());
            const auto bytes = element(flat);
            for (int64_t b = 0; b < src_pitch(); ++b)
                buffer.data()[byte_place(source_, c_.type, h, buffer.bytes(), b)] = bytes[at(b)];
        });
    }

    void make_plans() {
        // Another process has the distributions from the wire.
        Side source = source_, sink = sink_;
        source.dist = std::make_shared<Distribution>(Distribution::from_wire(source_.dist->wire()));
        sink.dist = std::make_shared<Distribution>(Distribution::from_wire(sink_.dist->wire()));
        if (!(source.dist->id() == source_.dist->id()) || !(sink.dist->id() == sink_.dist->id()))
            fault("a distribution changes on the wire");
        std::vector<BufferBytes> buffers;
        for (int rank = 0; rank < c_.world(); ++rank) {
            plans_.push_back(make_plan(source_, sink_, c_.options(), rank));
            const std::string other = find_difference(plans_.back(), make_plan(source, sink, c_.options(), rank));
            if (!other.empty())
                fault("rank {} plans differently from the wire: {}", rank, other);
            BufferBytes bytes;
            if (const auto p = source_position(rank))
                bytes.source = sources_[at(*p)].bytes();
            if (const auto p = sink_position(rank))
                bytes.sink = sinks_[at(*p)].bytes();
            buffers.push_back(bytes);
        }
        std::istringstream faults(check_plans(plans_, buffers));
        for (std::string line; std::getline(faults, line);)
            fault("check_plans: {}", line);
    }

    void check_message(const Plan &plan, const Message &m) const {
        // Numbers that are converted travel in the smaller type, and whole.
        const int64_t number =
            c_.converts() ? std::min(src_pitch(), dst_pitch()) / (is_complex(c_.type) ? 2 : 1) : 1;
        if (m.bytes < 1 || m.bytes > std::max(c_.message_bytes, number) || m.bytes % number != 0)
            fault("rank {}: a message of {} bytes", plan.rank, m.bytes);
        if (c_.self_way && m.peer == plan.rank)
            fault("rank {} sends to itself", plan.rank);
    }

    void run_sends(const Plan &plan) {
        const auto from = source_position(plan.rank), to = sink_position(plan.rank);
        if (!from && (!plan.self.empty() || !plan.sends.empty()))
            fault("rank {} sends but has no source", plan.rank);
        if (!c_.self_way && !plan.self.empty())
            fault("rank {} copies to itself", plan.rank);
        if (!from)
            return;
        GuardedBuffer &source = sources_[at(*from)];
        for (const StridedCopy &copy : plan.self) {
            if (!to)
                fault("rank {} copies to itself but has no sink", plan.rank);
            sink_writes_[at(*to)].add(copy, source.bytes());
            copier_(copy, source.data(), sinks_[at(*to)].data());
        }
        for (const Message &m : plan.sends) {
            check_message(plan, m);
            WriteCount writes(m.bytes);
            for (const StridedCopy &copy : m.copies)
                writes.add(copy, source.bytes());
            if (!writes.all())
                fault("rank {} to {}: bytes of a message are not set", plan.rank, m.peer);
            GuardedBuffer message(m.bytes, 77);
            for (const StridedCopy &copy : m.copies)
                copier_(copy, source.data(), message.data());
            if (!message.guards_whole())
                fault("rank {} to {}: packing leaves the message", plan.rank, m.peer);
            mail_[{plan.rank, m.peer}].push_back(std::move(message));
        }
    }

    void run_receives(const Plan &plan) {
        const auto to = sink_position(plan.rank);
        if (!to && !plan.receives.empty())
            fault("rank {} receives but has no sink", plan.rank);
        for (const Message &m : plan.receives) {
            check_message(plan, m);
            auto &box = mail_[{m.peer, plan.rank}];
            if (box.empty())
                fault("rank {} waits for a message from {}", plan.rank, m.peer);
            if (box.front().bytes() != m.bytes)
                fault("rank {} expects {} bytes from {}, not {}", plan.rank, m.bytes, m.peer, box.front().bytes());
            for (const StridedCopy &copy : m.copies) {
                sink_writes_[at(*to)].add(copy, m.bytes);
                copier_(copy, box.front().data(), sinks_[at(*to)].data());
            }
            box.pop_front();
        }
    }

    void fill_pads(const Plan &plan) {
        const auto to = sink_position(plan.rank);
        if (!to && !plan.zeros.empty())
            fault("rank {} fills pads but has no sink", plan.rank);
        for (StridedCopy fill : plan.zeros) {
            // Its source does not count.
            fill.src_offset = 0;
            for (Loop &loop : fill.loops)
                loop.src_stride = 0;
            for (Table &table : fill.tables)
                for (TableEntry &entry : (table.src_stride = 0, table.entries))
                    entry.src_offset = 0;
            sink_writes_[at(*to)].add(fill, fill.run_bytes);
            const std::vector<std::byte> zeros(at(fill.run_bytes));
            copy_plainly(fill, zeros.data(), sinks_[at(*to)].data());
        }
    }

    void check_sources() {
        for_each_source_element([&](int64_t flat, const HeldElement &h) {
            GuardedBuffer &buffer = sources_[at(h.position)];
            const auto bytes = element(flat);
            for (int64_t b = 0; b < src_pitch(); ++b)
                if (buffer.data()[byte_place(source_, c_.type, h, buffer.bytes(), b)] != bytes[at(b)])
                    fault("source {}: element {} has changed", h.position, flat);
        });
        for (GuardedBuffer &s : sources_)
            if (!s.guards_whole())
                fault("bytes around a source have changed");
    }

    void check_element(int64_t flat, const HeldElement &h, std::vector<bool> &filled) {
        GuardedBuffer &sink = sinks_[at(h.position)];
        const ElementType type = c_.type_of(c_.sink);
        const auto want = wanted(flat);
        std::vector<std::byte> got(want.size());
        for (int64_t b = 0; b < dst_pitch(); ++b) {
            const int64_t i = byte_place(sink_, type, h, sink.bytes(), b);
            got[at(b)] = sink.data()[i];
            filled[at(i)] = true;
            // The bytes of a hole may be copied or not.
            const bool right =
                (c_.converts() || got[at(b)] == want[at(b)]) && sink_writes_[at(h.position)].written(i);
            if (b < type.size && !right)
                fault("sink {}: byte {} of element {} is wrong", h.position, b, flat);
        }
        if (!c_.converts())
            return;
        const Scalar scalar = plain_scalar(type);
        for (int64_t b = 0; b < dst_pitch(); b += scalar_bytes(scalar))
            if (!same_number(scalar, got.data() + b, want.data() + b))
                fault("sink {}: the number at byte {} of element {} is wrong", h.position, b, flat);
    }

    int64_t flat_index(const Dims &index) const {
        int64_t flat = 0;
        for (size_t d = 0; d < index.size(); ++d)
            flat = flat * c_.root[d] + index[d];
        return flat;
    }

    void check_zeros(const HeldElement &h, std::vector<bool> &filled) {
        GuardedBuffer &sink = sinks_[at(h.position)];
        const ElementType type = c_.type_of(c_.sink);
        for (int64_t b = 0; b < dst_pitch(); ++b) {
            const int64_t i = byte_place(sink_, type, h, sink.bytes(), b);
            filled[at(i)] = true;
            if (b < type.size && sink.data()[i] != std::byte{0})
                fault("sink {}: byte {} of the pad {} is not zero", h.position, b, to_text(h.local));
        }
    }

    void check_sinks() {
        std::vector<std::vector<bool>> filled;
        for (GuardedBuffer &s : sinks_)
            filled.emplace_back(at(s.bytes()), false);
        for (int p = 0; p < sink_oracle_.positions(); ++p)
            for (const auto &[held, index] : sink_oracle_.shown(p)) {
                if (held.place < 0 || (held.place + 1) * dst_pitch() > sinks_[at(p)].bytes())
                    fault("sink {}: place {} lies outside {} bytes", p, to_text(held.local),
                          sinks_[at(p)].bytes());
                if (!index)
                    check_zeros(held, filled[at(p)]);
                else if (!source_oracle_.holders(*index).empty())
                    check_element(flat_index(*index), held, filled[at(p)]);
            }
        for (size_t p = 0; p < sinks_.size(); ++p) {
            if (!sinks_[p].guards_whole())
                fault("bytes around sink {} have changed", p);
            for (int64_t i = 0; i < sinks_[p].bytes(); ++i) {
                if (filled[p][at(i)])
                    continue;
                if (sinks_[p].data()[i] != sinks_[p].pattern(i) || sink_writes_[p].written(i))
                    fault("sink {}: byte {} is no common element's, but is written", p, i);
            }
        }
    }

    const TransferCase &c_;
    const Copier &copier_;
    Side source_, sink_;
    SideOracle source_oracle_, sink_oracle_;
    std::vector<GuardedBuffer> sources_, sinks_; // per position
    std::vector<WriteCount> sink_writes_;
    std::vector<Plan> plans_; // per rank
    std::map<std::pair<int, int>, std::deque<GuardedBuffer>> mail_;
};

std::string difference(const std::vector<Message> &a, const std::vector<Message> &b, const char *what) {
    if (a.size() != b.size())
        return fmt::format("{} {} instead of {}", b.size(), what, a.size());
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i].peer != b[i].peer || a[i].bytes != b[i].bytes || a[i].copies != b[i].copies)
            return fmt::format("number {} of the {}", i, what);
    return {};
}

} // namespace

void copy_plainly(const StridedCopy &copy, const std::byte *src, std::byte *dst) {
    const ScalarSizes sizes(copy.conversion);
    auto move = [&](int64_t s, int64_t d, int64_t n) {
        for (int64_t i = 0; i < n / sizes.from; ++i) {
            if (copy.conversion)
                convert_plainly(copy.conversion, src + s + i * sizes.from, dst + d + i * sizes.to);
            else
                dst[d + i] = src[s + i];
        }
    };
    for_each_run(copy, 0, copy.src_offset, copy.dst_offset, move);
}

std::string find_fault(const TransferCase &c, const Copier &copier) {
    try {
        CaseRun(c, copier).judge();
    } catch (const std::exception &e) {
        return e.what();
    }
    return {};
}

std::string find_difference(const Plan &a, const Plan &b) {
    if (a.rank != b.rank)
        return "rank";
    if (a.self != b.self)
        return "self";
    const std::string sends = difference(a.sends, b.sends, "sends");
    return sends.empty() ? difference(a.receives, b.receives, "receives") : sends;
}

} // namespace dri::test
