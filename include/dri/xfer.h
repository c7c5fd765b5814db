/*
 * Transfers: named reorganisations from one distribution to one or more others.
 *
 * A process declares the endpoints that it holds, commits once with all others of the scope, and then
 * executes frame after frame. Frame f uses buffer f modulo nbuffs. In every call xfer is the endpoint in question.
 */
#ifndef DRI_XFER_H
#define DRI_XFER_H

#include <dri/attributes.h>
#include <dri/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A handle that names one endpoint on one process. It does not name a whole transfer. */
typedef struct {
    uint64_t id;
} DRI_Xfer;

/* The null handle: with a name, DRI_do executes every endpoint of that name that the process holds. */
extern DRI_API const DRI_Xfer DRI_XFER_NULL;

/* Longest name of a transfer, in bytes without the NUL. */
enum { DRI_MAX_NAME = 127 };

/* Maximum number of buffers of an endpoint. */
enum { DRI_MAX_BUFFERS = 1048576 };

/* The role of an endpoint in its transfer. */
typedef enum DRI_Role {
    DRI_SOURCE = 1, /* data leave */
    DRI_SINK = 2    /* data arrive */
} DRI_Role;

/*
 * Declares one endpoint of a named transfer.
 *
 * A process may hold both endpoints of a name. Several groups may be sinks of one name, each with its own
 * distribution. They do not know of each other. A process may be in more than one. A process may be in several
 * transfers of one name, if each is committed by a call of its own and at most one by DRI_commit. The pieces and
 * lists of a source are checked here.
 *
 * Local. DRI_commit reserves buffers and messages; before that, an endpoint holds 8 bytes for each of its buffers.
 * name: 1 to DRI_MAX_NAME bytes; all endpoints use the same one. Copied. Messages and texts of the library show a
 *       control character, and a byte that is no valid UTF-8, as \xNN.
 * role: DRI_SOURCE or DRI_SINK.
 * dist: the calling process must be in its group.
 * layout: how the part lies in each buffer; may differ from process to process. Split layouts are for
 *         complex types.
 * nbuffs: number of buffers, 1 to DRI_MAX_BUFFERS.
 * buffs: nbuffs addresses of DRI_xfer_buffer_bytes bytes each, aligned as the element type. They stay the user's
 *        and must stay valid until the transfer is destroyed. NULL, or an entry NULL: the library provides that
 *        buffer at commit, filled with zeros, and keeps it until the transfer is destroyed. It is aligned to 64
 *        bytes. DRI_ATTR_BUFFER_BYTES lets the commit check the size of the user's buffers. Those in memory of
 *        DRI_alloc (dri/memory.h) move as the library's do, but are not filled ahead.
 * xfer: receives the handle; null on error.
 * Errors: DRI_ERR_ARG if an argument is out of range, buffers share memory, or two elements share an address;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_OVERFLOW;
 *         DRI_ERR_OVERLAP if two pieces of a source own an element; the message names it;
 *         DRI_ERR_GAP if no piece of a source owns an element; the message names it;
 *         DRI_ERR_STATE.
 * Source: minutes, "we can create a name to the transfer"; deviations 16, 21 and 43.
 */
DRI_API int DRI_xfer_create(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                            void *const buffs[], DRI_Xfer *xfer);

/*
 * Sets an attribute of an endpoint before its commit. DRI_ATTR_TIMEOUT_MS can be set later, too.
 *
 * It may be set again until the commit has succeeded, also after DRI_xfer_query and after a DRI_commit that
 * failed.
 *
 * Local.
 * xfer: a source or a sink.
 * attr: the attribute, see DRI_Attr.
 * value: its new value; the comment of each attribute has the range.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for an unknown attribute or a value out of its range;
 *         DRI_ERR_ARG for a sink's attribute on a source, or a source's on a sink;
 *         DRI_ERR_STATE after the commit, except for DRI_ATTR_TIMEOUT_MS;
 *         DRI_ERR_STATE for DRI_ATTR_TIMEOUT_MS while another thread uses the transfer, or once it was destroyed;
 *         DRI_ERR_STATE while a commit or DRI_xfer_query of another thread has the endpoint.
 */
DRI_API int DRI_xfer_set_attr(DRI_Xfer xfer, DRI_Attr attr, int64_t value);

/*
 * Multiplies what arrives at a sink by a factor, in the same pass.
 *
 * A scale other than 1 multiplies in float if both types are float or have at most 16 bits, otherwise in double.
 * Three steps round: the number and the scale to that type, their product, and the product to the sink's type. A
 * scale that is infinite in float fails in DRI_commit if the product is a float.
 *
 * Local. Before the commit.
 * xfer: a sink. All processes of a sink set the same scale; sinks of one name may differ.
 * scale: finite; 1 by default. Types that differ need DRI_ATTR_CONVERT. With equal types the scale alone suffices.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for a source, a scale that is not finite, or a scale other than 1 for records;
 *         DRI_ERR_STATE after the commit;
 *         DRI_ERR_STATE while a commit or DRI_xfer_query of another thread has the endpoint.
 * Source: deviation 15.
 */
DRI_API int DRI_xfer_set_scale(DRI_Xfer xfer, double scale);

/*
 * Matches the endpoints declared since the last commit by name, checks them, plans and reserves.
 *
 * All endpoints that the calling processes have declared and not yet committed are committed together, whatever
 * their names. On success, everything that a frame needs exists. On failure the endpoints stay declared. Remove
 * the cause (destroy an endpoint, declare a missing one) and commit again. The message has the names, the sides
 * and the values. It describes up to 8 names that do not match. For a missing endpoint it has the nearest name
 * that does not match either.
 *
 * Collective over scope; synchronising. Processes of the scope without any endpoint call it, too.
 * scope: a group that holds every process of the distributions of these endpoints.
 * Cost: O(log P) steps. A process receives the endpoints that its own are matched with, and each missing
 *       distribution once. The directory of a name, a process that the library chooses, also receives that name's
 *       endpoints. Planning is in closed form, independent of the array's size. Measuring takes time if
 *       endpoints request it, see DRI_Planning.
 * Errors: DRI_ERR_UNMATCHED if an endpoint is missing, or a process of its group is not in the scope;
 *         DRI_ERR_MISMATCH if endpoints disagree about the GDO, the distribution or the scope;
 *         DRI_ERR_MISMATCH if the types differ without DRI_ATTR_CONVERT, or have no conversion;
 *         DRI_ERR_MISMATCH if a name has two sources, or a process two of its endpoints with one distribution;
 *         DRI_ERR_MISMATCH if processes of a side disagree about what all of them set identically;
 *         DRI_ERR_MISMATCH if a sink has DRI_DROP and its source no DRI_ATTR_STREAM;
 *         DRI_ERR_MISMATCH if endpoints of a name have different DRI_ATTR_IN_PLACE;
 *         DRI_ERR_MISMATCH if a name in place has several sinks, or a sink on other processes than the source;
 *         DRI_ERR_MISMATCH if a process makes another collective call over the same group;
 *         DRI_ERR_ARG if the calling process is not in the scope;
 *         DRI_ERR_ARG if buffers of a transfer share memory, or those of endpoints in place differ;
 *         DRI_ERR_ARG if a buffer is smaller than its part, see DRI_ATTR_BUFFER_BYTES;
 *         DRI_ERR_ARG if a scale does not fit into the type of its product, see DRI_xfer_set_scale;
 *         DRI_ERR_MEMORY;
 *         DRI_ERR_LIMIT if the system starts no more threads, or MPI has no more message tags;
 *         DRI_ERR_LIMIT if a DRI_ATTR_WORKSPACE_LIMIT is too small;
 *         DRI_ERR_UNSUPPORTED for two of strips, DRI_ATTR_STREAM and DRI_ATTR_IN_PLACE together;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_REBASE with strips or in place;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_REBIND with strips, in place or with DRI_ATTR_REBASE on its side;
 *         DRI_ERR_ARG for DRI_ATTR_REBIND with several buffers;
 *         DRI_ERR_ARG for a DRI_ATTR_PHASE that is not less than DRI_ATTR_EVERY;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_EVERY with strips of the source or in place;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_REBASE along a dimension that is cut or, in a sink, has overlap;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_PROGRESS_THREAD below MPI_THREAD_MULTIPLE;
 *         DRI_ERR_TRANSPORT if another process's memory can no longer be opened;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE if a process holds an endpoint of that name from an earlier DRI_commit;
 *         DRI_ERR_STATE, on this process alone, while another of its threads is in a commit or DRI_xfer_query;
 *         DRI_ERR_STATE in the same way beside DRI_dist_create, DRI_group_gather over two of these processes;
 *         repeat the call after both errors, because the others wait for it;
 *         DRI_ERR_TIMEOUT and DRI_ERR_PEER as in DRI_dist_create.
 * Source: minutes, "Make (use zebra)".
 */
DRI_API int DRI_commit(DRI_Group scope);

/*
 * Commits these endpoints and no other ones.
 *
 * It is DRI_commit for a part of a program, such as a library that the program uses. Other endpoints that the
 * processes have declared stay declared, also those of the same names. They are not matched, checked or changed. A
 * part that commits in this way may use any name. It calls its endpoints by their handles.
 *
 * With a name and the null handle, a call means the endpoints that DRI_commit has committed. If there are none, it
 * means those of the only transfer of that name; endpoints that are declared and not committed count as one, too.
 * If this process has several such transfers, the call is DRI_ERR_STATE.
 *
 * Collective over scope; synchronising. Every process of the scope passes its own endpoints, or none.
 * scope: a group that holds every process of the distributions of these endpoints.
 * n: number of the caller's endpoints to commit, >= 0. Processes may differ.
 * xfers: their handles, declared and not committed, each once. May be NULL if n is 0.
 * Cost: that of DRI_commit.
 * Errors: as in DRI_commit, on all processes;
 *         DRI_ERR_UNMATCHED also for an endpoint that is declared but not passed; the message says so;
 *         DRI_ERR_MISMATCH also if a process calls DRI_commit over the same group;
 *         DRI_ERR_ARG for NULL, a negative n, or an endpoint that is passed twice;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE for an endpoint that is committed.
 * Source: deviation 43.
 */
DRI_API int DRI_commit_ends(DRI_Group scope, int n, const DRI_Xfer xfers[]);

/*
 * Memory that an endpoint of this process will use, in bytes. workspace_bytes is what DRI_Xfer_info returns after
 * the commit, and the sum of the three that follow it.
 */
typedef struct DRI_Memory {
    int64_t workspace_bytes; /* sum of the next three */
    int64_t message_bytes;   /* where messages are packed or received, and the headers of a stream's frames */
    int64_t copy_bytes;      /* a source: shared memory for the user's buffers that others cannot read */
    int64_t tile_bytes;      /* a sink: scratch memory to read the user's buffers of other processes */
    int64_t buffer_bytes;    /* beside the workspace: all buffers of the endpoint that the library provides; in
                                place, the source counts all and the sink 0 */
    int64_t least_bytes;     /* smallest DRI_ATTR_WORKSPACE_LIMIT that suffices while the other endpoints stay as
                                they are */
    int64_t plan_bytes;      /* as in DRI_Xfer_info */
    int64_t reserved[3];     /* 0 */
} DRI_Memory;

/*
 * Returns the memory that endpoints will use, before DRI_commit reserves it.
 *
 * It does all that DRI_commit does up to the plans, for all endpoints that are declared under the names in
 * question. Those are the names of the endpoints that any process passes; if none passes any, all. It reserves
 * nothing and leaves the endpoints declared; distributions by lists keep up to 16 bytes an index for later plans.
 * All processes that will commit call it, because an endpoint's memory depends on the other sides and on what
 * their processes can read. The answer holds for a commit of the same endpoints with the same attributes.
 *
 * Collective over scope; synchronising.
 * scope: as in DRI_commit.
 * n: number of the caller's endpoints in question, >= 0. Processes may differ.
 * xfers: their handles, declared and not committed. May be NULL if n is 0.
 * memory: n structures, filled in the same order; all 0 on error. May be NULL if n is 0.
 * Cost: that of DRI_commit without what it reserves and measures, in about its memory. For least_bytes, lengths of
 *       the shortest messages (4 KB, or a quarter of what a pair exchanges below 16 KB), except in place. For a
 *       source with a sink that drops frames, those of each length from 2 MB to the shortest.
 * Errors: as in DRI_commit, on all processes;
 *         DRI_ERR_ARG for NULL or a negative n;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE for an endpoint that is committed: use its DRI_Xfer_info.
 * Source: deviation 32.
 */
DRI_API int DRI_xfer_query(DRI_Group scope, int n, const DRI_Xfer xfers[], DRI_Memory memory[]);

/*
 * Executes one frame, blocking.
 *
 * A source hands over the current buffer; the call returns when the next buffer may be filled. A sink gives back
 * the buffer of the last frame; the call returns when the next frame has arrived. If the caller holds several
 * buffers, this is the oldest. dri/stream.h has both halves as single calls. The wait has no bound unless
 * DRI_ATTR_TIMEOUT_MS or DRI_TIMEOUT in the environment is set.
 *
 * A source of n buffers may be n - 1 frames ahead of its sinks. With one buffer it returns when the sinks of its
 * process and node have the frame. Messages may put it further ahead, see dri/stream.h; do not rely on it.
 *
 * If a process holds both endpoints, its source may be n - 1 frames ahead of its own sink. If the library provides
 * all m buffers of that sink, it may be m - 1 frames further ahead, unless the sink's window slides. For strips
 * see dri/strips.h. One frame more is DRI_ERR_DEADLOCK.
 *
 * By name, each endpoint executes its next frame. That of a sink with DRI_ATTR_EVERY k is k frames of the source
 * after its last one: call a source and such a sink of one process by their handles.
 *
 * Only the circular waits listed under DRI_ERR_DEADLOCK are detected. They fail at once, before anything happens;
 * a sink that drops frames may also fail later. Two circular waits are not detected. They may last for ever, or
 * until the timeout:
 * - In a ring, sinks need nothing of their process's own source. A process executes its sink for a frame that its
 *   source has not handed over, and others wait for that source. Execute both by name, or the source first.
 * - Two processes are sources to each other with one buffer each, and both execute their source first. Use two
 *   buffers, or execute the sink first on one side.
 *
 * Collective over the endpoints involved; not synchronising.
 * name: the transfer's; may be NULL if xfer is not null.
 * xfer: that endpoint alone, in place both of them; null for every endpoint of that name that this process holds.
 * Cost: no allocation, except up to 3 KB in the first call of a thread. One pass moves what stays in the
 *       process, and what sinks of the same node read from the source's memory. The rest travels as packed
 *       messages. Other processes read a user's source buffers with the system's help if that works in long
 *       pieces. Otherwise these buffers are copied into shared memory. Between calls, large messages move only
 *       inside this or another DRI or MPI call of both processes, or in the thread of DRI_ATTR_PROGRESS_THREAD.
 * Errors: DRI_ERR_ARG for a name of which this process holds no endpoint, or that is not xfer's;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE before the commit, and while another thread uses the transfer;
 *         DRI_ERR_STATE after a frame that failed half-way;
 *         DRI_ERR_STATE for a source if all that take from it are destroyed, or after DRI_xfer_close;
 *         DRI_ERR_STATE for a sink whose frame needs a source process that has destroyed its endpoint;
 *         DRI_ERR_DEADLOCK for a source that would be too far ahead of one of this process's own sinks, see above
 *         (fewer frames with DRI_ATTR_WORKSPACE_LIMIT);
 *         DRI_ERR_DEADLOCK for a sink that needs a frame that this process's own source has not handed over;
 *         DRI_ERR_DEADLOCK if the caller holds all buffers of the endpoint;
 *         DRI_ERR_TIMEOUT, see DRI_ATTR_TIMEOUT_MS;
 *         DRI_ERR_PEER if a process of this node that the call waits for has ended without DRI_finalize;
 *         DRI_END_OF_STREAM for a sink after the last frame of a stream;
 *         DRI_ERR_MISMATCH, see DRI_xfer_close and dri/window.h;
 *         DRI_ERR_TRANSPORT.
 * Source: minutes, "the do call"; deviations 10, 34 and 35.
 */
DRI_API int DRI_do(const char *name, DRI_Xfer xfer);

/*
 * Returns the buffer to work on. DRI_xfer_get_view (dri/view.h) describes what lies in it.
 *
 * For a source it is the one to fill now, the oldest that the caller holds. For a sink it is the one extracted
 * last. After DRI_release, DRI_start or a DRI_do that timed out, a sink's buffer may be overwritten.
 *
 * Local.
 * buf: set to the address, never NULL. For a part without elements it is any address.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG;
 *         DRI_ERR_STATE before the commit, for a sink before its first frame, and for a source of which the caller
 *         holds no buffer.
 */
DRI_API int DRI_xfer_get_buffer(DRI_Xfer xfer, void **buf);

/*
 * Returns all buffers of an endpoint, in the order of their use.
 *
 * Local.
 * n: set to their number if not NULL.
 * bufs: capacity for n addresses, or NULL.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_STATE before the commit.
 */
DRI_API int DRI_xfer_get_buffers(DRI_Xfer xfer, int *n, void *bufs[]);

/*
 * Returns the bytes that each buffer of an endpoint must have.
 *
 * Local. Also before the commit.
 * bytes: set to the number; 0 for an empty part. docs/howto/layouts.md has the formula.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_xfer_buffer_bytes(DRI_Xfer xfer, size_t *bytes);

/* What an endpoint was declared with. */
typedef struct DRI_Xfer_description {
    char name[DRI_MAX_NAME + 1]; /* of the transfer, with a NUL byte */
    DRI_Role role;               /* source or sink */
    int nbuffs;                  /* number of buffers; of a sink of strips, of stores */

    /*
     * nbuffs addresses. NULL: the library provides that buffer; DRI_xfer_get_buffers has its address after the
     * commit. The array belongs to the library and stays valid until the endpoint is destroyed. DRI_xfer_rebind
     * does not change it.
     */
    void *const *buffs;
    int64_t is_halo;     /* 1: the source of a halo exchange, which DRI_halo_create has made; otherwise 0 */
    int64_t reserved[3]; /* 0 */
} DRI_Xfer_description;

/*
 * Returns what an endpoint was declared with.
 *
 * Local. Also before the commit.
 * description: filled in if not NULL.
 * dist: if not NULL, receives a handle of its own, to be destroyed; null on error. Of an endpoint with strips it
 *       is the distribution of the first strip.
 * layout: if not NULL, receives DRI_ROW_MAJOR or DRI_COL_MAJOR itself, otherwise a handle of its own, to be
 *         destroyed; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_xfer_get_description(DRI_Xfer xfer, DRI_Xfer_description *description, DRI_Dist *dist,
                                     DRI_Layout *layout);

/*
 * Destroys an endpoint and the library's buffers of it, and informs the processes that exchange data with it.
 *
 * It waits for no other process, with these exceptions, and at most for the deadline of DRI_SETUP_TIMEOUT:
 * - A source in the user's own buffers, or in ones that the user keeps (DRI_xfer_keep_buffers), waits until those
 *   that read frames there have taken them or are destroyed.
 * - A source whose last frames were inserted without memory for their messages, or for what goes with them, waits
 *   until there is memory.
 * - A source with a sink that drops waits for the decision of the source's first process on the last frames.
 *
 * Frames that a source has handed over still reach the sinks of other processes. A sink that wants a later one
 * fails with DRI_ERR_STATE in DRI_do, even if it waits there already. Its frame may have arrived in part then, and
 * the transfer can only be destroyed on that process. A source sends nothing more to a sink that is destroyed, and
 * goes on with the others. Once all that take from this process's part are destroyed, its DRI_do fails with
 * DRI_ERR_STATE. The message names the transfer, the endpoint and the process. A few frames may pass before the
 * news arrives.
 *
 * If a step in DRI_progress or in the progress thread has failed and no call has returned its code yet, this call
 * returns that code, once.
 *
 * Local.
 * xfer: set to null on success.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG;
 *         DRI_ERR_STATE while a call of another thread uses or destroys it: of several threads one succeeds;
 *         DRI_ERR_STATE while a commit or DRI_xfer_query of another thread has it;
 *         DRI_ERR_STATE for a source whose last frame waits for this process's own sink;
 *         DRI_ERR_TIMEOUT; the message names a process that has not taken a frame; the source still exists;
 *         DRI_ERR_PEER, once, for a source whose messages wait for a process that has ended;
 *         DRI_ERR_MISMATCH, once, see DRI_xfer_close.
 * Source: deviations 11, 17 and 22.
 */
DRI_API int DRI_xfer_destroy(DRI_Xfer *xfer);

/*
 * Destroys an endpoint as a program that ends by a failure does: nobody is waited for longer than a moment.
 *
 * What DRI_xfer_destroy still waits for after a tenth of a second is given up. Frames that another process has not
 * taken by then are lost: it gets DRI_ERR_STATE. Destroy or abandon sinks first.
 *
 * Local.
 * xfer: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_MEMORY;
 *         DRI_ERR_STATE of other threads as in DRI_xfer_destroy.
 * Source: deviation 22.
 */
DRI_API int DRI_xfer_abandon(DRI_Xfer *xfer);

#ifdef __cplusplus
}
#endif
#endif
