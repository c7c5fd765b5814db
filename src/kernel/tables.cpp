// Runs copies with tables. All kernels are bound at construction, so that a frame binds nothing.
#include "kernel/tables.hpp"

#include "base/caches.hpp"
#include "kernel/choice.hpp"

#include <algorithm>
#include <cstring>

namespace dri::kernel {

namespace {

// Calls move(entry's source, entry's destination, number) for each entry. How the offsets are kept is decided
// once.
template <class F>
void for_each_entry(const plan::Entries &entries, const std::byte *src, std::byte *dst, const F &move) {
    entries.sources().with([&](const auto &from) {
        entries.destinations().with([&](const auto &to) {
            for (size_t i = 0, n = entries.size(); i < n; ++i)
                move(src + from(i), dst + to(i), i);
        });
    });
}

// One run of fixed length per entry.
template <size_t run>
void move_runs_of(const plan::Entries &entries, int64_t, const std::byte *src, std::byte *dst) {
    for_each_entry(entries, src, dst, [](const std::byte *s, std::byte *d, size_t) { std::memcpy(d, s, run); });
}

// One run per entry, all of the same length.
void move_runs(const plan::Entries &entries, int64_t run, const std::byte *src, std::byte *dst) {
    for_each_entry(entries, src, dst, [run](const std::byte *s, std::byte *d, size_t) {
        std::memcpy(d, s, static_cast<size_t>(run));
    });
}

// Runs of up to so many bytes are moved unit by unit: a call for each takes longer than its bytes.
constexpr int64_t short_run_bytes = 128;

// One run per entry, of any length: its steps are contiguous on both sides.
void move_uneven_runs(const plan::Entries &entries, int64_t run, const std::byte *src, std::byte *dst) {
    entries.counts().with([&](const auto &count) {
        for_each_entry(entries, src, dst, [&](const std::byte *s, std::byte *d, size_t i) {
            std::memcpy(d, s, static_cast<size_t>(count(i) * run));
        });
    });
}

// The same for units of fixed length, which are moved one by one in short runs.
template <size_t unit>
void move_uneven_runs_of(const plan::Entries &entries, int64_t, const std::byte *src, std::byte *dst) {
    constexpr int64_t most = short_run_bytes / int64_t{unit};
    entries.counts().with([&](const auto &count) {
        for_each_entry(entries, src, dst, [&](const std::byte *s, std::byte *d, size_t i) {
            const int64_t n = count(i);
            if (n > most) {
                std::memcpy(d, s, static_cast<size_t>(n) * unit);
                return;
            }
            for (int64_t k = 0; k < n; ++k) {
                std::memcpy(d + k * int64_t{unit}, s + k * int64_t{unit}, unit);
                asm volatile(""); // keeps compilers from making the loop a call
            }
        });
    });
}

// Whether entries may have more than one step. In canonical form their counts then differ.
bool has_steps(const plan::Table &table) { return table.src_stride != 0 || table.dst_stride != 0; }

} // namespace

// Levels are ordered by falling destination step. All loops inside the innermost table form the copy that a kernel
// runs.
TableWalk::TableWalk(const plan::StridedCopy &copy, Isa isa, int64_t working_set_bytes)
    : tables_(copy.tables), run_bytes_(copy.run_bytes) {
    const auto dst_step = [](const Level &l) {
        return l.table ? plan::table_dst_step(*l.table) : l.loop.dst_stride;
    };
    for (const plan::Loop &loop : copy.loops)
        levels_.push_back({loop, nullptr, {}});
    for (const plan::Table &table : tables_)
        levels_.push_back({{}, &table, {}});
    std::stable_sort(levels_.begin(), levels_.end(),
                     [&](const Level &a, const Level &b) { return dst_step(a) > dst_step(b); });
    plan::StridedCopy inside{copy.run_bytes, 0, 0, {}, {}, copy.conversion};
    auto last = levels_.end();
    while (!(last - 1)->table)
        --last;
    for (auto l = last; l != levels_.end(); ++l)
        inside.loops.push_back(l->loop);
    levels_.erase(last, levels_.end());
    move_entries_ = choose_move(inside);
    const bool even = std::none_of(tables_.begin(), tables_.end(), has_steps);
    bind_steps(inside, isa, even ? working_set_bytes : std::max(working_set_bytes, plan::copy_bytes(copy)));
}

TableWalk::MoveEntries TableWalk::choose_move(const plan::StridedCopy &inside) const {
    if (!inside.loops.empty() || inside.conversion)
        return nullptr;
    // The steps of an outer table would lie inside the innermost table's runs, which then are not plain.
    for (size_t i = 0; i + 1 < levels_.size(); ++i)
        if (const plan::Table *t = levels_[i].table; t && has_steps(*t))
            return nullptr;
    const plan::Table &innermost = *levels_.back().table;
    if (innermost.dst_stride == run_bytes_ && innermost.src_stride == run_bytes_)
        switch (run_bytes_) {
        case 2: return move_uneven_runs_of<2>;
        case 4: return move_uneven_runs_of<4>;
        case 8: return move_uneven_runs_of<8>;
        case 16: return move_uneven_runs_of<16>;
        default: return move_uneven_runs;
        }
    if (has_steps(innermost))
        return nullptr;
    switch (run_bytes_) {
    case 1: return move_runs_of<1>;
    case 2: return move_runs_of<2>;
    case 4: return move_runs_of<4>;
    case 8: return move_runs_of<8>;
    case 16: return move_runs_of<16>;
    default: return move_runs;
    }
}

// Binds the inner copy once for each combination of the tables' different counts. There are never more
// combinations than calls in a frame.
void TableWalk::bind_steps(const plan::StridedCopy &inside, Isa isa, int64_t working_set_bytes) {
    std::vector<plan::StridedCopy> copies{inside};
    for (Level &level : levels_) {
        if (!level.table || !has_steps(*level.table) || move_entries_)
            continue;
        const auto &entries = level.table->entries;
        std::vector<int64_t> counts;
        for (const plan::TableEntry &e : entries)
            counts.push_back(e.count);
        std::sort(counts.begin(), counts.end());
        counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
        for (const plan::TableEntry &e : entries) {
            const auto at = std::lower_bound(counts.begin(), counts.end(), e.count) - counts.begin();
            level.bound.push_back(static_cast<uint32_t>(copies.size() * static_cast<size_t>(at)));
        }
        std::vector<plan::StridedCopy> more;
        for (const int64_t count : counts)
            for (const plan::StridedCopy &copy : copies) {
                more.push_back(copy);
                more.back().loops.push_back({count, level.table->src_stride, level.table->dst_stride});
            }
        copies = std::move(more);
    }
    for (const plan::StridedCopy &copy : copies) {
        const plan::StridedCopy reduced = plan::canonical(copy);
        const int64_t written = std::max(plan::copy_bytes(reduced), working_set_bytes);
        bound_.push_back(bind_as(reduced, model_choice(reduced, isa, written, cache_bytes())));
    }
}

void TableWalk::walk(size_t level, size_t bound, const std::byte *src, std::byte *dst) const {
    if (level == levels_.size())
        return bound_[bound](src, dst);
    const Level &l = levels_[level];
    if (!l.table) {
        for (int64_t k = 0; k < l.loop.count; ++k)
            walk(level + 1, bound, src + k * l.loop.src_stride, dst + k * l.loop.dst_stride);
        return;
    }
    const plan::Entries &entries = l.table->entries;
    if (level + 1 == levels_.size() && move_entries_)
        return move_entries_(entries, run_bytes_, src, dst);
    for_each_entry(entries, src, dst, [&](const std::byte *s, std::byte *d, size_t i) {
        walk(level + 1, bound + (l.bound.empty() ? 0 : l.bound[i]), s, d);
    });
}

void TableWalk::run(const std::byte *src, std::byte *dst) const { walk(0, 0, src, dst); }

void BoundCopy::operator()(const std::byte *src, std::byte *dst) const {
    if (walk)
        return walk->run(src + copy.src_offset, dst + copy.dst_offset);
    kernel->run(copy, src, dst, stores);
}

} // namespace dri::kernel
