#include "kernel/tables.hpp"

#include <algorithm>
#include <cstring>

namespace dri {

namespace {

template <size_t run>
void move_runs_of(const std::vector<TableEntry> &entries, int64_t, const std::byte *src, std::byte *dst) {
    for (const TableEntry &e : entries)
        std::memcpy(dst + e.dst_offset, src + e.src_offset, run);
}

void move_runs(const std::vector<TableEntry> &entries, int64_t run, const std::byte *src, std::byte *dst) {
    for (const TableEntry &e : entries)
        std::memcpy(dst + e.dst_offset, src + e.src_offset, static_cast<size_t>(run));
}

// Entries whose steps are contiguous on both sides: one run each, of any length.
void move_uneven_runs(const std::vector<TableEntry> &entries, int64_t run, const std::byte *src, std::byte *dst) {
    for (const TableEntry &e : entries)
        std::memcpy(dst + e.dst_offset, src + e.src_offset, static_cast<size_t>(e.count * run));
}

} // namespace

TableWalk::TableWalk(const StridedCopy &copy, Isa isa, int64_t working_set_bytes)
    : tables_(copy.tables), isa_(isa), working_set_bytes_(std::max(working_set_bytes, copy_bytes(copy))) {
    const auto dst_step = [](const Level &l) { return l.table ? table_dst_step(*l.table) : l.loop.dst_stride; };
    for (const Loop &loop : copy.loops)
        levels_.push_back({loop, nullptr});
    for (const Table &table : tables_) {
        levels_.push_back({{}, &table});
        even_ = even_ && table.dst_stride == 0 && table.src_stride == 0;
    }
    std::stable_sort(levels_.begin(), levels_.end(),
                     [&](const Level &a, const Level &b) { return dst_step(a) > dst_step(b); });
    StridedCopy inside{copy.run_bytes, 0, 0, {}, {}, copy.conversion};
    auto last = levels_.end();
    while (!(last - 1)->table)
        --last;
    for (auto l = last; l != levels_.end(); ++l)
        inside.loops.push_back(l->loop);
    levels_.erase(last, levels_.end());
    inner_ = bind(inside, isa, working_set_bytes_);
    uneven_ = inside;
    if (!inside.loops.empty() || copy.conversion)
        return;
    const Table &innermost = *levels_.back().table;
    if (innermost.dst_stride == copy.run_bytes && innermost.src_stride == copy.run_bytes) {
        move_entries_ = move_uneven_runs;
    } else if (innermost.dst_stride == 0 && innermost.src_stride == 0) {
        switch (copy.run_bytes) {
        case 1: move_entries_ = move_runs_of<1>; break;
        case 2: move_entries_ = move_runs_of<2>; break;
        case 4: move_entries_ = move_runs_of<4>; break;
        case 8: move_entries_ = move_runs_of<8>; break;
        case 16: move_entries_ = move_runs_of<16>; break;
        default: move_entries_ = move_runs; break;
        }
    }
    // Steps of outer tables would lie inside the innermost one's runs.
    for (size_t i = 0; i + 1 < levels_.size(); ++i)
        if (const Table *t = levels_[i].table; t && (t->dst_stride != 0 || t->src_stride != 0))
            move_entries_ = nullptr;
}

void TableWalk::run_inner(const Loops &steps, const std::byte *src, std::byte *dst) const {
    if (even_)
        return inner_(src, dst);
    StridedCopy copy = uneven_;
    for (const Loop &loop : steps)
        copy.loops.push_back(loop);
    bind(copy, isa_, working_set_bytes_)(src, dst);
}

void TableWalk::walk(size_t level, Loops &steps, const std::byte *src, std::byte *dst) const {
    if (level == levels_.size())
        return run_inner(steps, src, dst);
    const Level &l = levels_[level];
    if (!l.table) {
        for (int64_t k = 0; k < l.loop.count; ++k)
            walk(level + 1, steps, src + k * l.loop.src_stride, dst + k * l.loop.dst_stride);
        return;
    }
    if (level + 1 == levels_.size() && move_entries_)
        return move_entries_(l.table->entries, uneven_.run_bytes, src, dst);
    for (const TableEntry &e : l.table->entries) {
        if (!even_)
            steps.push_back({e.count, l.table->src_stride, l.table->dst_stride});
        walk(level + 1, steps, src + e.src_offset, dst + e.dst_offset);
        if (!even_)
            steps.pop_back();
    }
}

void TableWalk::run(const std::byte *src, std::byte *dst) const {
    Loops steps;
    walk(0, steps, src, dst);
}

} // namespace dri
