// Copies with tables: walks tables, and the loops outside of them, and runs a kernel on what is inside.
#pragma once

#include "kernel/kernel.hpp"

#include <vector>

namespace dri {

class TableWalk {
public:
    // copy: in canonical form, with at least one table.
    TableWalk(const StridedCopy &copy, Isa isa, int64_t working_set_bytes);
    TableWalk(const TableWalk &) = delete; // levels point at tables
    TableWalk &operator=(const TableWalk &) = delete;

    void run(const std::byte *src, std::byte *dst) const;
    const Kernel *kernel() const { return inner_.kernel; }

private:
    // A loop, or a table where there is one.
    struct Level {
        Loop loop;
        const Table *table = nullptr;
    };
    using MoveEntries = void (*)(const std::vector<TableEntry> &entries, int64_t run, const std::byte *src,
                                 std::byte *dst);

    void walk(size_t level, Loops &steps, const std::byte *src, std::byte *dst) const;
    void run_inner(const Loops &steps, const std::byte *src, std::byte *dst) const;

    std::vector<Table> tables_;
    std::vector<Level> levels_; // outermost first
    BoundCopy inner_;           // where all entries have one step
    StridedCopy uneven_;        // else: what is inside, without the steps of entries
    bool even_ = true;
    MoveEntries move_entries_ = nullptr; // where the last level is an even table of plain runs
    Isa isa_;
    int64_t working_set_bytes_;
};

} // namespace dri
