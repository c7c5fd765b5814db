/*
 * Streams: frames in several buffers, between ends that run at their own pace.
 *
 * Every call here is one half of DRI_do, or its own. A source inserts a frame, then acquires the next buffer; a
 * sink releases a buffer, then extracts the next frame. DRI_do is one after the other, exactly. Buffers go first
 * in, first out: frame f is in buffer f modulo nbuffs, at every end, each with its own nbuffs.
 *
 * After the commit the caller holds a source's first buffer, as if he had acquired it, and nothing of a sink. A
 * source of n buffers acquires one once the frame that it held n frames before is taken by all sinks, so the
 * slowest sink holds it back. A sink of n buffers is filled ahead: n - 1 frames may be ahead of the caller, in
 * buffers that he does not hold, and one more while he waits for a frame. So a sink of one buffer gets its frame
 * only inside its own calls. So does a sink with any buffer of the user's own: it is not filled ahead, because he
 * may use that buffer elsewhere meanwhile, as the source of another transfer.
 *
 * What moves, moves inside calls: those that wait, DRI_insert, DRI_start, DRI_test and DRI_progress take all steps
 * of a frame that can be taken, of all ends of the transfer that the process holds. A wait in one transfer moves
 * on that transfer only; other transfers move inside their own calls and in DRI_progress. A transfer is used by
 * one thread at a time (DRI_ERR_STATE otherwise); only DRI_progress, DRI_xfer_get_info and DRI_xfer_get_times may
 * be called meanwhile.
 */
#ifndef DRI_STREAM_H
#define DRI_STREAM_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The next buffer of a source; waits until it is free. The caller may hold several, and fills them in any order.
 *
 * Collective over the ends involved; not synchronising.
 * xfer: a source.
 * buf: set to the address if not NULL. The buffer is the caller's until he inserts it.
 * Cost: no allocation.
 * Errors: as of DRI_do; DRI_ERR_ARG for a sink; DRI_ERR_DEADLOCK, also if the caller holds all buffers;
 *         DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS.
 * Source: deviation 28.
 */
DRI_API int DRI_acquire(DRI_Xfer xfer, void **buf);

/*
 * Hands over the frame in the oldest buffer that the caller holds of a source.
 *
 * Local. Does not wait: what cannot go at once goes inside later calls of this transfer and in DRI_progress, at
 * the latest while DRI_acquire waits, or when the end is destroyed. A wait in another transfer does not move it
 * on: before you wait there, or destroy ends, call DRI_acquire, or DRI_progress meanwhile.
 * xfer: a source.
 * Cost: no allocation. Packs messages as far as there is memory for them, and copies a user's buffer into shared
 *       memory where other processes cannot read it, see DRI_do.
 * Errors: DRI_ERR_ARG for a sink; DRI_ERR_HANDLE; DRI_ERR_STATE if the caller holds no buffer, and as of DRI_do;
 *         DRI_ERR_TRANSPORT.
 * Source: deviation 28.
 */
DRI_API int DRI_insert(DRI_Xfer xfer);

/*
 * The next frame of a sink; waits until it has arrived. The caller may hold several.
 *
 * Collective over the ends involved; not synchronising.
 * xfer: a sink.
 * buf: set to the address if not NULL. The buffer is the caller's until he releases it.
 * Cost: no allocation.
 * Errors: as of DRI_do; DRI_ERR_ARG for a source; DRI_ERR_DEADLOCK, also if the caller holds all buffers;
 *         DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS.
 * Source: deviation 28.
 */
DRI_API int DRI_extract(DRI_Xfer xfer, void **buf);

/*
 * Gives back the oldest frame that the caller holds of a sink.
 *
 * Local. Does not wait.
 * xfer: a sink.
 * Cost: no allocation. Posts the receives of a frame that has room now, and may pack and send messages of this
 *       process's source.
 * Errors: DRI_ERR_ARG for a source; DRI_ERR_HANDLE; DRI_ERR_STATE if the caller holds no frame, before the commit,
 *         while the transfer is in use by another thread, or after a frame that failed half-way;
 *         DRI_ERR_TRANSPORT.
 * Source: deviation 28.
 */
DRI_API int DRI_release(DRI_Xfer xfer);

/*
 * The first half of DRI_do: a source inserts its frame, a sink releases the oldest one that the caller holds, if
 * any.
 *
 * Local. Does not wait. DRI_test and DRI_wait do the second half; DRI_do, DRI_acquire and DRI_extract of such an
 * end do it, too, and nothing else.
 * name: as of DRI_do.
 * xfer: as of DRI_do.
 * Cost: as of DRI_insert.
 * Errors: as of DRI_insert; DRI_ERR_ARG for a name that this process does not hold; DRI_ERR_STATE if one of the
 *         ends is started already, nothing is done then.
 * Source: API contract, section 8; deviation 28.
 */
DRI_API int DRI_start(const char *name, DRI_Xfer xfer);

/*
 * The second half of DRI_do, if it needs no wait any more.
 *
 * Local. Takes the steps that can be taken.
 * name: as of DRI_do.
 * xfer: as of DRI_do; by name, of the ends that are started, all together.
 * done: set to 1 if the frame is done, and the next buffer or frame is the caller's; else to 0.
 * Errors: DRI_ERR_ARG; DRI_ERR_HANDLE; DRI_ERR_STATE if nothing is started, and as of DRI_do; DRI_ERR_TRANSPORT.
 * Source: API contract, section 8; deviation 28.
 */
DRI_API int DRI_test(const char *name, DRI_Xfer xfer, int *done);

/*
 * The second half of DRI_do: waits until a source's next buffer is free, or a sink's next frame has arrived.
 *
 * Collective over the ends involved; not synchronising.
 * name: as of DRI_do.
 * xfer: as of DRI_do; by name, of the ends that are started, all together.
 * Errors: as of DRI_do; DRI_ERR_STATE if nothing is started; DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS.
 * Source: API contract, section 8; deviations 28 and 29.
 */
DRI_API int DRI_wait(const char *name, DRI_Xfer xfer);

/*
 * Moves on all transfers of this process, and the library's messages, as far as that needs no wait.
 *
 * Local. With MPI_THREAD_MULTIPLE it may be called by any thread at any time, with a lower level only where that
 * thread may call MPI. Transfers that another thread is using go on without it.
 * What fails then fails the next call of that transfer, with DRI_ERR_STATE and the story.
 * Cost: one look at each transfer; no allocation but in the first call after a commit or the end of an end.
 * Errors: DRI_ERR_STATE; DRI_ERR_MEMORY; DRI_ERR_TRANSPORT.
 * Source: deviations 28 and 30.
 */
DRI_API int DRI_progress(void);

#ifdef __cplusplus
}
#endif
#endif
