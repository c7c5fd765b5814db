#include "oracle_run.hpp"

#include "case_data.hpp"
#include "oracle_scalars.hpp"
#include "plain_runs.hpp"
#include "support/plan_check.hpp"
#include "support/plan_difference.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <sstream>
#include <stdexcept>

namespace dri::test {

namespace {

class CaseRun {
public:
    // given: the plans; if empty, they are made.
    CaseRun(const TransferCase &c, const Copier &copier, std::vector<plan::Plan> given = {})
        : c_(c), copier_(copier), data_(c), source_(data_.source()), sink_(data_.sink()),
          plans_(std::move(given)) {
        for (int p = 0; p < data_.sources(); ++p)
            sources_.push_back(data_.new_source(p));
        for (int p = 0; p < data_.sinks(); ++p) {
            sinks_.push_back(data_.new_sink(p));
            sink_writes_.emplace_back(sinks_.back().bytes());
        }
    }

    void judge() {
        if (plans_.empty())
            make_plans();
        check_all_plans();
        for (const plan::Plan &plan : plans_)
            run_sends(plan);
        for (const plan::Plan &plan : plans_)
            run_receives(plan);
        for (const plan::Plan &plan : plans_)
            run_pulls(plan);
        for (const plan::Plan &plan : plans_)
            fill_pads(plan);
        for (const auto &[pair, box] : mail_)
            if (!box.empty())
                fault("{} messages from {} to {} were not received", box.size(), pair.first, pair.second);
        for (int p = 0; p < data_.sources(); ++p)
            data_.check_source(p, sources_[at(p)]);
        for (int p = 0; p < data_.sinks(); ++p)
            data_.check_sink(p, sinks_[at(p)], [&](int64_t i) { return sink_writes_[at(p)].written(i); });
    }

private:
    std::optional<int> source_position(int rank) const { return source_.dist->group().position(rank); }
    std::optional<int> sink_position(int rank) const { return sink_.dist->group().position(rank); }
    int64_t src_pitch() const { return c_.type.pitch(); }
    int64_t dst_pitch() const { return c_.type_of(c_.sink).pitch(); }

    void make_plans() {
        // Makes the distributions again from the wire form, as another process does.
        planner::Side source = source_, sink = sink_;
        source.dist = std::make_shared<model::Distribution>(model::Distribution::from_wire(source_.dist->wire()));
        sink.dist = std::make_shared<model::Distribution>(model::Distribution::from_wire(sink_.dist->wire()));
        if (!(source.dist->id() == source_.dist->id()) || !(sink.dist->id() == sink_.dist->id()))
            fault("a distribution changes on the wire");
        for (int rank = 0; rank < c_.world(); ++rank) {
            plans_.push_back(planner::make_plan(source_, sink_, c_.options(), rank, c_.node_map()));
            const std::string other = find_difference(
                plans_.back(), planner::make_plan(source, sink, c_.options(), rank, c_.node_map()));
            if (!other.empty())
                fault("rank {} plans differently from the wire: {}", rank, other);
        }
    }

    void check_all_plans() const {
        std::vector<BufferBytes> buffers;
        for (int rank = 0; rank < c_.world(); ++rank) {
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

    // Checks the length of message m, and that its way is allowed. all: all messages of the plan in that
    // direction.
    void check_message(const plan::Plan &plan, const std::vector<plan::Message> &all,
                       const plan::Message &m) const {
        // Converted numbers travel in the smaller of the two types, and are never split between messages.
        const int64_t number = c_.converts() ? std::min(src_pitch(), dst_pitch()) / (c_.type.complex ? 2 : 1) : 1;
        // A plan has at most a few hundred chunks between two processes, so chunks become longer if there is much
        // to send.
        int64_t to_peer = 0;
        for (const plan::Message &other : all)
            to_peer += other.peer == m.peer ? other.bytes : 0;
        const int64_t chunk = std::max(c_.chunk_bytes, to_peer / 256);
        if (m.bytes < 1 || m.bytes > std::max(std::min(c_.message_bytes, chunk), number) || m.bytes % number != 0)
            fault("rank {}: a message of {} bytes", plan.rank, m.bytes);
        if (c_.self_way && m.peer == plan.rank)
            fault("rank {} sends to itself", plan.rank);
        if (goes_direct(plan.rank, m.peer))
            fault("rank {} has a message with {}, whose memory it shares", plan.rank, m.peer);
    }

    bool goes_direct(int a, int b) const { return c_.direct_way && a != b && c_.node(a) == c_.node(b); }

    void run_pulls(const plan::Plan &plan) {
        const auto to = sink_position(plan.rank);
        for (const plan::Pull &pull : plan.pulls) {
            const auto from = source_position(pull.peer);
            if (!from || !to)
                fault("rank {} pulls from {}, but one of them has no endpoint", plan.rank, pull.peer);
            if (!goes_direct(plan.rank, pull.peer))
                fault("rank {} pulls from {}, whose memory it does not share", plan.rank, pull.peer);
            GuardedBuffer &source = sources_[at(*from)];
            for (const plan::StridedCopy &copy : pull.copies) {
                sink_writes_[at(*to)].add(copy, source.bytes());
                copier_(copy, source.data(), sinks_[at(*to)].data());
            }
        }
    }

    void run_sends(const plan::Plan &plan) {
        const auto from = source_position(plan.rank), to = sink_position(plan.rank);
        if (!from && (!plan.self.empty() || !plan.sends.empty()))
            fault("rank {} sends but has no source", plan.rank);
        if (!c_.self_way && !plan.self.empty())
            fault("rank {} copies to itself", plan.rank);
        if (!from)
            return;
        GuardedBuffer &source = sources_[at(*from)];
        for (const plan::StridedCopy &copy : plan.self) {
            if (!to)
                fault("rank {} copies to itself but has no sink", plan.rank);
            sink_writes_[at(*to)].add(copy, source.bytes());
            copier_(copy, source.data(), sinks_[at(*to)].data());
        }
        for (const plan::Message &m : plan.sends) {
            check_message(plan, plan.sends, m);
            WriteCount writes(m.bytes);
            for (const plan::StridedCopy &copy : m.copies)
                writes.add(copy, source.bytes());
            if (!writes.all())
                fault("rank {} to {}: bytes of a message are not set", plan.rank, m.peer);
            GuardedBuffer message(m.bytes, 77);
            for (const plan::StridedCopy &copy : m.copies)
                copier_(copy, source.data(), message.data());
            if (!message.guards_whole())
                fault("rank {} to {}: packing writes outside the message", plan.rank, m.peer);
            mail_[{plan.rank, m.peer}].push_back(std::move(message));
        }
    }

    void run_receives(const plan::Plan &plan) {
        const auto to = sink_position(plan.rank);
        if (!to && !plan.receives.empty())
            fault("rank {} receives but has no sink", plan.rank);
        for (const plan::Message &m : plan.receives) {
            check_message(plan, plan.receives, m);
            auto &box = mail_[{m.peer, plan.rank}];
            if (box.empty())
                fault("rank {} waits for a message from {}", plan.rank, m.peer);
            if (box.front().bytes() != m.bytes)
                fault("rank {} expects {} bytes from {}, not {}", plan.rank, m.bytes, m.peer, box.front().bytes());
            for (const plan::StridedCopy &copy : m.copies) {
                sink_writes_[at(*to)].add(copy, m.bytes);
                copier_(copy, box.front().data(), sinks_[at(*to)].data());
            }
            box.pop_front();
        }
    }

    void fill_pads(const plan::Plan &plan) {
        const auto to = sink_position(plan.rank);
        if (!to && !plan.zeros.empty())
            fault("rank {} fills pads but has no sink", plan.rank);
        for (plan::StridedCopy fill : plan.zeros) {
            // fills have no source
            fill.src_offset = 0;
            for (plan::Loop &loop : fill.loops)
                loop.src_stride = 0;
            for (plan::Table &table : fill.tables) {
                table.src_stride = 0;
                plan::Entries::List entries = table.entries.list();
                for (plan::TableEntry &entry : entries)
                    entry.src_offset = 0;
                table.entries = entries;
            }
            sink_writes_[at(*to)].add(fill, fill.run_bytes);
            const std::vector<std::byte> zeros(at(fill.run_bytes));
            copy_plainly(fill, zeros.data(), sinks_[at(*to)].data());
        }
    }

    const TransferCase &c_;
    const Copier &copier_;
    CaseData data_;
    const planner::Side &source_, &sink_;
    std::vector<GuardedBuffer> sources_, sinks_; // per position
    std::vector<WriteCount> sink_writes_;
    std::vector<plan::Plan> plans_; // per rank
    std::map<std::pair<int, int>, std::deque<GuardedBuffer>> mail_;
};

} // namespace

void copy_plainly(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst) {
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

std::string find_fault_of(const TransferCase &c, std::vector<plan::Plan> plans) {
    const Copier copier = copy_plainly;
    try {
        CaseRun(c, copier, std::move(plans)).judge();
    } catch (const std::exception &e) {
        return e.what();
    }
    return {};
}

} // namespace dri::test
