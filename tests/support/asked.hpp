// A distribution to request, what each process must hold of it, and the comparison with what the library reports.
#pragma once

#include "support/case_objects.hpp"

#include <string>
#include <vector>

namespace dri::test {

// A distribution and the oracle's view of it: one side of a case line, such as sizes "[16,3]" and side
// "block<1:2z>,* rm over 2-0".
class Asked {
public:
    Asked(const std::string &sizes, const std::string &side);

    const std::string &text() const { return text_; }
    const dri::Dims &sizes() const { return case_.root; }
    const std::vector<int> &procs() const { return case_.source.ranks; }
    bool has_grid() const { return case_.source.boxes.empty(); }
    const dri::Dims &grid() const { return side_.dist->grid(); }
    std::vector<int64_t> coords(int position) const; // of the position's part in the grid
    // The overlap of a position's part.
    dri::model::Overlap overlap(int position, size_t d) const;
    const ShownRow &row(int position, size_t d) const { return oracle_.row(position, d); }
    Dist make() const; // collective over procs

private:
    std::string text_;
    TransferCase case_;
    dri::planner::Side side_;
    SideOracle oracle_;
};

// Compares the blocks that the library reports along a dimension with `row`.
void expect_blocks(DRI_Dist dist, int rank, int dim, const ShownRow &row);

// Makes the distribution and checks every query, for every index and every local offset of every process.
// Collective over the world.
void expect_queries(const std::string &sizes, const std::string &side);

} // namespace dri::test
