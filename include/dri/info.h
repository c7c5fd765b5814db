/*
 * What ends have done: frames, bytes, times, and the plan in words.
 */
#ifndef DRI_INFO_H
#define DRI_INFO_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How a number is spread over frames: half of them had p50 or less, 99 of 100 had p99 or less. p99 - p50 is the
 * jitter.
 */
typedef struct DRI_Spread {
    double p50;
    double p99;
    double max;
} DRI_Spread;

/* What an end has done and what it takes. Bytes and messages are of this process, all frames. */
typedef struct DRI_Xfer_info {
    int64_t frames;          /* frames inserted into a source, or extracted from a sink */
    int64_t bytes_self;      /* payload that stayed in the process, in the source's type */
    int64_t bytes_message;   /* payload sent (source) or received (sink) in messages */
    int64_t messages;        /* messages sent or received */
    int64_t peers;           /* other processes that this end exchanges with, per frame */
    int64_t buffer_bytes;    /* bytes of one buffer */
    int64_t workspace_bytes; /* memory that the library holds beside the buffers */
    double commit_seconds;   /* time that the commit took */
    double last_seconds;     /* time inside the calls of the last frame, see DRI_Frame_times */
    double total_seconds;    /* the same, all frames */
    int64_t bytes_direct; /* payload that sinks of other processes took straight from the source's memory (source),
                             or that this sink took so, in the source's type */
    int64_t threads;      /* DRI_ATTR_THREADS */
    DRI_Spread frame_seconds; /* of the last DRI_MAX_TIMES frames: time inside their calls; 0 before the first */
    DRI_Spread wait_seconds;  /* the part of it in which the transfer had nothing to do but to wait for others; the
                                 first 0.5 us of a wait do not count */
    DRI_Spread copy_seconds;  /* the rest: copies, packing and unpacking, and handing messages to MPI */
    int64_t dropped; /* a sink: frames of the source that it has not got, as far as it has heard; a source: those
                        that did not go to its sinks, all sinks together, as far as that is decided, and until then
                        they count as sent; see DRI_ATTR_ON_FULL */
    int64_t reserved[4]; /* 0 */
} DRI_Xfer_info;

/* Frames whose times an end remembers. */
enum { DRI_MAX_TIMES = 1024 };

/*
 * The times of one frame at one end of one process; see DRI_xfer_get_times. wait_seconds + copy_seconds is
 * seconds. The calls of a frame are DRI_do, or its halves, see dri/stream.h; DRI_release and DRI_progress do not
 * count. A sink's record is written when the frame is extracted, a source's when the buffer after the frame is
 * acquired. Where a call executes several ends by name, each of them has the times of the whole call.
 */
typedef struct DRI_Frame_times {
    int64_t frame;       /* its number; of a source, that of the frame before the buffer acquired */
    double done;         /* when the record was written, in seconds of CLOCK_MONOTONIC, which a node's processes
                            share */
    double seconds;      /* time inside the calls of the frame */
    double wait_seconds; /* as in DRI_Xfer_info */
    double copy_seconds;
    int64_t bytes;       /* payload by all ways, as the plan has it, in the source's type */
    int64_t reserved[2]; /* 0 */
} DRI_Frame_times;

/* What an end exchanges with one process by one way, in one frame; where frames are strips, in those of one array.
 */
typedef struct DRI_Peer {
    int rank;            /* the process, which may be the own one */
    int way;             /* DRI_WAY_SELF, DRI_WAY_MESSAGE or DRI_WAY_DIRECT */
    int64_t bytes;       /* payload, as DRI_Xfer_info counts that way's */
    int64_t messages;    /* 0 where it goes without */
    int64_t reserved[2]; /* 0 */
} DRI_Peer;

/*
 * What an end has done so far.
 *
 * Local. May be called while another thread is in DRI_do; each number is that before or after its frame.
 * info: filled in.
 * Cost: to sort the times of the last frames, some 100 us.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG; DRI_ERR_STATE before the commit.
 */
DRI_API int DRI_xfer_get_info(DRI_Xfer xfer, DRI_Xfer_info *info);

/*
 * With whom an end exchanges data, and by which way: what the commit chose, alike for all frames. In the order of
 * ranks; a process has several entries where it takes several sinks of a source by different ways.
 *
 * Local.
 * capacity: entries that `peers` can take, 0 or more.
 * peers: the user's array; may be NULL where capacity is 0. What passes n stays as it is.
 * n: set to the number of entries that there are, of which the first `capacity` are written.
 * Cost: in proportion to the plan.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for NULL or a negative number; DRI_ERR_STATE before the commit.
 * Source: deviation 41.
 */
DRI_API int DRI_xfer_get_peers(DRI_Xfer xfer, int capacity, DRI_Peer peers[], int *n);

/*
 * The times of an end's last frames, oldest first.
 *
 * Local. May be called while another thread is in DRI_do; a frame that it overwrites meanwhile is left out.
 * capacity: room in `times`, 0 or more; what passes DRI_MAX_TIMES stays as it is.
 * times: the user's array; may be NULL where capacity is 0.
 * n: set to the number of frames written; fewer than `capacity` where so few are remembered.
 * Cost: in proportion to n. To keep the times costs a frame no memory and no call of the system; the clock is read
 *       while the frame waits. The records of an end take 32 KiB, which workspace_bytes does not count.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for NULL or a negative number; DRI_ERR_STATE before the commit.
 * Source: deviation 31.
 */
DRI_API int DRI_xfer_get_times(DRI_Xfer xfer, int capacity, DRI_Frame_times times[], int *n);

/*
 * The plan of an end in words: what goes where, by which way, with which kernel. Where that comes from wisdom it
 * says so; where it was measured it tells the time of every kernel that was tried, the one kept first.
 *
 * Local.
 * text: room for n bytes; what does not fit is cut, and the text always ends with a NUL byte.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for NULL or n 0; DRI_ERR_STATE before the commit.
 */
DRI_API int DRI_xfer_explain(DRI_Xfer xfer, char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif
