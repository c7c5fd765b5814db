// Reads what Open MPI's launcher tells its processes in the environment.
#include "transport/mpi_idle.hpp"

#include "base/env.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace dri::transport {

// MPI's tool interface could tell, too. It loads all plugins of Open MPI first, and the libraries of fast networks
// among them measure the clock for 200 ms.
bool mpi_yields_when_idle() {
#ifdef OPEN_MPI
    constexpr std::array<std::string_view, 5> no = {"0", "false", "f", "no", "disabled"};
    // The user's own choice comes first. The launcher sets the other one for nodes with more processes than slots.
    for (const char *const name : {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe"})
        if (const auto value = variable(name))
            return std::find(no.begin(), no.end(), *value) == no.end();
#endif
    return false;
}

} // namespace dri::transport
