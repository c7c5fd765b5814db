// A case in the library's words.
#pragma once

#include "geometry.hpp"

#include <dri/dri.h>

namespace bench {

// Collective over the first `processes` processes, the only ones that may call it.
DRI_Dist make_distribution(const dri::test::CaseLine &line, const dri::test::CaseSide &side, int processes);

// Collective over all processes. The library's choice for a side that leaves parts open.
Dims chosen_grid(const dri::test::CaseLine &line, const dri::test::CaseSide &side, int processes);

} // namespace bench
