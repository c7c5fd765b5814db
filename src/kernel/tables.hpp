// Copies with tables: walks the tables and the loops outside them, and runs a kernel on the copy inside.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/entries.hpp"
#include "plan/strided_copy.hpp"

#include <vector>

namespace dri::kernel {

class TableWalk {
public:
    // copy: in canonical form, with at least one table.
    TableWalk(const plan::StridedCopy &copy, Isa isa, int64_t working_set_bytes);
    TableWalk(const TableWalk &) = delete; // levels_ points into tables_
    TableWalk &operator=(const TableWalk &) = delete;

    void run(const std::byte *src, std::byte *dst) const;
    const Kernel *kernel() const { return bound_.front().kernel; }

private:
    // A table if `table` is set, otherwise a loop.
    struct Level {
        plan::Loop loop;
        const plan::Table *table = nullptr;
        std::vector<uint32_t> bound; // per entry: what it adds to the index in bound_; empty: nothing
    };
    using MoveEntries = void (*)(const plan::Entries &entries, int64_t run, const std::byte *src, std::byte *dst);

    MoveEntries choose_move(const plan::StridedCopy &inside) const;
    void bind_steps(const plan::StridedCopy &inside, Isa isa, int64_t working_set_bytes);
    void walk(size_t level, size_t bound, const std::byte *src, std::byte *dst) const;

    std::vector<plan::Table> tables_;
    std::vector<Level> levels_;          // outermost first
    std::vector<BoundCopy> bound_;       // the copy inside all levels, for each combination of steps
    MoveEntries move_entries_ = nullptr; // set if the last level is a table of plain runs
    int64_t run_bytes_;
};

} // namespace dri::kernel
