// The cost of moving the buffer of an endpoint to other memory.
#pragma once

namespace bench {

// Microseconds of one DRI_xfer_rebind, median of the repetitions, for the slowest process. Two addresses in memory
// of DRI_alloc alternate. Collective.
double rebind_us(int repetitions);

} // namespace bench
