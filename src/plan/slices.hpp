// Shares of copies: what several threads do at the same time, each its own part of the destination.
#pragma once

#include "plan/tiles.hpp"

#include <vector>

namespace dri {

// A copy in at most `parts` pieces of about equal bytes, in the order of their destinations; together they write
// what the copy writes, no byte twice. The copy is cut along the outermost of its loops and tables, and of its
// run, that gives each piece enough steps, so a piece suits the kernel that the whole suits; where it can be, at
// whole cache lines from the copy's first byte on, so that two threads hardly ever write one line. Fewer pieces
// where there is nothing to cut. copy: in canonical form. Cost: what the tables hold, per piece.
std::vector<StridedCopy> cut(const StridedCopy &copy, int64_t parts);

// For each thread a list of copies, of about equal bytes, which together do what the given ones do. Large copies
// are cut; small ones go whole to whoever has least.
std::vector<std::vector<StridedCopy>> deal(const std::vector<StridedCopy> &copies, int64_t threads);

// The same with tiles, which are never cut; a copy that goes straight to its places is cut like any other.
std::vector<std::vector<TiledCopy>> deal(const std::vector<TiledCopy> &copies, int64_t threads);

} // namespace dri
