/*
 * Streams: frames in several buffers, between ends that run at their own pace.
 *
 * Every call here is one half of DRI_do, or its own. A source inserts a frame, then acquires the next buffer; a
 * sink releases a buffer, then extracts the next frame. DRI_do is one after the other, exactly. Buffers go first
 * in, first out: frame f is in buffer f modulo nbuffs, at every end, each with its own nbuffs.
 *
 * After the commit the caller holds a source's first buffer, as if he had acquired it, and nothing of a sink. A
 * source of n buffers acquires one once the frame that it held n frames before is taken by all sinks, so the
 * slowest sink holds it back, but for those that drop frames, see DRI_ATTR_ON_FULL. Short messages may put it
 * further ahead, by eight times as many frames at most, and those of 8 bytes or less by any number: do not count
 * on it. A sink of n buffers is filled ahead: n - 1 frames may be ahead of the caller, in buffers that he does not
 * hold, and one more while he waits for a frame. So a sink of one buffer gets its frame only inside its own calls.
 * So does a sink with any buffer of the user's own: it is not filled ahead, because he may use that buffer
 * elsewhere meanwhile, as the source of another transfer.
 *
 * Where the source has DRI_ATTR_STREAM, each frame travels with a DRI_Frame: its number, a time and up to 256
 * bytes of the user's, those that the first process of the source's group gives. It goes to every process of every
 * sink, also to one whose part is empty, which waits for it. It costs one short message from that process to each,
 * and nothing without the attribute.
 *
 * Without a thread of its own, see below, what moves, moves inside calls: those that wait, DRI_insert, DRI_start,
 * DRI_test and DRI_progress take all steps of a frame that can be taken, of all ends of the transfer that the
 * process holds. A call that waits, whether for a frame, in a collective call or to destroy a source, moves the
 * other transfers of the process on, too, but those that another thread is using. So frames that are inserted go,
 * and sinks are filled ahead, whatever the process waits for. A transfer is used by one thread at a time
 * (DRI_ERR_STATE otherwise); only DRI_progress, DRI_xfer_get_info, DRI_xfer_get_times,
 * DRI_xfer_get_peers and DRI_xfer_explain may be called meanwhile.
 *
 * With DRI_ATTR_PROGRESS_THREAD the commit starts a thread of the library's own, one for the process, which ends
 * with the last end that has it. It does what DRI_progress does, for all transfers of the process, while nobody
 * calls: it takes the steps that can be taken, messages on their way among them, so that frames go on while the
 * program computes. Calls of an end that has it leave it what they need not wait for: DRI_do of a source returns
 * once the next buffer is free (in place, also once its messages are packed), and DRI_insert and DRI_start hand
 * over and no more. A call that comes to a transfer meanwhile waits for one step at most. While there is something
 * to do, and some 200 us more, the thread keeps a core busy, which it lets others have first; then it looks every
 * 50 us, later every ms. While a call waits, which does the same work, it looks every 50 us. It takes no signals,
 * is named dri-progress, runs on the cores of the thread that commits, and ends before MPI_Finalize does anything.
 * Where it has no core to itself, as in a process that mpirun binds to one core, it gains nothing, and takes time
 * from those that compute. It needs MPI_THREAD_MULTIPLE: else DRI_commit fails with DRI_ERR_UNSUPPORTED on all.
 * What fails in it fails the next call of that transfer, once, also if that is to destroy an end of it. A sink of
 * one buffer, or of the user's own, still gets its frame only once it is asked for.
 */
#ifndef DRI_STREAM_H
#define DRI_STREAM_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most bytes of the user's that go with a frame. */
enum { DRI_MAX_FRAME_BYTES = 256 };

/* What goes with a frame. Valid when filled with zeros. */
typedef struct DRI_Frame {
    int64_t number;      /* of the source's frame, from 0; the library counts, and DRI_insert does not look */
    int64_t time_ns;     /* nanoseconds since 1970-01-01 UTC; 0 to DRI_insert: the clock's time then */
    int32_t bytes;       /* of data, 0 to DRI_MAX_FRAME_BYTES */
    int32_t reserved[3]; /* 0 */
    unsigned char data[DRI_MAX_FRAME_BYTES];
} DRI_Frame;

/*
 * The next buffer of a source; waits until it is free. The caller may hold several, and fills them in any order.
 *
 * Collective over the ends involved; not synchronising.
 * xfer: a source.
 * buf: set to the address if not NULL. The buffer is the caller's until he inserts it.
 * Cost: no allocation.
 * Errors: as of DRI_do; DRI_ERR_ARG for a sink, and in place; DRI_ERR_DEADLOCK, also if the caller holds all
 *         buffers; DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS.
 * Source: deviation 28.
 */
DRI_API int DRI_acquire(DRI_Xfer xfer, void **buf);

/*
 * Hands over the frame in the oldest buffer that the caller holds of a source.
 *
 * Local. Does not wait: what cannot go at once goes inside later calls of this transfer, in DRI_progress, and
 * while the process waits in any call, at the latest when the end is destroyed.
 * xfer: a source.
 * frame: what goes with the frame, or NULL for nothing but its number and time, as with DRI_do. Copied. Only that
 *        of the first process of the source's group travels; others may give NULL.
 * Cost: no allocation. Packs messages as far as there is memory for them, and copies a user's buffer into shared
 *       memory where other processes cannot read it, see DRI_do.
 * Errors: DRI_ERR_ARG for a sink, in place, for bytes out of range, and for reserved words that are not 0;
 *         DRI_ERR_HANDLE; DRI_ERR_STATE if the caller holds no buffer, for a frame where the source has no
 *         DRI_ATTR_STREAM, after DRI_xfer_close, and as of DRI_do; DRI_ERR_MISMATCH, see there; DRI_ERR_TRANSPORT.
 * Source: deviation 28.
 */
DRI_API int DRI_insert(DRI_Xfer xfer, const DRI_Frame *frame);

/*
 * The next frame of a sink; waits until it has arrived. The caller may hold several.
 *
 * Collective over the ends involved; not synchronising.
 * xfer: a sink.
 * buf: set to the address if not NULL. The buffer is the caller's until he releases it.
 * frame: set to what came with the frame if not NULL; where the source has no DRI_ATTR_STREAM, the number alone.
 *        Data beyond its bytes are zeros.
 * Cost: no allocation.
 * Errors: as of DRI_do; DRI_ERR_ARG for a source, and in place; DRI_ERR_DEADLOCK, also if the caller holds all
 *         buffers; DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS; DRI_END_OF_STREAM after the last frame of a stream.
 * Source: deviation 28.
 */
DRI_API int DRI_extract(DRI_Xfer xfer, void **buf, DRI_Frame *frame);

/*
 * Gives back the oldest frame that the caller holds of a sink.
 *
 * Local. Does not wait.
 * xfer: a sink.
 * Cost: no allocation. Posts the receives of a frame that has room now, and may pack and send messages of this
 *       process's source.
 * Errors: DRI_ERR_ARG for a source, and in place; DRI_ERR_HANDLE; DRI_ERR_STATE if the caller holds no frame,
 *         before the commit, while the transfer is in use by another thread, or after a frame that failed
 *         half-way; DRI_ERR_MISMATCH, see DRI_xfer_close; DRI_ERR_TRANSPORT.
 * Source: deviation 28.
 */
DRI_API int DRI_release(DRI_Xfer xfer);

/*
 * Ends a stream after the frames that are inserted.
 *
 * Local. Does not wait. Every process of the source calls it, after the same frame; that of the first process of
 * the group is what the sinks hear of. They get DRI_END_OF_STREAM from every call that would wait for a later
 * frame, also those whose part is empty. A DRI_do that gets it has released the oldest frame that its caller held.
 * Where processes of the source close after different frames, who notices fails with DRI_ERR_MISMATCH, which names
 * both: a sink that lacks a frame's part of one that has closed before; a process of the source with a frame after
 * the end that the first process has told, once a sink that takes from it has come to that end, in whichever of
 * its calls that is, closing and destroying among them; and, where a sink drops frames, such a process as soon as
 * it hears of the end. It can only destroy the transfer then. Who has destroyed his end before is not told, nor is
 * one that nobody takes from. Buffers that the caller of the source holds are not inserted. The end is still to be
 * destroyed.
 * xfer: a source with DRI_ATTR_STREAM.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for a sink; DRI_ERR_STATE without DRI_ATTR_STREAM, the second time, and as
 *         of DRI_do; DRI_ERR_MISMATCH, see above; DRI_ERR_TRANSPORT.
 * Source: deviation 34.
 */
DRI_API int DRI_xfer_close(DRI_Xfer xfer);

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
 * What fails then fails the next call of that transfer with its own code, later ones with DRI_ERR_STATE.
 * Cost: one look at each transfer; no allocation. A call of another thread that comes to the same transfer
 *       meanwhile waits for one step at most.
 * Errors: DRI_ERR_STATE; DRI_ERR_TRANSPORT.
 * Source: deviations 28 and 30.
 */
DRI_API int DRI_progress(void);

#ifdef __cplusplus
}
#endif
#endif
