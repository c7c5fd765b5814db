// What the MPI does in a call that finds nothing to do.
#pragma once

namespace dri::transport {

// Whether it lets other processes use the core then. Open MPI does if a node has more processes than cores.
// Unknown MPIs do not, as far as this tells. Nor does a choice in a file of parameters count.
bool mpi_yields_when_idle();

} // namespace dri::transport
