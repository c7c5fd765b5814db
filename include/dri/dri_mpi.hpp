// The part of the C++ interface that needs MPI types. MPI's communicators may be plain integers, so these are
// functions and no constructors.
#pragma once

#include <dri/dri.hpp>
#include <dri/dri_mpi.h>

namespace dri {
inline namespace v1 {

// Starts the library on a communicator of the program. Collective over it; synchronising. See DRI_init_comm.
inline Environment environment_of(MPI_Comm world) {
    detail::check(DRI_init_comm(world));
    return Environment::adopt();
}

// The group of a communicator's processes, in its order. Local. See DRI_group_from_comm.
inline Group group_of(MPI_Comm comm) {
    DRI_Group group;
    detail::check(DRI_group_from_comm(comm, &group));
    return Group::adopt(group);
}

} // namespace v1
} // namespace dri
