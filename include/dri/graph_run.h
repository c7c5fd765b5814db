/*
 * Running plans: frame after frame of the graphs of all processes, and what they took.
 *
 * Every operation is waited for just before its first reader, and leaves as soon as it is computed. The order of
 * operations is the same on all processes and no send waits for its receive: graphs that were partitioned do not
 * dead-lock. Nothing is allocated after the commit. One thread uses a plan at a time (DRI_ERR_STATE).
 */
#ifndef DRI_GRAPH_RUN_H
#define DRI_GRAPH_RUN_H

#include <dri/graph_plan.h>
#include <dri/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a plan runs. Valid when filled with zeros. All processes give the same. */
typedef struct DRI_Plan_options {
    int frames; /* frames in flight, 1 to 1024; 0 is 1. Every operation has that many buffers at both ends, of a
                   stream one more, so that outputs outlive its end. A process without ports whose frames have at
                   most 16 KB has four at least */
    int stream; /* 1: a DRI_Frame travels with each frame, and calls without inputs may end the stream */
    int timeout_ms;      /* longest wait for an operation; 0: as DRI_ATTR_TIMEOUT_MS */
    int progress_thread; /* 1: as DRI_ATTR_PROGRESS_THREAD */
    int64_t reserved[4]; /* 0 */
} DRI_Plan_options;

/*
 * Makes a plan ready to run: transfers, buffers and memory.
 *
 * Collective over the graph's group; synchronising.
 * options: NULL stands for zeros.
 * Cost: that of one DRI_commit_ends. Operations of up to 16 KB between the same two parts share a transfer.
 * Errors: DRI_ERR_MISMATCH if processes give other options;
 *         DRI_ERR_STATE if the plan is committed;
 *         DRI_ERR_ARG for an option out of range;
 *         DRI_ERR_UNSUPPORTED for a sink that drops frames, if the plan is no stream;
 *         DRI_ERR_UNSUPPORTED for a transfer of a stream that one source cannot close with the others, see
 *         DRI_plan_stream; the message names the transfer and both processes;
 *         DRI_ERR_HANDLE, on this process alone;
 *         as in DRI_commit_ends, on all processes.
 */
DRI_API int DRI_plan_commit(DRI_Plan plan, const DRI_Plan_options *options);

/*
 * Gives an input its data for the runs to come.
 *
 * Local.
 * name: of DRI_graph_input.
 * data: the user's array, dense and row-major, aligned as the element type. It is read in every run until the
 *       input is set again. May be NULL if it has no elements.
 * Errors: DRI_ERR_ARG for NULL, and a name that the graph does not have;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_plan_set_input(DRI_Plan plan, const char *name, const void *data);

/*
 * Runs one frame.
 *
 * If a call fails, the run returns its code on that process, with what it reported by DRI_fail in the message. The
 * error handler is called once, by the run. The process leaves the plan: processes that wait for it fail with
 * DRI_ERR_STATE, and messages name the process, the call and the frame where a message of the plan came through.
 * Their plans are broken, too. A broken plan can only be destroyed. Until then the arrays of its calls stay where
 * they are.
 *
 * Collective over the parts that exchange data; not synchronising.
 * Cost: no allocation. About 0.1 us for each step beside its call or its transfer.
 * Errors: DRI_ERR_STATE before the commit, for an input without data, and after a failure;
 *         DRI_END_OF_STREAM if the stream has ended;
 *         DRI_ERR_STATE if a call returns DRI_END_OF_STREAM and has inputs, or the plan is no stream;
 *         DRI_ERR_MISMATCH if calls without inputs end the stream after different frames; the message names both
 *         processes;
 *         DRI_ERR_TIMEOUT; the message names operation, frame and process; run again to go on;
 *         as in DRI_extract.
 */
DRI_API int DRI_plan_run(DRI_Plan plan);

/*
 * Runs frames until the input ends, with as many in flight as the plan has.
 *
 * The oldest frame has precedence: if its next step would wait, a younger frame may go on. The steps of a call and
 * of an operation keep the order of frames. A call without inputs ends the stream by DRI_END_OF_STREAM, on all
 * processes that have such calls after the same number of frames. The end travels with the operations, and the
 * call returns when all frames of this process are done.
 *
 * A source port leaves behind everything that its part waits for, and is closed at the end. DRI_plan_commit
 * refuses a transfer of which one source learns the end in time and another one only in a later part.
 *
 * Collective over the parts that exchange data; not synchronising.
 * most: number of frames to run, or -1 for no bound. Frames that are done count; more may follow. How many are
 *       done after an error such as DRI_ERR_TIMEOUT, and so how many of `most` remain, is the difference of frames
 *       in DRI_plan_get_times before and after the call.
 * Errors: as in DRI_plan_run, but DRI_SUCCESS when the stream ends; later calls return DRI_END_OF_STREAM;
 *         DRI_ERR_MISMATCH, at the sinks, if the sources of a transfer close it after different frames;
 *         DRI_ERR_ARG for less than -1, and for -1 if nothing can end the frames of this process;
 *         DRI_ERR_STATE if the plan is no stream.
 */
DRI_API int DRI_plan_stream(DRI_Plan plan, int64_t most);

/*
 * Returns the value of an output in the last frame that is done.
 *
 * Local.
 * data: set to its address, valid and unchanged until the next DRI_plan_run, DRI_plan_stream or DRI_plan_destroy.
 * Errors: DRI_ERR_ARG for NULL, and a name that the graph does not have;
 *         DRI_ERR_STATE before the first frame, and after a failure;
 *         DRI_ERR_HANDLE.
 */
DRI_API int DRI_plan_get_output(DRI_Plan plan, const char *name, const void **data);

/* Where the time of a part went, in seconds per frame. */
typedef struct DRI_Part_times {
    int64_t frames;                            /* frames that are done */
    DRI_Spread call_seconds;                   /* in calls, of the last DRI_MAX_TIMES frames */
    DRI_Spread wait_seconds;                   /* waiting for operations and for buffers */
    DRI_Spread copy_seconds;                   /* in copies of nodes, and in handing over */
    double total_call, total_wait, total_copy; /* sums over all frames */
    DRI_Operation longest;                     /* what it waited for longest in one frame; tag NULL before */
    double longest_seconds;                    /* how long */
    int64_t reserved[4];                       /* 0 */
} DRI_Part_times;

/*
 * Returns the times of a part of this process. They are always kept.
 *
 * Local.
 * pid: 0 to the number of parts - 1.
 * times: filled in.
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE;
 *         DRI_ERR_STATE before the commit.
 */
DRI_API int DRI_plan_get_times(DRI_Plan plan, int pid, DRI_Part_times *times);

/*
 * Draws the plan as a text for Graphviz (dot).
 *
 * A row for each process, a column for each batch, a box for each part with its calls, arrows with tag and bytes.
 * A transfer is one arrow between groups. After frames, colour is the time of a part, and the slowest one is
 * marked. Beyond 64 processes, rows with equal graphs are one.
 *
 * Collective over the graph's group; synchronising.
 * dot: capacity for n bytes; may be NULL if n is 0. The text, the same on all processes, ends with a NUL byte. A
 *      longer one is cut.
 * needed: set to the bytes of the whole text with its NUL byte, if not NULL.
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE, and as in DRI_group_gather.
 */
DRI_API int DRI_plan_draw(DRI_Plan plan, char *dot, size_t n, size_t *needed);

#ifdef __cplusplus
}
#endif
#endif
