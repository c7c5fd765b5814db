/*
 * Split frames and streams: frames in several buffers, between endpoints that run at their own pace.
 *
 * The calls here are the two halves of DRI_do. For a source, DRI_do is DRI_insert, then DRI_acquire; for a sink,
 * DRI_release, then DRI_extract. Buffers are first in, first out. After the commit the caller holds a source's
 * first buffer, and nothing of a sink. The next buffer of a source is free when the frame that was in it has left.
 * All sinks of the source's process and node have then taken that frame. Its messages are packed, but need not
 * have arrived. A sink of n buffers of the library is filled n - 1 frames ahead of the caller, and one
 * more while the caller waits. A sink of one buffer, or with any buffer of the user's own, is filled inside its
 * own calls only. One thread uses a transfer at a time (DRI_ERR_STATE). Meanwhile only DRI_progress,
 * DRI_xfer_get_info, DRI_xfer_get_times, DRI_xfer_get_peers and DRI_xfer_explain may be called. See
 * docs/howto/streams.md and docs/howto/threads.md.
 */
#ifndef DRI_STREAM_H
#define DRI_STREAM_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of the user's bytes that travel with a frame. */
enum { DRI_MAX_FRAME_BYTES = 256 };

/* What travels with a frame. Valid when filled with zeros. */
typedef struct DRI_Frame {
    int64_t number;      /* of the source's frame, from 0; the library counts, DRI_insert ignores it */
    int64_t time_ns;     /* nanoseconds since 1970-01-01 UTC; DRI_insert replaces 0 by the clock's time */
    int32_t bytes;       /* of data, 0 to DRI_MAX_FRAME_BYTES */
    int32_t reserved[3]; /* 0 */
    unsigned char data[DRI_MAX_FRAME_BYTES]; /* the user's */
} DRI_Frame;

/*
 * Returns the next buffer of a source; waits until it is free.
 *
 * The caller may hold several buffers, and fills them in any order. The slowest sink holds the source back, except
 * sinks that drop frames, see DRI_ATTR_ON_FULL. Messages may put a source further ahead, short ones by up to eight
 * times as many frames. Messages of 8 bytes or less may put it any number ahead. Do not rely on it.
 *
 * Collective over the endpoints involved; not synchronising.
 * xfer: a source.
 * buf: set to the address if not NULL. The buffer is the caller's until it is inserted.
 * Cost: no allocation.
 * Errors: as in DRI_do;
 *         DRI_ERR_ARG for a sink, and in place;
 *         DRI_ERR_DEADLOCK, also if the caller holds all buffers;
 *         DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS.
 * Source: deviation 28.
 */
DRI_API int DRI_acquire(DRI_Xfer xfer, void **buf);

/*
 * Returns the next buffer of a source if it is free now: DRI_acquire without its wait.
 *
 * It does the work that can be done now. One thread can so serve many transfers. What only its caller could bring
 * about, such as a DRI_insert while it holds all buffers, is not there yet: done is 0.
 *
 * Local. Does not wait.
 * xfer: a source.
 * buf: if done is 1, set to the address, as in DRI_acquire.
 * done: set to 1 if the buffer is the caller's, otherwise to 0.
 * Cost: that of DRI_test.
 * Errors: DRI_ERR_ARG for a sink, for NULL in done, and in place;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE, DRI_ERR_MISMATCH, DRI_ERR_PEER and DRI_ERR_TRANSPORT as in DRI_acquire.
 * Source: deviation 53.
 */
DRI_API int DRI_try_acquire(DRI_Xfer xfer, void **buf, int *done);

/*
 * Returns the buffer of a source to fill now: the oldest that the caller holds, otherwise the one of DRI_acquire.
 *
 * A loop of DRI_next and DRI_insert needs no other call, also for the first buffer, which the caller holds after
 * the commit. Before the DRI_insert a second call returns the same buffer.
 *
 * Collective over the endpoints involved; not synchronising. Does not wait if the caller holds a buffer.
 * xfer: a source.
 * buf: set to the address if not NULL. The buffer is the caller's until it is inserted.
 * Cost: no allocation.
 * Errors: DRI_ERR_ARG for a sink;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE after DRI_xfer_close, and as in DRI_do;
 *         as in DRI_acquire if the caller holds no buffer.
 * Source: deviation 57.
 */
DRI_API int DRI_next(DRI_Xfer xfer, void **buf);

/*
 * Hands over the frame in the oldest buffer that the caller holds of a source.
 *
 * Data that cannot leave at once leave inside later calls of this transfer, in DRI_progress, or while the process
 * waits in any call. At the latest they leave when the endpoint is destroyed.
 *
 * With DRI_ATTR_STREAM, each frame travels with a DRI_Frame: the one of the first process of the source's group.
 * It is sent to every process of every sink. A process whose part is empty waits for it, too. It costs one short
 * message from that process to each. Without the attribute nothing is sent.
 *
 * Local. Does not wait.
 * xfer: a source.
 * frame: what travels with the frame. With NULL it is the number and the time alone, as with DRI_do. Copied.
 *        Processes other than the first of the group may pass NULL.
 * Cost: no allocation. Packs messages as far as there is memory for them. Copies a user's buffer into shared
 *       memory if other processes cannot read it, see DRI_do.
 * Errors: DRI_ERR_ARG for a sink, in place, for bytes out of range, and for reserved words that are not 0;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE if the caller holds no buffer;
 *         DRI_ERR_STATE for a DRI_Frame if the source has no DRI_ATTR_STREAM;
 *         DRI_ERR_STATE after DRI_xfer_close, and as in DRI_do;
 *         DRI_ERR_MISMATCH, see DRI_xfer_close and dri/window.h;
 *         DRI_ERR_TRANSPORT.
 * Source: deviation 28.
 */
DRI_API int DRI_insert(DRI_Xfer xfer, const DRI_Frame *frame);

/*
 * Returns the next frame of a sink; waits until it has arrived.
 *
 * The caller may hold several frames.
 *
 * Collective over the endpoints involved; not synchronising.
 * xfer: a sink.
 * buf: set to the address if not NULL. The buffer is the caller's until it is released.
 * frame: set to what came with the frame if not NULL. If the source has no DRI_ATTR_STREAM, it is the number
 *        alone; a sink of strips counts strips, see docs/howto/round_robin.md. Data beyond its bytes are zeros.
 * Cost: no allocation.
 * Errors: as in DRI_do;
 *         DRI_ERR_ARG for a source, and in place;
 *         DRI_ERR_DEADLOCK, also if the caller holds all buffers;
 *         DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS;
 *         DRI_END_OF_STREAM after the last frame of a stream.
 * Source: deviation 28.
 */
DRI_API int DRI_extract(DRI_Xfer xfer, void **buf, DRI_Frame *frame);

/*
 * Returns the next frame of a sink if it is here now: DRI_extract without its wait.
 *
 * It does the work that can be done now. If done is 0, the sink takes its next frame as soon as it arrives, as in
 * a DRI_extract that timed out. Until it is extracted, the frame's buffer is the library's, also one of the user's
 * own, and its window has the offset that holds now.
 *
 * Local. Does not wait.
 * xfer: a sink.
 * buf: if done is 1, set to the address, as in DRI_extract.
 * frame: if done is 1, set to what came with the frame, as in DRI_extract.
 * done: set to 1 if the frame is the caller's, otherwise to 0. It stays 0 while only the caller could bring it
 *       about, such as by a DRI_release while it holds all buffers.
 * Cost: that of DRI_test.
 * Errors: DRI_ERR_ARG for a source, for NULL in done, and in place;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE, DRI_ERR_MISMATCH, DRI_ERR_PEER and DRI_ERR_TRANSPORT as in DRI_extract;
 *         DRI_END_OF_STREAM after the last frame of a stream.
 * Source: deviation 53.
 */
DRI_API int DRI_try_extract(DRI_Xfer xfer, void **buf, DRI_Frame *frame, int *done);

/*
 * Returns again the frame of a sink that the caller has got last: its buffer, and what came with it.
 *
 * DRI_do, DRI_wait and DRI_test return no DRI_Frame. This call has it, as long as the caller holds the frame.
 *
 * Local.
 * xfer: a sink.
 * buf: set to the address if not NULL.
 * frame: set as in DRI_extract if not NULL.
 * Errors: DRI_ERR_ARG for a source;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE before the commit, before the first frame, and if the caller holds no frame.
 * Source: deviation 2.
 */
DRI_API int DRI_xfer_get_frame(DRI_Xfer xfer, void **buf, DRI_Frame *frame);

/*
 * Gives back the oldest frame that the caller holds of a sink.
 *
 * Local. Does not wait.
 * xfer: a sink.
 * Cost: no allocation. Posts the receives of a frame for which there is now a buffer. May pack and send messages
 *       of this process's source.
 * Errors: DRI_ERR_ARG for a source, and in place;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE if the caller holds no frame;
 *         DRI_ERR_STATE before the commit, and while another thread uses the transfer;
 *         DRI_ERR_STATE after a frame that failed half-way;
 *         DRI_ERR_MISMATCH, see DRI_xfer_close;
 *         DRI_ERR_TRANSPORT.
 * Source: deviation 28.
 */
DRI_API int DRI_release(DRI_Xfer xfer);

/*
 * Closes a stream after the frames that are inserted.
 *
 * Every process of the source calls it, after the same frame. The sinks take the end of stream from the first
 * process of the group. From then on every call that would wait for a later frame returns DRI_END_OF_STREAM, also
 * on processes whose part is empty. A DRI_do that returns it has released the oldest frame that its caller held.
 * Buffers that the caller of the source still holds are not inserted. The endpoint must still be destroyed.
 * DRI_do by name then executes only the sinks of a process that holds both endpoints.
 *
 * If processes of the source close after different frames, a process that detects this fails with
 * DRI_ERR_MISMATCH. The message names both processes. The process can then only destroy the transfer. These
 * processes detect it:
 * - A sink that waits for a frame's part from a process that closed earlier.
 * - A source process that inserted more frames than the first process. It fails once a sink that takes from it has
 *   reached the end of stream. Any of its calls may fail, also closing and destroying. If a sink drops frames, it
 *   fails as soon as it learns of the end of stream.
 *
 * A process that has destroyed its endpoint before is not informed, nor is one from which nobody takes.
 *
 * Local. Does not wait.
 * xfer: a source with DRI_ATTR_STREAM.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for a sink;
 *         DRI_ERR_STATE without DRI_ATTR_STREAM, the second time, and as in DRI_do;
 *         DRI_ERR_MISMATCH, see above;
 *         DRI_ERR_TRANSPORT.
 * Source: deviation 34.
 */
DRI_API int DRI_xfer_close(DRI_Xfer xfer);

/*
 * Starts a frame: the first half of DRI_do.
 *
 * A source inserts its frame. A sink releases the oldest frame that the caller holds, if any. DRI_test or DRI_wait
 * completes the frame. DRI_do, DRI_acquire and DRI_extract of a started endpoint complete it, too, and do nothing
 * else.
 *
 * Local. Does not wait.
 * name: as in DRI_do.
 * xfer: as in DRI_do.
 * Cost: that of DRI_insert.
 * Errors: as in DRI_insert;
 *         DRI_ERR_ARG for a name of which this process holds no endpoint;
 *         DRI_ERR_STATE if one of the endpoints is started already; nothing is done then.
 * Source: minutes, "We have blocking and non-blocking calls"; deviation 28.
 */
DRI_API int DRI_start(const char *name, DRI_Xfer xfer);

/*
 * Completes a started frame if no wait is needed: the second half of DRI_do.
 *
 * It does the work that can be done now. If done is 1 the frame is complete, and nothing is started any more. One
 * DRI_wait may follow; it succeeds and does nothing.
 *
 * Local. Does not wait.
 * name: as in DRI_do.
 * xfer: as in DRI_do. By name, the endpoints that are started, all together.
 * done: set to 1 if the frame is done, and the next buffer or frame is the caller's; otherwise to 0.
 * Errors: DRI_ERR_ARG;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE if nothing is started, and as in DRI_do;
 *         DRI_ERR_DEADLOCK as in DRI_do, for a sink that drops frames;
 *         DRI_END_OF_STREAM for a sink after the last frame of a stream;
 *         DRI_ERR_MISMATCH, see DRI_xfer_close and dri/window.h;
 *         DRI_ERR_PEER as in DRI_do;
 *         DRI_ERR_TRANSPORT.
 * Source: deviation 28.
 */
DRI_API int DRI_test(const char *name, DRI_Xfer xfer, int *done);

/*
 * Waits until a started frame is complete: the second half of DRI_do.
 *
 * It returns when a source's next buffer is free, or a sink's next frame has arrived. Directly after a DRI_test
 * that set done to 1 it returns at once.
 *
 * Collective over the endpoints involved; not synchronising.
 * name: as in DRI_do.
 * xfer: as in DRI_do. By name, the endpoints that are started, all together.
 * Errors: as in DRI_do;
 *         DRI_ERR_STATE if nothing is started, except once after a DRI_test that set done to 1;
 *         DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS.
 * Source: minutes, "We have blocking and non-blocking calls"; deviations 28 and 29.
 */
DRI_API int DRI_wait(const char *name, DRI_Xfer xfer);

/*
 * Moves all transfers of this process, and the library's messages, as far as no wait is needed.
 *
 * It leaves out transfers that another thread is using. A failure in it fails the next call of that transfer with
 * its own code, and later calls with DRI_ERR_STATE.
 *
 * Local. With MPI_THREAD_MULTIPLE any thread may call it at any time. With a lower level, only a thread that may
 * call MPI.
 * Cost: one poll of each transfer; no allocation. Another thread's call of such a transfer waits for one step at
 *       most. With more processes than cores and work between calls, the library's messages move once in a ms.
 * Errors: DRI_ERR_STATE, DRI_ERR_TRANSPORT.
 * Source: deviations 28 and 30.
 */
DRI_API int DRI_progress(void);

#ifdef __cplusplus
}
#endif
#endif
