// A distribution to request, what each process must hold of it, and the comparison with what the library reports.
#pragma once

#include "held.hpp"
#include "objects.hpp"

#include <vector>

namespace dri_test {

using Row = std::vector<Shown>;

// A distribution by rule or of exact pieces, and what each position of its group must hold.
struct Asked {
    Numbers sizes;
    std::vector<Cut> cuts; // for exact pieces: their edges
    std::vector<int> procs, grid;
    std::vector<std::vector<DRI_Part_tuple>> pieces{}; // if not empty: one entry per position

    int parts() const {
        int n = 1;
        for (int g : grid)
            n *= g;
        return n;
    }
    std::vector<int> coords(int position) const {
        std::vector<int> at(grid.size());
        int part = position % parts();
        for (size_t d = grid.size(); d-- > 0; part /= grid[d])
            at[d] = part % grid[d];
        return at;
    }
    Row row(int position, size_t d) const;
    Dist make() const; // collective over procs
};

// Compares the blocks that the library reports along a dimension with `row`.
void expect_blocks(DRI_Dist dist, int rank, int dim, const Row &row);

// Makes the distribution and checks every query, for every index and every local offset of every process.
// Collective over the world.
void expect_queries(const Asked &asked);

} // namespace dri_test
