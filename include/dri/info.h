/*
 * What endpoints have done: frames, bytes, times, and the plan in words. In every call xfer is the endpoint in
 * question, a source or a sink.
 */
#ifndef DRI_INFO_H
#define DRI_INFO_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How a number is spread over frames. Half of the frames had p50 or less, 99 of 100 had p99 or less. p99 - p50 is
 * the jitter.
 */
typedef struct DRI_Spread {
    double p50; /* median */
    double p99; /* 99th percentile */
    double max; /* maximum */
} DRI_Spread;

/* What an endpoint has done and what it uses. Bytes and messages are of this process, all frames. */
typedef struct DRI_Xfer_info {
    int64_t frames;           /* frames inserted into a source, or extracted from a sink */
    int64_t bytes_self;       /* payload that stayed in the process, in the source's type */
    int64_t bytes_message;    /* payload sent (source) or received (sink) in messages */
    int64_t messages;         /* messages sent or received */
    int64_t peers;            /* other processes with which this endpoint exchanges data, per frame */
    int64_t buffer_bytes;     /* bytes of one buffer */
    int64_t workspace_bytes;  /* memory that the library holds beside the buffers */
    double commit_seconds;    /* duration of the commit */
    double last_seconds;      /* time inside the calls of the last frame, see DRI_Frame_times */
    double total_seconds;     /* the same, all frames */
    int64_t bytes_direct;     /* payload that sinks of other processes read from the source's memory (source), or
                                 that this sink read in that way, in the source's type */
    int64_t threads;          /* DRI_ATTR_THREADS */
    DRI_Spread frame_seconds; /* of the last DRI_MAX_TIMES frames: time inside their calls; 0 before the first */
    DRI_Spread wait_seconds;  /* the part of it in which the transfer only waited for others; the first 0.5 us of a
                                 wait do not count */
    DRI_Spread copy_seconds;  /* the rest: copies, packing and unpacking, and handing messages to MPI */
    int64_t dropped; /* a sink: frames of the source that it has not received, as far as it knows. A source: frames
                        not sent to its sinks, all sinks together, as far as decided; until then they count as
                        sent. See DRI_ATTR_ON_FULL */
    int64_t plan_bytes;  /* about the memory that the plan of this endpoint takes: lists of messages, tables of
                            indices and kernels, and up to 16 bytes an index that its distribution by lists keeps
                            for all plans. Not part of workspace_bytes */
    int64_t reserved[3]; /* 0 */
} DRI_Xfer_info;

/* Number of frames whose times an endpoint remembers. */
enum { DRI_MAX_TIMES = 1024 };

/*
 * The times of one frame at one endpoint, see DRI_xfer_get_times. wait_seconds + copy_seconds is seconds. The
 * calls of a frame are DRI_do or its halves, see dri/stream.h; DRI_release and DRI_progress do not count. A sink's
 * record is written when the frame is extracted. A source's record is written when the buffer after the frame is
 * acquired. If a call executes several endpoints by name, each of them has the times of the whole call.
 */
typedef struct DRI_Frame_times {
    int64_t frame;       /* its number; of a source, that of the frame before the buffer acquired */
    double done;         /* when the record was written, in seconds of CLOCK_MONOTONIC, which the processes of a
                            node share */
    double seconds;      /* time inside the calls of the frame */
    double wait_seconds; /* as in DRI_Xfer_info */
    double copy_seconds; /* as in DRI_Xfer_info */
    int64_t bytes;       /* payload by all ways according to the plan, in the source's type */
    int64_t reserved[2]; /* 0 */
} DRI_Frame_times;

/*
 * What an endpoint exchanges with one process by one way, in one frame. If frames are strips, in the frames of one
 * array.
 */
typedef struct DRI_Peer {
    int rank;            /* the process, which may be the calling one */
    int way;             /* DRI_WAY_SELF, DRI_WAY_MESSAGE or DRI_WAY_DIRECT */
    int64_t bytes;       /* payload, counted as in DRI_Xfer_info for that way */
    int64_t messages;    /* 0 for a way without messages */
    int64_t reserved[2]; /* 0 */
} DRI_Peer;

/*
 * Returns what an endpoint has done so far.
 *
 * Local. May be called while another thread is in DRI_do; each number is that before or after its frame.
 * info: filled in.
 * Cost: the time to sort the times of the last frames, some 100 us.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG;
 *         DRI_ERR_STATE before the commit.
 */
DRI_API int DRI_xfer_get_info(DRI_Xfer xfer, DRI_Xfer_info *info);

/*
 * Returns the processes with which an endpoint exchanges data, and by which way.
 *
 * The commit chose this, identically for all frames. Entries are in the order of ranks. A process has several
 * entries if it receives several sinks of a source by different ways.
 *
 * Local.
 * capacity: number of entries that `peers` can hold, >= 0.
 * peers: the user's array; may be NULL if capacity is 0. Entries beyond *n are left untouched.
 * n: set to the number of entries that exist. The first `capacity` of them are written.
 * Cost: in proportion to the plan.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for NULL or a negative number;
 *         DRI_ERR_STATE before the commit.
 * Source: deviation 41.
 */
DRI_API int DRI_xfer_get_peers(DRI_Xfer xfer, int capacity, DRI_Peer peers[], int *n);

/*
 * Returns the times of an endpoint's last frames, oldest first.
 *
 * The times are always kept. This costs a frame no memory and no system call; the clock is read while the frame
 * waits. The records of an endpoint use 32 KiB, which workspace_bytes does not count.
 *
 * Local. May be called while another thread is in DRI_do; a frame that it overwrites meanwhile is left out.
 * capacity: number of entries that `times` can hold, >= 0. At most DRI_MAX_TIMES entries are written.
 * times: the user's array; may be NULL if capacity is 0. Entries beyond *n are left untouched.
 * n: set to the number of frames written. It is less than `capacity` if fewer frames are remembered.
 * Cost: in proportion to n.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for NULL or a negative number;
 *         DRI_ERR_STATE before the commit.
 * Source: deviation 31.
 */
DRI_API int DRI_xfer_get_times(DRI_Xfer xfer, int capacity, DRI_Frame_times times[], int *n);

/*
 * Writes the plan of an endpoint in words: what goes where, by which way, with which kernel.
 *
 * The text grows with the plan: it has a line for each copy, and an entry for each process. With strips it has an
 * entry for each pair of strips, often some hundred lines. A kernel from wisdom is marked as such. If a kernel was
 * measured, the text has the time of every kernel that was tried, the one kept first.
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_STATE before the commit.
 */
DRI_API int DRI_xfer_explain(DRI_Xfer xfer, char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif
