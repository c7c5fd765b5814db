// Makes the library's objects for a case.
#pragma once

#include "geometry.hpp"

#include <dri/dri.h>

namespace bench {

// Collective over the first `processes` processes. No other process may call it.
DRI_Dist make_distribution(const dri::test::CaseLine &line, const dri::test::CaseSide &side, int processes);

// Collective over all processes. Returns the grid that the library chooses for a side that leaves numbers of parts
// open.
Dims chosen_grid(const dri::test::CaseLine &line, const dri::test::CaseSide &side, int processes);

} // namespace bench
