// Fills the destination of a copy with zeros, run by run.
#include "kernel/fill.hpp"

#include "kernel/odometer.hpp"

#include <cstring>

namespace dri::kernel {

namespace {

// Walks the tables from number `table` on, then the loops. A last table of contiguous steps is filled entry by
// entry.
void fill_from(const plan::StridedCopy &copy, size_t table, std::byte *dst) {
    if (table == copy.tables.size()) {
        for_each_outer(copy, 0, dst, dst, [&](const std::byte *, std::byte *run) {
            std::memset(run, 0, static_cast<size_t>(copy.run_bytes));
        });
        return;
    }
    const plan::Table &t = copy.tables[table];
    const bool one_run = table + 1 == copy.tables.size() && copy.loops.empty() && t.dst_stride == copy.run_bytes;
    for (const plan::TableEntry &e : t.entries) {
        std::byte *at = dst + e.dst_offset;
        if (one_run)
            std::memset(at + copy.dst_offset, 0, static_cast<size_t>(e.count * copy.run_bytes));
        else
            for (int64_t k = 0; k < e.count; ++k)
                fill_from(copy, table + 1, at + k * t.dst_stride);
    }
}

} // namespace

void fill_zeros(const plan::StridedCopy &copy, std::byte *dst) {
    if (copy.run_bytes > 0)
        fill_from(copy, 0, dst);
}

} // namespace dri::kernel
