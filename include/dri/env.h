/*
 * Environment: starting and ending the library, and the world that it works in.
 *
 * Every other function of the library needs the environment: before DRI_init and after
 * DRI_finalize it returns DRI_ERR_STATE. So does every call that needs MPI once the program has finalised MPI;
 * DRI_finalize still destroys all objects then.
 *
 * A child that the program forks, by whichever call of the system, while the library runs, while another thread
 * starts or ends it, or after a DRI_init that has started MPI and failed, has neither its threads nor MPI. It may
 * end, or execute another program, in any way; the library does nothing in it. Every function that needs the
 * environment, and those that start and end it, return DRI_ERR_STATE there, at once. Before Linux 4.14 that holds
 * for children made by fork() alone.
 */
#ifndef DRI_ENV_H
#define DRI_ENV_H

#include <dri/codes.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Starts the library on MPI_COMM_WORLD, and MPI itself if nobody has started it.
 *
 * Collective over MPI_COMM_WORLD; synchronising.
 * argc, argv: those of main, or NULL; handed to MPI.
 * If this call has started MPI and then fails, MPI runs on, because it cannot be started twice: call DRI_init
 * again when the cause is mended, or DRI_finalize to end MPI.
 * Cost: one duplicate of the communicator. MPI is asked for MPI_THREAD_MULTIPLE and may give less.
 * Errors: DRI_ERR_STATE if the library is running, or if MPI has been finalised; DRI_ERR_ARG if a
 *         DRI_ variable of any process has a value that means nothing; DRI_ERR_TRANSPORT.
 * Source: API contract, section 3.
 */
DRI_API int DRI_init(int *argc, char ***argv);

/*
 * Starts the library on a communicator given as its Fortran handle (MPI_Comm_c2f), as Fortran and
 * Python programs have it. See DRI_init_comm in dri_mpi.h.
 *
 * Collective over that communicator; synchronising.
 * comm: the communicator's Fortran handle; stays the caller's, who may free it at once.
 * Errors: DRI_ERR_STATE if MPI does not run or the library does; DRI_ERR_ARG for a null communicator,
 *         an intercommunicator or a number that is no communicator's; DRI_ERR_TRANSPORT.
 */
DRI_API int DRI_init_fcomm(int comm);

/*
 * Ends the library: destroys every object that is left, completes what is under way, and ends MPI
 * if DRI_init started it. After a DRI_init that started MPI and failed, it ends MPI alone.
 *
 * Collective over the world; synchronising. A process that waits in DRI_do for an end of a process
 * that is here gets DRI_ERR_STATE, see DRI_xfer_destroy.
 * Errors: DRI_ERR_STATE if the library does not run, unless there is MPI to end; DRI_ERR_TRANSPORT;
 *         DRI_ERR_TIMEOUT after the deadline of DRI_SETUP_TIMEOUT, with the ranks that have not come:
 *         all objects are gone then, the library and MPI still run, and the call may be repeated.
 */
DRI_API int DRI_finalize(void);

/*
 * Tells whether the library runs.
 *
 * Local. May be called at any time.
 * flag: set to 1 between a successful DRI_init and DRI_finalize, else to 0.
 * Errors: DRI_ERR_ARG for NULL.
 */
DRI_API int DRI_initialized(int *flag);

/*
 * Version of the library that the program runs with.
 *
 * Local. May be called at any time.
 * major, minor, patch: each set if not NULL.
 * Errors: none.
 */
DRI_API int DRI_version(int *major, int *minor, int *patch);

/*
 * Number of processes in the world.
 *
 * Local.
 * size: set to the number.
 * Errors: DRI_ERR_ARG for NULL; DRI_ERR_STATE.
 */
DRI_API int DRI_world_size(int *size);

/*
 * Rank of the calling process in the world. A rank in this interface is always a rank of the world.
 *
 * Local.
 * rank: set to the rank, 0 <= rank < size.
 * Errors: DRI_ERR_ARG for NULL; DRI_ERR_STATE.
 */
DRI_API int DRI_world_rank(int *rank);

#ifdef __cplusplus
}
#endif
#endif
