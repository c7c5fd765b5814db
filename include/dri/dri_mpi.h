/*
 * The part of the interface that needs MPI types.
 */
#ifndef DRI_DRI_MPI_H
#define DRI_DRI_MPI_H

#include <dri/dri.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Starts the library on a communicator of the user. Its processes become the world.
 *
 * Collective over world; synchronising.
 * world: an intracommunicator. It stays the caller's and may be freed at once. The library works on a duplicate.
 * Errors: DRI_ERR_STATE if MPI does not run, or the library runs already;
 *         DRI_ERR_ARG for a null communicator or an intercommunicator;
 *         DRI_ERR_ARG if an environment variable of the library (DRI_...) has an invalid value on any process;
 *         DRI_ERR_MEMORY, DRI_ERR_TIMEOUT and DRI_ERR_TRANSPORT as in DRI_init.
 */
DRI_API int DRI_init_comm(MPI_Comm world);

/*
 * Makes the group of a communicator's processes, in its order.
 *
 * Local.
 * comm: an intracommunicator whose processes all belong to the world; stays the caller's.
 * group: receives the handle; null on error.
 * Errors: DRI_ERR_ARG for a null communicator, an intercommunicator, or a process outside the world;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_group_from_comm(MPI_Comm comm, DRI_Group *group);

#ifdef __cplusplus
}
#endif
#endif
