/*
 * Transfers: named reorganisations from one distribution to another.
 *
 * A process declares the ends that it holds, commits once with all others of the scope, and then
 * executes frame after frame. Buffers are used in turn: frame f uses buffer f modulo nbuffs.
 */
#ifndef DRI_XFER_H
#define DRI_XFER_H

#include <dri/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Xfer;

/* The null handle: with a name, DRI_do takes every end of that name that the process holds. */
extern DRI_API const DRI_Xfer DRI_XFER_NULL;

/* Longest name of a transfer, in bytes without the NUL. */
enum { DRI_MAX_NAME = 127 };

typedef enum DRI_Role {
    DRI_SOURCE = 1, /* data go out */
    DRI_SINK = 2    /* data come in */
} DRI_Role;

/*
 * Ways that bytes may go; DRI_ATTR_WAYS takes a sum of them. The environment's DRI_WAYS switches ways off for all
 * ends of a process.
 */
typedef enum DRI_Way {
    DRI_WAY_SELF = 1,    /* inside one process, one pass over memory */
    DRI_WAY_MESSAGE = 2, /* packed into messages; cannot be switched off, deviation 42 */
    DRI_WAY_DIRECT = 4   /* between processes of one node: the sink's process reads the source's buffer */
} DRI_Way;

/*
 * Attributes of an end. Where the ends of a transfer differ about ways or message bytes, the most
 * restrictive value holds.
 *
 * With DRI_ATTR_TIMEOUT_MS a call that waits fails with DRI_ERR_TIMEOUT after that time, counted from its begin;
 * where it waits for several ends, after the shortest of theirs. The message names the transfer, and the frame and
 * a process that was missing, unless the deadline passed just before the frame was done. Nothing is lost: the same
 * call may be repeated and goes on where it was. A DRI_do has done its first half then, see dri/stream.h, and
 * repeated it does only the second one.
 *
 * With DRI_ATTR_THREADS above 1 the commit starts threads of the library's own, which all transfers of the process
 * use and which end with the last of those. They take shares of the copies of a frame: a source's packing, and
 * what a sink moves inside the process, takes from others of its node, or unpacks. They never call MPI, take no
 * signals, are bound to no core, and do nothing between frames: they look for work for some 200 us, then sleep.
 * Where two threads of the program execute frames of different transfers at once, one of them gets the library's
 * threads, the other does its copies alone.
 *
 * With DRI_ATTR_WORKSPACE_LIMIT an end takes no more workspace, see DRI_Xfer_info, than that. A source then has
 * room for the messages of fewer frames, and is not so many frames ahead of its sinks: of one frame less than it
 * has buffers it is as far ahead as without a limit, of k frames k, and where not even one fits it goes in rounds:
 * it packs as many messages of each receiver as have room, waits until they are away and goes on, as far ahead as
 * a source of one buffer. A sink has room for fewer messages of each sender. Where that does not suffice, the
 * messages of the transfer become shorter, on all its processes, down to 4 KB, longer ones where a pair of
 * processes exchanges more than 64 MB. Where that does not suffice, DRI_commit fails on all with DRI_ERR_LIMIT,
 * and tells the smallest limit that would do. Copies of buffers and tiles are as large as they must be:
 * DRI_ATTR_WAYS without DRI_WAY_DIRECT does without them. Frames get slower, their results are the same. In place
 * messages do not become shorter; of the two ways there the one is taken that the limits of all ends allow, and
 * where there is none, what the error tells is of the way that lacks fewer bytes in all.
 *
 * With DRI_ATTR_IN_PLACE source and sink of a process are one buffer: DRI_do finds the source's frame there and
 * leaves the sink's. All ends of the name set it, there is one sink, and source and sink are of the same
 * processes. Both ends of a process have equally many buffers; buffer i of both is the one that the user gives to
 * either of them, or to both the same, else one of the library's, which lives as long as one of the ends. It holds
 * the larger of the two parts: the larger DRI_xfer_buffer_bytes. Source and sink go together: DRI_do, DRI_start,
 * DRI_test and DRI_wait take them by name, other calls that move a frame are refused (DRI_ERR_ARG). With n buffers
 * frame f is turned in buffer f modulo n, and the next one is filled meanwhile. All that does not stay where it is
 * goes by messages, that of the process itself, too.
 *
 * Workspace of a process in place, that of both ends together, has the mark M: the largest buffer of any process
 * divided by P, the number of processes. Nobody takes more than M where what comes from a process lies where
 * something for it came from, or what comes of a slab of the slowest dimension in that slab, but for small parts,
 * which are cut into slabs of a kilobyte or more, or tiles of 64 bytes or more, and for lists along further
 * dimensions: each slab keeps those again, and there are only as many slabs as save about as much workspace as
 * that takes. With long lists along two dimensions and small elements a process may so take more than M, whatever
 * the size of its part. Where somebody would take more, all processes put their parts in order inside their
 * buffers before and after the messages, if then nobody takes more than M, or the most that one takes is less by a
 * quarter. That does for other turns of large and about equal parts, and takes up to twice as long. A process with
 * limits on both ends has those and not M; large ones on all processes, so, do without the order. Where that does
 * not serve either, such as with types that are converted, the source takes up to all that leaves the process,
 * each message in whole cache lines of 64 bytes, and the sink M / 2, or the longest message that comes.
 *
 * Where a process puts nothing in order, a frame in place changes the sink's elements that something comes for,
 * its pads, and no other byte: what lies at the same place in both parts, such as the owned elements of one
 * distribution with overlap on both sides, keeps its value all the time, and so does what is in neither part, or
 * in the sink's with nothing that comes for it. Where parts are put in order, which DRI_xfer_explain tells, every
 * byte of the buffer may change while the frame moves; elements at the same place in both parts have their value
 * again in the end, and bytes in neither part, such as gaps between rows, have any. That is done only where source
 * and sink have the same elements, each at one place, so that something comes for all of the sink's.
 *
 * After a call in place that failed but for DRI_ERR_TIMEOUT, or before the end of a frame that timed out, the
 * buffer holds neither the source's frame nor the sink's. A process that destroys its ends ends the transfer for
 * those that send to it.
 *
 * With DRI_ATTR_CONVERT, real numbers of any type become real numbers of any other, and complex numbers
 * complex ones, part by part: each becomes the nearest number of the sink's type, of two that are as
 * near the even one. For an integer, what lies outside the range becomes its nearest end, and NaN
 * becomes 0. For a float, a double that rounds beyond its range becomes infinite; NaN stays NaN.
 * A scale other than 1 is multiplied in float where both types are float or have at most 16 bits, else
 * in double, so three steps round: the number and the scale to that type, their product, and the
 * product to the sink's type as above. Between real and complex numbers, and of records, there is no
 * conversion. Numbers travel in the smaller of the two types.
 */
typedef enum DRI_Attr {
    DRI_ATTR_WAYS = 1,          /* sum of DRI_Way; default: all */
    DRI_ATTR_MESSAGE_BYTES = 2, /* largest message, in bytes, 1 to 2^30; default 2^30; most are shorter, to
                                   stay in cache; a number that is converted is never cut in two */
    DRI_ATTR_CONVERT = 3,       /* sinks: 1: the type may differ from the source's; default 0; the same on all
                                   processes of the sink */
    DRI_ATTR_THREADS = 4,       /* threads that share the copies of this process's end, the caller's included; 1 to
                                   1024; default 1. May differ from process to process and from end to end */
    DRI_ATTR_SHARE_BYTES = 5,   /* bytes of a copy that a thread is worth: of fewer, fewer threads share it; 1 to
                                   2^40; default 32 KiB */
    DRI_ATTR_PLAN = 6,          /* a DRI_Planning; default: DRI_ESTIMATE; of this process's end alone */
    DRI_ATTR_WORKSPACE_LIMIT = 7, /* most bytes of workspace, of this process's end alone; 0 to 2^62; default: as
                                    much as is best. See DRI_xfer_query */
    DRI_ATTR_TIMEOUT_MS = 8, /* longest wait for a frame, or for a free buffer, in milliseconds, 0 to 2^31 - 1;
                                default 0: as long as it takes. Of this process's end alone */
    DRI_ATTR_STREAM = 9,     /* sources: 1: frames come with a DRI_Frame, and DRI_xfer_close ends them, see
                                dri/stream.h; default 0; the same on all processes of the source */
    DRI_ATTR_ON_FULL = 10,   /* sinks: a DRI_On_full; default DRI_HOLD; the same on all processes of the sink */
    DRI_ATTR_PROGRESS_THREAD = 11, /* 1: a thread moves frames on while nobody calls, see dri/stream.h; default 0;
                                      of this process's end alone */
    DRI_ATTR_IN_PLACE = 12, /* 1: source and sink share their buffers; default 0; the same at all ends of a name;
                               not with DRI_ATTR_STREAM */
    DRI_ATTR_REBASE = 13 /* the sum of 1 << d over those dimensions d of the GDO along which the window slides in
                            this end's array, see dri/window.h; default 0; the same on all processes of the
                            end */
} DRI_Attr;

/*
 * What becomes of a frame of the source that comes when a sink has not taken the ones before.
 *
 * With DRI_DROP a sink never makes its source wait: while two frames are on their way to some process of the sink,
 * further ones are dropped, each whole, on all processes of the sink. What is whole in a sink's buffer is not on
 * its way any more. The first process of the source's group decides when the frame begins to move there; the
 * others wait for its word, so they are at most as many frames ahead of it as they have buffers. The source needs
 * DRI_ATTR_STREAM: the number in DRI_Frame tells which frame of the source it is, and DRI_Xfer_info counts those
 * that are missing. All bytes go as messages, also on one node and inside a process, because what is read where it
 * lies would hold the source's buffer. Memory for the messages of two frames is part of the smallest workspace
 * limit. A process that holds both ends executes them by their handles: its sink gets DRI_ERR_DEADLOCK where it
 * has all that its own source has handed over and did not drop.
 */
typedef enum DRI_On_full {
    DRI_HOLD = 0, /* the source waits */
    DRI_DROP = 1  /* the sink misses the frame */
} DRI_On_full;

/*
 * How DRI_commit chooses the kernels of an end. Wisdom (dri/wisdom.h) comes first with both.
 *
 * Measuring runs the kernels that the cost model ranks close on memory of the library's own, never on the buffers
 * of the transfer, and keeps the fastest for each shape of copy. It takes at most about 0.5 s for each transfer,
 * all together at most about a quarter of the deadline of DRI_SETUP_TIMEOUT, and at most 48 MiB and some pages
 * until the commit returns. Copies that there is no time or memory for keep the model's choice; a later commit may
 * measure them. A source's end measures how it packs messages, a sink's how it takes its data; what stays in a
 * process is measured where either asks. The results of frames are the same whatever is chosen.
 */
typedef enum DRI_Planning {
    DRI_ESTIMATE = 0, /* by a cost model of the caches; takes no time */
    DRI_MEASURE = 1   /* by measuring where that model is in doubt */
} DRI_Planning;

/*
 * Declares one end of a named transfer.
 *
 * Local. Nothing is allocated or sent before DRI_commit.
 * name: 1 to DRI_MAX_NAME bytes; both ends use the same one. Copied.
 * role: DRI_SOURCE or DRI_SINK. A process may hold both ends of a name. Several groups may be sinks of one name,
 *       each with its own distribution, and do not know of each other; a process may be in more than one.
 * dist: the calling process must be in its group.
 * layout: how the part lies in each buffer; may differ from process to process. Split ones are for
 *         complex types.
 * nbuffs: number of buffers, >= 1.
 * buffs: nbuffs addresses of DRI_xfer_buffer_bytes bytes each, aligned as the element type; they stay
 *        the user's and must live until the transfer is destroyed. NULL, or an entry NULL: the library
 *        provides that buffer at commit, filled with zeros, and keeps it until the transfer is destroyed.
 * xfer: receives the handle; null on error.
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE, DRI_ERR_OVERFLOW; DRI_ERR_STATE, also if this process has declared a
 *         source of that name, or a sink of it with that distribution, or still has a committed end of that
 *         name, or while DRI_commit or DRI_xfer_query of another thread has one: a process is in one transfer of
 *         a name at a time.
 * Source: minutes, "set up a name for the transform".
 */
DRI_API int DRI_xfer_create(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                            void *const buffs[], DRI_Xfer *xfer);

/*
 * Sets an attribute of an end before its commit.
 *
 * Local.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for an unknown attribute, a value out of its range, or a sink's
 *         attribute on a source; DRI_ERR_STATE after the commit, and while DRI_commit or DRI_xfer_query of
 *         another thread has the end.
 */
DRI_API int DRI_xfer_set_attr(DRI_Xfer xfer, DRI_Attr attr, int64_t value);

/*
 * Multiplies what comes to a sink by a factor, in the same pass.
 *
 * Local. Before the commit.
 * xfer: a sink. All processes of a sink set the same scale; sinks of one name may differ.
 * scale: finite; 1 by default. Types that differ need DRI_ATTR_CONVERT, which tells the arithmetic, too;
 *        with equal types the scale alone suffices.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for a source, a scale that is not finite, or a scale other than 1 for
 *         records; DRI_ERR_STATE after the commit, and while DRI_commit or DRI_xfer_query of another thread has
 *         the end.
 * Source: deviation 15.
 */
DRI_API int DRI_xfer_set_scale(DRI_Xfer xfer, double scale);

/*
 * Matches the ends declared since the last commit by name, checks them, plans and reserves.
 *
 * Collective over scope; synchronising. Processes of the scope without any end call it, too.
 * scope: a group that holds every process of the distributions of these ends.
 * On success, everything that a frame needs exists. On failure the ends stay declared: mend the
 * cause (destroy an end, declare a missing one) and commit again.
 * Cost: O(log P) steps. A process hears of the ends that its own are matched with, gets each distribution
 *       that it lacks once, and hears of the ends of those names that fall to it to match, and some numbers of
 *       each name that is in place. Planning in closed form, independent of the array's size; of names in place
 *       where somebody would take more than M, or than limits allow, a second plan. Time to measure where ends
 *       ask for it, see DRI_Planning.
 * Errors: DRI_ERR_UNMATCHED if an end is missing; DRI_ERR_MISMATCH if ends disagree about the GDO, its
 *         type (or that has no conversion where the sink has DRI_ATTR_CONVERT), the distribution or the
 *         scope, or the processes of an end about what all of them set alike; if a sink has DRI_DROP and its
 *         source no DRI_ATTR_STREAM; if not all ends of a name are in place, or those that are have several sinks
 *         or other processes than the source; DRI_ERR_ARG if buffers of a transfer share memory, or those of
 *         ends in place differ; DRI_ERR_MEMORY; DRI_ERR_LIMIT if the system starts no more threads, and
 *         if an end does not get by with its DRI_ATTR_WORKSPACE_LIMIT;
 *         DRI_ERR_UNSUPPORTED for two of strips, DRI_ATTR_STREAM and DRI_ATTR_IN_PLACE together, for
 *         DRI_ATTR_REBASE with strips, in place, or along a dimension that is cut or, in a sink, has overlap,
 *         and for DRI_ATTR_PROGRESS_THREAD below MPI_THREAD_MULTIPLE;
 *         DRI_ERR_TRANSPORT if another process's memory cannot be opened any more; DRI_ERR_HANDLE;
 *         DRI_ERR_STATE; DRI_ERR_TIMEOUT as in DRI_dist_create. The message has the name, the sides and the
 *         values.
 * Source: minutes, "make (use zebra)".
 */
DRI_API int DRI_commit(DRI_Group scope);

/*
 * The memory that an end of this process will take, in bytes. workspace_bytes is what DRI_Xfer_info tells after
 * the commit, and the sum of the three that follow it.
 */
typedef struct DRI_Memory {
    int64_t workspace_bytes;
    int64_t message_bytes; /* where messages are packed, or received, and the headers of a stream's frames */
    int64_t copy_bytes;    /* a source: shared memory for the user's buffers where others cannot read them */
    int64_t tile_bytes;    /* a sink: scratch memory to read the user's buffers of other processes */
    int64_t buffer_bytes;  /* beside the workspace: all buffers of the end that the library provides; in place, the
                              source has all and the sink 0 */
    int64_t least_bytes;   /* the smallest DRI_ATTR_WORKSPACE_LIMIT that would do, the other ends as they are; in
                              place, where one end's depends on the others': the smallest, added up, that do for
                              all ends of the name together. One end alone may get by, or be, with less */
    int64_t reserved[4];   /* 0 */
} DRI_Memory;

/*
 * Tells what ends will take, before DRI_commit takes it.
 *
 * Collective over scope; synchronising. Does all that DRI_commit does up to the plans, reserves and keeps nothing,
 * and leaves the ends declared. All processes that will commit call it, because an end's memory depends on the
 * other sides and on what their processes can read; each asks about as many of its own ends as it likes, and those
 * that want to know nothing give n 0. What it says holds for a commit of the same ends with the same attributes.
 * scope: as in DRI_commit.
 * n: number of ends asked about, 0 or more. xfers: their handles, declared and not committed.
 * memory: n structures, filled in the same order; all 0 on error. May be NULL where n is 0, as xfers.
 * Cost: that of DRI_commit without what it reserves and measures, and a second plan of every transfer that is
 *       asked about, for least_bytes: with messages of 4 KB, or in place with parts put in order; for a source
 *       with a sink that drops frames, one more with each length of message between.
 * Errors: as DRI_commit, with which it fails alike on all processes; DRI_ERR_ARG also for NULL or a negative n;
 *         DRI_ERR_HANDLE; DRI_ERR_STATE for an end that is committed: its DRI_Xfer_info tells.
 * Source: deviation 32.
 */
DRI_API int DRI_xfer_query(DRI_Group scope, int n, const DRI_Xfer xfers[], DRI_Memory memory[]);

/*
 * Executes one frame, blocking.
 *
 * Collective over the ends involved; not synchronising.
 * name: the transfer's; may be NULL if xfer is not null.
 * xfer: null: every end of that name that this process holds. Else that end alone.
 * Source: hands over the current buffer, and returns when the next one may be filled. Sink: gives
 * back the buffer of the last frame, and returns when the next frame has arrived. Where the caller holds several,
 * the oldest; see dri/stream.h for the two halves alone.
 * A source of n buffers may be n - 1 frames ahead of its sinks: with one buffer it returns when they have
 * the frame. Where bytes go as short messages it may get further ahead, see dri/stream.h; do not count on it. A
 * process with both ends keeps its own sinks that near to its source.
 * Cost: no allocation. What stays in the process, and what sinks of the same node take straight from the
 *       source's memory, is moved in one pass, the rest goes as packed messages. A source's buffers that the user
 *       brings are read by other processes with the system's help where that goes in long pieces, else copied into
 *       shared memory. Between calls, large messages move on only inside this or another DRI or MPI call of both
 *       processes, or in a thread, see DRI_ATTR_PROGRESS_THREAD.
 * Errors: DRI_ERR_ARG for a name that this process does not hold, and for a handle of an end in place;
 *         DRI_ERR_HANDLE; DRI_ERR_STATE before the commit, while the transfer is in use by another thread, or
 *         after a frame that failed half-way; DRI_ERR_STATE for a source all of whose takers are destroyed, and
 *         for a sink whose frame needs a source process that has destroyed its end, see DRI_xfer_destroy;
 *         DRI_ERR_DEADLOCK if only the caller itself could do what it, or others, would wait for: its source
 *         would be n frames ahead of one of its own sinks, or its sink wants a frame that its source has not
 *         handed over (nothing has happened then); DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS; DRI_END_OF_STREAM
 *         for a sink after the last frame of a stream, and DRI_ERR_STATE for its source, see DRI_xfer_close, also
 *         for DRI_ERR_MISMATCH; DRI_ERR_TRANSPORT.
 * Source: minutes, "do"; deviations 10, 34 and 35.
 */
DRI_API int DRI_do(const char *name, DRI_Xfer xfer);

/*
 * The buffer to work on. Source: the one to fill now, the oldest that the caller holds. Sink: the one extracted
 * last; after DRI_release, DRI_start or a DRI_do that timed out, it may be overwritten.
 *
 * Local.
 * buf: set to the address; NULL never, but for a part without elements any address.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG; DRI_ERR_STATE before the commit, for a sink before its first frame, and for
 *         a source of which the caller holds no buffer.
 */
DRI_API int DRI_xfer_get_buffer(DRI_Xfer xfer, void **buf);

/*
 * All buffers of an end, in the order of their use.
 *
 * Local.
 * n: set to their number if not NULL. bufs: room for that many, or NULL.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_STATE before the commit.
 */
DRI_API int DRI_xfer_get_buffers(DRI_Xfer xfer, int *n, void *bufs[]);

/*
 * Bytes that each buffer of an end must have.
 *
 * Local. Also before the commit.
 * bytes: set to the number; 0 for an empty part.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_xfer_buffer_bytes(DRI_Xfer xfer, size_t *bytes);

/*
 * Destroys an end. The library's buffers of that end go with it.
 *
 * Local; tells the processes that exchange with this end. It waits for nobody, but for three cases: a source in
 * the user's own buffers waits until those that read frames there, see DRI_do, have taken them or are destroyed;
 * one whose last frames were inserted when there was no memory for their messages, or for what goes with them,
 * waits until there is; and one with a sink that drops waits for its first process's word on the last frames; all
 * for the deadline of DRI_SETUP_TIMEOUT at most. Frames that a source has handed over still
 * reach the sinks of other processes. A sink that wants a later one fails with DRI_ERR_STATE in DRI_do, also where
 * it waits there already: its frame may be half there then, and the transfer can only be destroyed on that
 * process. A source no longer sends to a sink that is destroyed, and goes on with the others; once all that took
 * from this process's part are destroyed, its DRI_do fails with DRI_ERR_STATE. The message names the transfer, the
 * end and the process. A few frames may pass before the news has come.
 * xfer: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG; DRI_ERR_STATE while a call of another thread uses it or destroys it, so
 *         where several threads destroy it one does, and the others are told, and while DRI_commit or
 *         DRI_xfer_query of another thread has it; DRI_ERR_STATE for a source whose last frame waits for this
 *         process's own sink; DRI_ERR_TIMEOUT, which names a process that has not taken a frame: the source is
 *         still there then; as after DRI_ERR_MISMATCH, see DRI_xfer_close, with which the call fails once; what
 *         DRI_progress or the thread of DRI_ATTR_PROGRESS_THREAD has met, if no call has failed with it, once.
 * Source: deviations 11 and 22.
 */
DRI_API int DRI_xfer_destroy(DRI_Xfer *xfer);

#ifdef __cplusplus
}
#endif
#endif
