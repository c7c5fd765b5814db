// What the MPI does in a call that finds nothing to do.
#pragma once

namespace dri::transport {

// MPI is initialised. Whether it lets other processes use the core then. Open MPI does if a node has more
// processes than cores. Unknown MPIs do not, as far as this tells.
bool mpi_yields_when_idle();

} // namespace dri::transport
