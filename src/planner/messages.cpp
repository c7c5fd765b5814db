// Cuts copies into messages, and derives from each message the copies that pack and unpack it.
#include "planner/messages.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace dri::planner {

namespace {

// A message holds converted scalars in the smaller of the two types. The sender converts if the sink's type is
// smaller; otherwise the receiver converts.
bool converts_to_pack(const plan::StridedCopy &copy) { return plan::dst_run_bytes(copy) < copy.run_bytes; }

// Length of a run inside a message.
int64_t message_run_bytes(const plan::StridedCopy &copy) {
    return std::min(copy.run_bytes, plan::dst_run_bytes(copy));
}

// Bytes of all steps of a copy in the message's type.
int64_t steps_bytes(const plan::StridedCopy &copy) {
    return plan::copy_bytes(copy) / copy.run_bytes * message_run_bytes(copy);
}

// Maximum number of messages between two processes, whatever the limit on workspace. A plan lists every message.
constexpr int64_t max_messages = 16384;

// Width of a piece in the sink. Writing shorter pieces costs more than cutting there gains.
constexpr int64_t lines_bytes = 4 * cache_line_bytes;

// Bytes of a copy in a message. An element that is sent to several addresses of the sink travels once.
int64_t bytes_in_message(const plan::StridedCopy &copy) {
    if (plan::copy_bytes(copy) == 0)
        return 0;
    int64_t bytes = steps_bytes(copy);
    for (const plan::Loop &loop : copy.loops)
        if (loop.src_stride == 0)
            bytes /= loop.count;
    return bytes;
}

// Fills messages with copies in the given order. A copy longer than the limit is cut until its pieces fit.
class Splitter {
public:
    Splitter(int peer, int64_t limit, PlanFor made_for) : peer_(peer), limit_(limit), made_for_(made_for) {}

    void add(const plan::StridedCopy &copy) {
        const int64_t bytes = bytes_in_message(copy);
        if (bytes == 0)
            return;
        if (bytes > std::max(limit_, scalar(copy.conversion)))
            return add_pieces(copy);
        if (made_for_ == PlanFor::lengths)
            return add_length(bytes);
        if (messages_.empty() || messages_.back().bytes + bytes > limit_) {
            finish_message();
            messages_.push_back({peer_, 0, {}});
        }
        messages_.back().bytes += bytes;
        messages_.back().copies.push_back(copy);
    }

    std::vector<plan::Message> take() {
        if (made_for_ == PlanFor::lengths)
            return take_lengths();
        if (messages_.size() > 1)
            finish_message();
        return std::move(messages_);
    }

private:
    void finish_message() {
        if (!messages_.empty())
            forms_.share(messages_.back().copies);
    }

    // There may be as many messages as elements, but few lengths.
    void add_length(int64_t bytes) {
        if (length_ > 0 && length_ + bytes > limit_)
            ++lengths_[std::exchange(length_, 0)];
        length_ += bytes;
    }

    std::vector<plan::Message> take_lengths() {
        if (length_ > 0)
            ++lengths_[length_];
        std::vector<plan::Message> all;
        for (const auto &[bytes, alike] : lengths_)
            all.emplace_back(peer_, bytes, plan::CopyList()).alike = alike;
        return all;
    }

    // Bytes that are never cut: one scalar if the copy converts, otherwise one byte.
    static int64_t scalar(const plan::Conversion &conversion) {
        return conversion ? std::min(scalar_bytes(conversion.from), scalar_bytes(conversion.to)) : 1;
    }

    // Cuts the first table; without tables a loop; without loops the run. Pieces are added one after the
    // other, and cut again if they are still too long.
    void add_pieces(const plan::StridedCopy &copy) {
        if (!copy.tables.empty())
            return cut_table(copy);
        if (copy.loops.empty())
            return cut_run(copy);
        const size_t at = loop_to_cut(copy);
        const plan::Loop loop = copy.loops[at];
        const int64_t min_stretch = min_steps(loop), max_stretch = limit_ / (steps_bytes(copy) / loop.count);
        int64_t stretch = std::max<int64_t>(max_stretch, 1);
        if (min_stretch < loop.count)
            stretch = std::max(max_stretch / min_stretch, int64_t{1}) * min_stretch;
        for (int64_t k = 0; k < loop.count; k += stretch) {
            plan::StridedCopy piece = copy;
            piece.src_offset += k * loop.src_stride;
            piece.dst_offset += k * loop.dst_stride;
            piece.loops[at].count = std::min(stretch, loop.count - k);
            add(plan::canonical(piece));
        }
    }

    // Loop with the longest steps through the source: pieces then follow each other in the source. Loops that make
    // up cache lines of the sink are cut last.
    static size_t loop_to_cut(const plan::StridedCopy &copy) {
        const auto rank = [](const plan::Loop &l) {
            return std::pair(l.count > min_steps(l), std::abs(l.src_stride));
        };
        const auto first = copy.loops.begin();
        const auto *best = std::max_element(
            first, copy.loops.end(), [&](const plan::Loop &a, const plan::Loop &b) { return rank(a) < rank(b); });
        return static_cast<size_t>(best - first);
    }

    // Steps of a loop that a piece should keep together, because together they fill whole cache lines of the sink.
    static int64_t min_steps(const plan::Loop &loop) {
        const int64_t step = std::abs(loop.dst_stride);
        return step == 0 || step >= lines_bytes ? 1 : lines_bytes / step;
    }

    void cut_run(const plan::StridedCopy &copy) {
        const plan::Conversion &c = copy.conversion;
        const int64_t unit = scalar(c), src_unit = c ? scalar_bytes(c.from) : 1,
                      dst_unit = c ? scalar_bytes(c.to) : 1;
        const int64_t units = copy.run_bytes / src_unit, max_stretch = std::max<int64_t>(limit_ / unit, 1);
        for (int64_t at = 0; at < units; at += max_stretch) {
            plan::StridedCopy piece = copy;
            piece.src_offset += at * src_unit;
            piece.dst_offset += at * dst_unit;
            piece.run_bytes = std::min(max_stretch, units - at) * src_unit;
            add(piece);
        }
    }

    // Cuts between entries. An entry with more steps than fit becomes a piece of its own, with a loop that can be
    // cut.
    void cut_table(const plan::StridedCopy &copy) {
        const plan::Entries entries = copy.tables[0].entries;
        const int64_t max_stretch =
            std::max<int64_t>(limit_ / (steps_bytes(copy) / plan::table_steps(copy.tables[0])), 1);
        for (size_t from = 0, to = 0; from < entries.size(); from = to) {
            int64_t steps = 0;
            while (to < entries.size() && (to == from || steps + entries[to].count <= max_stretch))
                steps += entries[to++].count;
            plan::StridedCopy piece = copy;
            piece.tables[0].entries = plan::Entries(to - from, [&](const auto &take) {
                for (size_t i = from; i < to; ++i)
                    take(entries[i]);
            });
            add(plan::canonical(piece));
        }
    }

    int peer_;
    int64_t limit_;
    PlanFor made_for_;
    std::vector<plan::Message> messages_;
    plan::CopyForms forms_;
    // In a plan for lengths: the bytes of the last message so far, and how many messages before have each length.
    int64_t length_ = 0;
    std::map<int64_t, int32_t> lengths_;
};

// Loops and tables of a copy, innermost first: by rising stride on the side whose order the message has. Copies
// with tables always have the sink's order, because a table may jump back and forth in the source.
struct Level {
    plan::Loop *loop = nullptr;
    plan::Table *table = nullptr;
    int64_t step = 0;
};

std::vector<Level> levels(plan::StridedCopy &copy, ReorderAt reorder_at) {
    const bool by_source = reorder_at == ReorderAt::at_unpack && copy.tables.empty();
    std::vector<Level> out;
    for (size_t i = copy.loops.size(); i-- > 0;)
        out.push_back(
            {&copy.loops[i], nullptr, by_source ? std::abs(copy.loops[i].src_stride) : copy.loops[i].dst_stride});
    for (size_t i = copy.tables.size(); i-- > 0;)
        out.push_back({nullptr, &copy.tables[i], plan::table_dst_step(copy.tables[i])});
    std::stable_sort(out.begin(), out.end(), [](const Level &a, const Level &b) { return a.step < b.step; });
    return out;
}

// Replaces one side of each copy by dense offsets in the message. The innermost steps lie next to each other.
template <class Side> plan::Message map_copies(const plan::Message &message, ReorderAt reorder_at, Side side) {
    plan::Message half{message.peer, message.bytes, {}, message.round};
    int64_t at = 0;
    for (const plan::StridedCopy &copy : message.copies) {
        plan::StridedCopy out = copy;
        int64_t step = message_run_bytes(copy);
        side.convert(out);
        for (const Level &level : levels(out, reorder_at))
            step = level.loop ? side.lay_out(*level.loop, step) : side.lay_out(*level.table, step);
        side.offset(out) = at;
        half.copies.push_back(plan::canonical(std::move(out)));
        at += step;
    }
    return half;
}

// Places the entries of a table one after the other on one side. Returns the bytes of all entries.
int64_t lay_out_entries(plan::Table &table, int64_t step, int64_t plan::TableEntry::*offset) {
    int64_t bytes = 0;
    table.entries = plan::Entries(table.entries.size(), [&, entries = table.entries](const auto &take) {
        bytes = 0;
        for (plan::TableEntry entry : entries) {
            entry.*offset = bytes;
            bytes += entry.count * step;
            take(entry);
        }
    });
    return bytes;
}

// Pack: the message is the destination. An element that is sent to several addresses of the sink travels once.
struct ToMessage {
    void convert(plan::StridedCopy &copy) const {
        if (!converts_to_pack(copy))
            copy.conversion = {};
    }
    int64_t lay_out(plan::Loop &loop, int64_t step) const {
        if (loop.src_stride == 0)
            loop.count = 1;
        loop.dst_stride = step;
        return step * loop.count;
    }
    int64_t lay_out(plan::Table &table, int64_t step) const {
        table.dst_stride = step;
        return lay_out_entries(table, step, &plan::TableEntry::dst_offset);
    }
    int64_t &offset(plan::StridedCopy &copy) const { return copy.dst_offset; }
};

// Unpack: the message is the source.
struct FromMessage {
    void convert(plan::StridedCopy &copy) const {
        if (!converts_to_pack(copy))
            return;
        copy.run_bytes = plan::dst_run_bytes(copy);
        copy.conversion = {};
    }
    int64_t lay_out(plan::Loop &loop, int64_t step) const {
        if (loop.src_stride == 0)
            return step;
        loop.src_stride = step;
        return step * loop.count;
    }
    int64_t lay_out(plan::Table &table, int64_t step) const {
        table.src_stride = step;
        return lay_out_entries(table, step, &plan::TableEntry::src_offset);
    }
    int64_t &offset(plan::StridedCopy &copy) const { return copy.src_offset; }
};

} // namespace

std::vector<plan::Message> split_messages(const std::vector<plan::StridedCopy> &copies, int peer, int64_t limit,
                                          PlanFor made_for) {
    Splitter splitter(peer, limit, made_for);
    for (const plan::StridedCopy &copy : copies)
        splitter.add(copy);
    return splitter.take();
}

std::vector<plan::StridedCopy> cut_copies(const std::vector<plan::StridedCopy> &copies, int64_t limit) {
    std::vector<plan::StridedCopy> pieces;
    for (const plan::Message &m : split_messages(copies, 0, limit))
        pieces.insert(pieces.end(), m.copies.begin(), m.copies.end());
    return pieces;
}

std::vector<plan::StridedCopy> stretches_of(const plan::StridedCopy &copy, int64_t min_bytes, int64_t max_count) {
    int64_t count = 1;
    for (const plan::Loop &loop : copy.loops) // an element that goes to several addresses travels once, packed
        count = loop.src_stride == 0 ? max_count + 1
                                     : std::min(count, max_count + 1) * std::min(loop.count, max_count + 1);
    if (copy.run_bytes < min_bytes || count > max_count || !copy.tables.empty() || copy.conversion)
        return {copy};
    std::vector<plan::StridedCopy> all{copy};
    all.front().loops = {};
    for (const plan::Loop &loop : copy.loops) {
        const std::vector<plan::StridedCopy> outer = std::exchange(all, {});
        for (const plan::StridedCopy &one : outer)
            for (int64_t i = 0; i < loop.count; ++i) {
                all.push_back(one);
                all.back().src_offset += i * loop.src_stride;
                all.back().dst_offset += i * loop.dst_stride;
            }
    }
    return all;
}

int64_t message_limit(const std::vector<plan::StridedCopy> &copies, int64_t message_bytes, int64_t chunk_bytes,
                      int halvings) {
    const int64_t max_chunks = std::min(int64_t{256} << halvings, max_messages),
                  chunk = std::max<int64_t>(chunk_bytes >> halvings, 1);
    int64_t bytes = 0;
    for (const plan::StridedCopy &copy : copies)
        bytes = checked_add(bytes, bytes_in_message(copy));
    const int64_t limit = std::min(message_bytes, std::max(chunk, bytes / max_chunks));
    const int cuts = halvings - (max_halvings - 2);
    if (cuts == 2 && bytes < 2 * cache_line_bytes)
        return std::clamp<int64_t>(ceil_div(bytes, int64_t{2}), 1, limit);
    return cuts <= 0 ? limit : std::min(limit, round_up(ceil_div(bytes, int64_t{1} << cuts), cache_line_bytes));
}

plan::Message pack_half(const plan::Message &message, ReorderAt reorder_at) {
    return map_copies(message, reorder_at, ToMessage{});
}
plan::Message unpack_half(const plan::Message &message, ReorderAt reorder_at) {
    return map_copies(message, reorder_at, FromMessage{});
}

void add_message(std::vector<plan::Message> &messages, plan::Message message, plan::CopyForms &forms) {
    const plan::CopyList none, &before = messages.empty() ? none : messages.back().copies;
    for (size_t i = 0; i < std::min(before.size(), message.copies.size()); ++i) {
        const std::vector<plan::Table> &kept = before.form()[i].tables;
        for (size_t t = 0; t < std::min(kept.size(), message.copies.form()[i].tables.size()); ++t) {
            const plan::Entries &entries = message.copies.form()[i].tables[t].entries;
            if (entries.memory() != kept[t].entries.memory() && entries == kept[t].entries)
                message.copies.change()[i].tables[t].entries = kept[t].entries;
        }
    }
    forms.share(message.copies);
    messages.push_back(std::move(message));
}

} // namespace dri::planner
