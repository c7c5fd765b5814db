/*
 * Attributes of an endpoint, and the values that they take. DRI_xfer_set_attr sets an attribute before the commit.
 */
#ifndef DRI_ATTRIBUTES_H
#define DRI_ATTRIBUTES_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Ways (transport paths) that bytes may go. DRI_ATTR_WAYS takes a sum of them. The environment's DRI_WAYS switches
 * ways off for all endpoints of a process.
 */
typedef enum DRI_Way {
    DRI_WAY_SELF = 1,    /* inside one process, one pass over memory */
    DRI_WAY_MESSAGE = 2, /* packed into messages; cannot be switched off, deviation 42 */
    DRI_WAY_DIRECT = 4   /* between processes of one node: the sink's process reads the source's buffer */
} DRI_Way;

/*
 * Attributes of an endpoint.
 *
 * Each attribute below has the range of its value, its default, and the processes that must agree. A value out of
 * range, and a sink's attribute on a source or the reverse, is DRI_ERR_ARG.
 */
typedef enum DRI_Attr {
    /*
     * Ways that bytes may go: a sum of DRI_Way that includes DRI_WAY_MESSAGE. Default: all.
     *
     * Endpoints may differ. A way is used only if all endpoints of the name allow it. To switch a way off, it is
     * therefore enough to set the attribute on one endpoint.
     */
    DRI_ATTR_WAYS = 1,

    /*
     * Maximum length of a message in bytes, 256 to 2^30. Default: 2^30.
     *
     * Most messages are shorter than the default, to stay in cache. A plan lists every message, so shorter ones
     * would need more memory than the data. Messages of lists of indices without a pattern are therefore not made
     * shorter than 8 KB. Endpoints may differ. The smallest value of all endpoints of the name holds. A scalar
     * that is converted is never cut in two.
     */
    DRI_ATTR_MESSAGE_BYTES = 2,

    /*
     * Sinks: 1 permits an element type that differs from the source's. Default: 0.
     *
     * All processes of the sink set the same value; DRI_commit fails with DRI_ERR_MISMATCH otherwise. Each number
     * becomes the nearest number of the sink's type; of two equally near ones, the even one. As an integer, a
     * number out of range saturates and NaN becomes 0. A float beyond its range becomes infinite. Real numbers,
     * complex numbers and records do not become each other. See DRI_xfer_set_scale and
     * docs/howto/types.md.
     */
    DRI_ATTR_CONVERT = 3,

    /*
     * Threads that share the copies of this process's endpoint, the caller included. 1 to 1024, default 1.
     *
     * It applies to this process alone; processes and endpoints may differ. DRI_commit starts the threads; all
     * transfers of the process share them. They never call MPI. DRI_commit fails with DRI_ERR_LIMIT if the system
     * starts no more threads. See docs/howto/threads.md.
     */
    DRI_ATTR_THREADS = 4,

    /*
     * Minimum bytes per thread: a copy of n bytes uses at most n / this many threads, and at least one. 1 to 2^40,
     * default 32 KiB. It applies to this process alone.
     */
    DRI_ATTR_SHARE_BYTES = 5,

    /*
     * How DRI_commit chooses kernels: a DRI_Planning. Default: DRI_ESTIMATE. It applies to this process's endpoint
     * alone.
     */
    DRI_ATTR_PLAN = 6,

    /*
     * Maximum workspace in bytes (workspace_bytes of DRI_Xfer_info), 0 to 2^62. Default: as much as is best.
     *
     * It applies to this process's endpoint alone. Results stay the same; frames get slower, and a source may run
     * fewer frames ahead. DRI_commit fails with DRI_ERR_LIMIT on all processes if the limit is too small, and
     * names the smallest limit that suffices. DRI_xfer_query returns it beforehand. On one node that is often 0,
     * because DRI_WAY_DIRECT needs no workspace for the library's buffers. See docs/howto/memory.md.
     */
    DRI_ATTR_WORKSPACE_LIMIT = 7,

    /*
     * Longest wait for a frame or a free buffer, in milliseconds, 0 to 2^31 - 1. Default: 0, which waits for ever.
     * DRI_TIMEOUT in the environment sets another default, in seconds.
     *
     * It applies to this process's endpoint alone. That of a source also limits how long slow sinks may hold it
     * back. It is measured from the start of the call; for several endpoints the shortest timeout holds. The call
     * then fails with DRI_ERR_TIMEOUT. Nothing is lost: the same call may be repeated and goes on where it was.
     * This holds for all calls that wait: DRI_do, DRI_wait, DRI_acquire and DRI_extract. It can be set after the
     * commit, too, for the calls that follow. See docs/howto/errors.md.
     */
    DRI_ATTR_TIMEOUT_MS = 8,

    /*
     * Sources: 1 sends a DRI_Frame with each frame, and lets DRI_xfer_close end the stream. Default: 0.
     *
     * All processes of the source set the same value; DRI_commit fails with DRI_ERR_MISMATCH otherwise. It fails
     * with DRI_ERR_UNSUPPORTED together with strips or DRI_ATTR_IN_PLACE. See docs/howto/streams.md.
     */
    DRI_ATTR_STREAM = 9,

    /*
     * Sinks: a DRI_On_full. Default: DRI_HOLD.
     *
     * All processes of the sink set the same value. DRI_commit fails with DRI_ERR_MISMATCH otherwise, and for
     * DRI_DROP if the source has no DRI_ATTR_STREAM.
     */
    DRI_ATTR_ON_FULL = 10,

    /*
     * 1 starts a thread that moves frames while the program computes. Default: 0. It applies to this
     * process's endpoint alone.
     *
     * One thread serves all transfers of the process. It needs MPI_THREAD_MULTIPLE: DRI_commit fails with
     * DRI_ERR_UNSUPPORTED on all processes otherwise. A failure in it fails the next call of that transfer, once.
     * See docs/howto/threads.md.
     */
    DRI_ATTR_PROGRESS_THREAD = 11,

    /*
     * Whether source and sink of a process share their buffers: a DRI_In_place. Default: DRI_OUT_OF_PLACE. All
     * endpoints of the name set the same value.
     *
     * The name has one sink, on the processes of the source; DRI_commit fails with DRI_ERR_MISMATCH otherwise.
     * Buffer i of both endpoints is one buffer, which the user gives to either. Both need the same number of
     * buffers (DRI_ERR_ARG), each of the larger DRI_xfer_buffer_bytes. DRI_do, DRI_start, DRI_test and DRI_wait by
     * name move both; other calls that move a frame fail with DRI_ERR_ARG. DRI_ERR_UNSUPPORTED with
     * DRI_ATTR_STREAM, strips or DRI_ATTR_REBASE. Everything travels in messages, except overlap in one layout in
     * buffers of the library or of DRI_alloc. See docs/howto/in_place.md.
     */
    DRI_ATTR_IN_PLACE = 12,

    /*
     * Dimensions of the GDO along which the window slides in this side's array, see dri/window.h. Default: 0.
     *
     * The value is the sum of 1 << d over these dimensions d. All processes of the side set the same value;
     * DRI_commit fails with DRI_ERR_MISMATCH otherwise. It fails with DRI_ERR_UNSUPPORTED for strips, in place, a
     * dimension that is cut, and a dimension with overlap in a sink. See docs/howto/windows.md.
     */
    DRI_ATTR_REBASE = 13,

    /*
     * Bytes that each of the user's buffers of this endpoint has, 0 to 2^62. Default: not checked.
     *
     * It applies to this process's endpoint alone. DRI_commit fails with DRI_ERR_ARG on all processes if a buffer
     * is too small; the message names the process and both sizes. A buffer needs DRI_xfer_buffer_bytes bytes, in
     * place the larger number of both endpoints. See docs/howto/memory.md.
     */
    DRI_ATTR_BUFFER_BYTES = 14,

    /*
     * 1 lets DRI_xfer_rebind move the endpoint's buffer to other memory between frames. Default: 0.
     *
     * All processes of the side set the same value; DRI_commit fails with DRI_ERR_MISMATCH otherwise. The endpoint
     * has one buffer (DRI_ERR_ARG). DRI_ERR_UNSUPPORTED with strips, in place, and with DRI_ATTR_REBASE on the
     * same side. See docs/howto/memory.md.
     */
    DRI_ATTR_REBIND = 15,

    /*
     * Sinks: k takes every k-th frame of the source, 1 to 2^20. Default: 1. See DRI_ATTR_PHASE for which.
     *
     * The source never waits for a sink with a frame that this sink does not take. DRI_Frame.number stays the
     * number of the source. All processes of the sink set the same value; DRI_commit fails with DRI_ERR_MISMATCH
     * otherwise. It fails with DRI_ERR_UNSUPPORTED with strips at the source and in place. See
     * docs/howto/round_robin.md.
     */
    DRI_ATTR_EVERY = 16,

    /*
     * Sinks: i takes the frames whose number f has f modulo k = i, where k is DRI_ATTR_EVERY. 0 to 2^20 - 1.
     * Default: 0.
     *
     * All processes of the sink set the same value; DRI_commit fails with DRI_ERR_MISMATCH otherwise. It fails
     * with DRI_ERR_ARG on all processes if i is not less than k. Both attributes may be set in any order.
     */
    DRI_ATTR_PHASE = 17
} DRI_Attr;

/* What happens to a frame of the source if a sink has not yet taken the earlier ones. */
typedef enum DRI_On_full {
    /*
     * The source waits.
     */
    DRI_HOLD = 0,

    /*
     * The sink misses the frame and never makes its source wait. See docs/howto/sinks.md.
     *
     * While two frames are on their way to some process of the sink, further ones are dropped on all its
     * processes. The number in DRI_Frame is the source's. All bytes travel as messages, also inside a process. The
     * smallest workspace limit includes memory for the messages of two frames. A process with both endpoints
     * executes them by their handles. Its sink fails with DRI_ERR_DEADLOCK if it has all frames that its own
     * source has handed over and not dropped.
     */
    DRI_DROP = 1
} DRI_On_full;

/*
 * Whether source and sink of a process share their buffers, and how much workspace a frame then needs. N is the
 * largest buffer of any process, P the number of processes. Both endpoints together count.
 */
typedef enum DRI_In_place {
    /*
     * Each endpoint has buffers of its own.
     */
    DRI_OUT_OF_PLACE = 0,

    /*
     * One buffer for both. At most N/P for square corner turns from row-major to column-major, slabs of equal
     * size, and overlap in one layout; small parts may need more. Other shapes need up to all that leaves a
     * process, and a message or two.
     */
    DRI_IN_PLACE = 1,

    /*
     * One buffer for both, whose contents are put in order before and after the messages. At most N/P for most
     * grids of cuts and for boxes into about equal parts, if N is at least 1,000 P^3 bytes. Frames take up to
     * about twice as long. Square corner turns from row-major to column-major, lists, overlap, subsets, and types
     * that are converted move as with DRI_IN_PLACE.
     */
    DRI_IN_PLACE_COMPACT = 2
} DRI_In_place;

/*
 * How DRI_commit chooses the kernels of an endpoint. Wisdom (dri/wisdom.h) has precedence over both. The results
 * of frames are the same whatever is chosen.
 */
typedef enum DRI_Planning {
    /*
     * By a cost model of the caches. It takes no time.
     */
    DRI_ESTIMATE = 0,

    /*
     * By measuring the kernels that the cost model ranks close, on the library's own memory. See
     * docs/howto/measuring.md.
     *
     * It takes at most about 0.5 s for each transfer, and for all at most about a quarter of DRI_SETUP_TIMEOUT. It
     * uses at most 48 MiB and some pages until the commit returns. A copy for which time or memory runs out keeps
     * the model's choice; a later commit may measure it. A source's endpoint measures how it packs messages, a
     * sink's how it takes its data. A copy inside the process is measured if either requests it.
     */
    DRI_MEASURE = 1
} DRI_Planning;

#ifdef __cplusplus
}
#endif
#endif
