/*
 * Environment: how to start and end the library, and the world that it works in.
 *
 * All functions need the environment, except those that start and end it, DRI_initialized, DRI_version, DRI_free,
 * DRI_kept_free, those of dri/codes.h, and those of dri/dap.h that are labelled "any time". They return
 * DRI_ERR_STATE before DRI_init and after DRI_finalize. Every call that needs MPI also returns it once the program
 * has finalised MPI. DRI_finalize still destroys all objects then.
 *
 * A child process that the program makes with fork() has neither the library's threads nor MPI. This holds while
 * the library runs, while another thread starts or ends it, and after a DRI_init that has started MPI and failed.
 * Every function that needs the environment, DRI_free, and those that start and end it, return DRI_ERR_STATE in
 * such a child. The library promises nothing for children made in other ways, such as by clone(). A child may end,
 * or execute another program.
 */
#ifndef DRI_ENV_H
#define DRI_ENV_H

#include <dri/codes.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Starts the library on MPI_COMM_WORLD, and MPI itself if it does not run yet.
 *
 * MPI cannot be started twice. If this call has started MPI and then fails, MPI therefore continues to run. Call
 * DRI_init again when the cause is removed, or DRI_finalize to end MPI.
 *
 * Collective over MPI_COMM_WORLD; synchronising.
 * argc, argv: those of main, or NULL; passed to MPI.
 * Cost: one duplicate of the communicator. The call requests MPI_THREAD_MULTIPLE; MPI may give less.
 * Errors: DRI_ERR_STATE if the library is running, or if MPI has been finalised;
 *         DRI_ERR_STATE while another thread is in this call, a variant of it, or DRI_finalize;
 *         DRI_ERR_ARG if an environment variable of the library (DRI_...) has an invalid value on any process;
 *         DRI_ERR_MEMORY;
 *         DRI_ERR_TIMEOUT after the deadline of DRI_SETUP_TIMEOUT; MPI's own calls have none;
 *         DRI_ERR_TRANSPORT.
 */
DRI_API int DRI_init(int *argc, char ***argv);

/*
 * Starts the library on a communicator given as its Fortran handle (MPI_Comm_c2f).
 *
 * Fortran and Python programs have this handle. See DRI_init_comm in dri_mpi.h.
 *
 * Collective over that communicator; synchronising.
 * comm: the communicator's Fortran handle. It stays the caller's and may be freed at once.
 * Errors: DRI_ERR_STATE if MPI does not run, or the library runs already;
 *         DRI_ERR_ARG for a null communicator, an intercommunicator or a number that names no communicator;
 *         DRI_ERR_ARG if an environment variable of the library (DRI_...) has an invalid value on any process;
 *         DRI_ERR_MEMORY, DRI_ERR_TIMEOUT and DRI_ERR_TRANSPORT as in DRI_init.
 */
DRI_API int DRI_init_fcomm(int comm);

/*
 * Ends the library.
 *
 * It destroys every object that is left and completes what is under way. It ends MPI if DRI_init started MPI.
 * After a DRI_init that started MPI and failed, it ends MPI alone. A process that waits in DRI_do for an endpoint
 * of a process that is in this call gets DRI_ERR_STATE, see DRI_xfer_destroy.
 *
 * Collective over the world; synchronising.
 * Errors: DRI_ERR_STATE if the library does not run and there is no MPI to end;
 *         DRI_ERR_STATE, on this process alone, while another of its threads is in DRI_init, DRI_finalize,
 *         a commit, DRI_xfer_query, DRI_dist_create or DRI_group_gather over several processes; nothing has
 *         happened then;
 *         DRI_ERR_STATE, on all processes, if another thread of any process is in a call of an endpoint. The
 *         message names process and transfer. Repeat the call when that thread has left its own. Until then the
 *         buffers of that endpoint must stay;
 *         DRI_ERR_TIMEOUT after the deadline of DRI_SETUP_TIMEOUT, with the ranks that have not called. If all
 *         have called, but some were held up in the call, it names none;
 *         DRI_ERR_PEER as in DRI_dist_create; MPI cannot be ended then, so leave the program without MPI_Finalize;
 *         DRI_ERR_MISMATCH if a process makes another collective call over the world;
 *         DRI_ERR_TRANSPORT; the library no longer runs then.
 *         After a DRI_ERR_STATE on all processes, DRI_ERR_TIMEOUT, DRI_ERR_PEER and DRI_ERR_MISMATCH, the handles
 *         of all objects are destroyed, the library and MPI still run, and the call may be repeated.
 */
DRI_API int DRI_finalize(void);

/*
 * Returns whether the library runs.
 *
 * Local. May be called at any time.
 * flag: set to 1 between a successful DRI_init and DRI_finalize, otherwise to 0. It is 0 while a thread is in one
 *       of them.
 * Errors: DRI_ERR_ARG for NULL.
 */
DRI_API int DRI_initialized(int *flag);

/*
 * Returns the version of the library that the program runs with.
 *
 * Local. May be called at any time.
 * major, minor, patch: each set if not NULL.
 * Errors: none.
 */
DRI_API int DRI_version(int *major, int *minor, int *patch);

/*
 * Returns the number of processes in the world.
 *
 * Local.
 * size: set to the number.
 * Errors: DRI_ERR_ARG for NULL;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_world_size(int *size);

/*
 * Returns the rank of the calling process in the world.
 *
 * A rank in this interface is always a rank of the world.
 *
 * Local.
 * rank: set to the rank, 0 <= rank < size.
 * Errors: DRI_ERR_ARG for NULL;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_world_rank(int *rank);

#ifdef __cplusplus
}
#endif
#endif
