/*
 * Loops: elementwise statements over arrays that no process holds whole, and moves of whole arrays.
 *
 * A statement such as b[1:-1] = a[:-2] + a[2:] is one loop. Each process computes the positions that it owns of
 * the target. What it needs from others follows by arithmetic from what all processes know. It is planned once,
 * and fetched by one exchange per array. Positions that need nothing from others are computed meanwhile.
 *
 * The user's kernel is called for boxes of positions, each with one address and one step per dimension for every
 * operand. The right side of a statement is read before the target is written.
 */
#ifndef DRI_LOOP_H
#define DRI_LOOP_H

#include <dri/piece.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Loop;

/*
 * A read of a statement, or its target. A zero-initialised one has no reach.
 *
 * Operands are broadcast as in numpy: dimensions align at the right, and a dimension of size 1, or one that an
 * operand does not have, counts for all positions.
 */
typedef struct DRI_Operand {
    DRI_Array array; /* an array or an alias, or null: plain memory with equal contents on all processes,
                        or a loop without a target */
    DRI_Range slice[DRI_MAX_DIMS]; /* one range per dimension of the array, of its domain, strides >= 1. Of plain
                                      memory: one per dimension of the loop, whose sizes are its shape */

    /*
     * How far the kernel looks around a position, in positions of the loop: per dimension of the operand. Elements
     * there must lie in the array, or in its overlap with DRI_WRAP or a pad. 0 in a dimension that is broadcast.
     */
    int64_t left[DRI_MAX_DIMS], right[DRI_MAX_DIMS];

    const void *data; /* plain memory: the element of position 0. It is read while the loop runs, and may
                         change between runs */
    int64_t steps[DRI_MAX_DIMS]; /* plain memory: bytes from one position to the next, per dimension of the loop */
    int64_t reserved[8];         /* 0 */
} DRI_Operand;

/*
 * The user's loop nest for a box of positions.
 *
 * The calling thread calls it for one box after the other. It must not call the library with the loop's arrays.
 * context: as given to DRI_loop_run.
 * ndims: dimensions of the loop, those of the target's array.
 * sizes: positions of the box along each of them, > 0.
 * data: per operand the address of the element of the box's first position; data[0] is the target, data[1 + i]
 * read i. steps: per operand and dimension the bytes from a position to the next; 0 where the operand is
 * broadcast. Returns DRI_SUCCESS or a failure (DRI_Code), which DRI_loop_run returns on this process.
 */
typedef int (*DRI_Kernel)(void *context, int ndims, const int64_t sizes[], void *const data[],
                          const int64_t *const steps[]);

/*
 * Makes a loop: plans a statement, or finds the plan that the same statement has.
 *
 * The leader of the loop is the target. Without a target it is the first read whose slice has the shape of the
 * loop, to which all reads are broadcast. A process computes the positions whose elements of the leader it owns.
 *
 * Arrays need one run per dimension and process (blocks, stencil maps, exact pieces). Arrays over other maps are
 * possible if all operands that are arrays have equal domains, whole slices and no reach: all is at its place
 * then.
 *
 * Collective over the processes of the target's array, or of the leader; all arrays have the same group in the
 * same order. Synchronising the first time. Local where the plan is known. Plans are kept per group, the 256 used
 * last, so all processes have the same ones.
 * target: its array receives the result. NULL, or with a null array: a loop for DRI_loop_reduce only.
 * nreads: 0 to 32.
 * reads: may name the target's array, or an array or plain memory whose memory is also the target's. Where
 *        elements are read at other positions than they are written, the result takes a temporary of the plan.
 * loop: receives the handle; null on error. It keeps its arrays.
 * Cost: a known plan: about two microseconds. Otherwise two to four DRI_dist_create and a commit for each array
 *       that others read.
 * Errors: on all processes: DRI_ERR_ARG for a slice that leaves its array, a stride below 1, shapes that do not
 *         fit, and a piece; the message has the operand (0 is the target), the dimension and the values;
 *         DRI_ERR_UNSUPPORTED for an array with several runs, see DRI_assign, arrays of several groups, and a
 *         device;
 *         DRI_ERR_MISMATCH if processes disagree: the first time, with DRI_CHECK=1 in the environment each time;
 *         DRI_ERR_GAP, DRI_ERR_OVERLAP if the parts of DRI_array_init are not the array;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, DRI_ERR_TIMEOUT, DRI_ERR_TRANSPORT.
 */
DRI_API int DRI_loop_create(const DRI_Operand *target, int nreads, const DRI_Operand reads[], DRI_Loop *loop);

/*
 * Executes a loop: starts the exchanges, calls the kernel for positions that need nothing from others, waits, and
 * calls it for the others.
 *
 * Collective over the loop's processes; not synchronising: it waits for processes whose elements it reads, and for
 * those that read its own. When it returns, arrays may be written again.
 * kernel: called for disjoint boxes that are together the positions of this process.
 * context: passed to the kernel.
 * Cost: the exchanges, and one pass of the kernel. Nothing is allocated.
 * Errors: what the kernel returns, on this process alone; it is not called again in this run, and the result is
 *         incomplete;
 *         DRI_ERR_MEMORY on this process alone, if memory of its own arrays overlaps and there is none for a
 *         temporary: it takes part, and computes nothing;
 *         DRI_ERR_TIMEOUT if a process does not take part within DRI_ARRAY_TIMEOUT_MS of its array; the message
 *         names it. The same call goes on;
 *         DRI_ERR_ARG for a loop without a target;
 *         DRI_ERR_STATE while an update of overlap of an array is under way, after DRI_domain_set on one, if a run
 *         of the same operands with another kernel or context has timed out, and while another thread is in a
 *         call of a loop with the same operands;
 *         DRI_ERR_HANDLE, DRI_ERR_TRANSPORT.
 */
DRI_API int DRI_loop_run(DRI_Loop loop, DRI_Kernel kernel, void *context);

/*
 * Executes a loop without a target, and reduces what the kernel finds over all positions of all processes.
 *
 * The kernel gets count zeroed elements at data[0], whose steps are 0, and writes its results of the box there.
 * They are combined in a fixed order: boxes of a process as they come, then processes in the order of the group.
 * So all processes get the same bits.
 *
 * Collective over the loop's processes; synchronising.
 * kernel, context: as in DRI_loop_run.
 * type: of the results: integers, float or double; complex ones for DRI_OP_SUM.
 * count: results of each call, 1 to 8.
 * op: DRI_OP_SUM, DRI_OP_MIN or DRI_OP_MAX.
 * result: set to count results on all processes. Without positions a sum is 0.
 * Cost: as DRI_loop_run, and one small exchange between all.
 * Errors: as in DRI_loop_run. A failure of a kernel is returned on all processes;
 *         DRI_ERR_ARG for another op, a count out of range, and MIN or MAX without positions;
 *         DRI_ERR_ARG for a loop with a target;
 *         DRI_ERR_STATE if another one over the same processes has timed out, and its arrays still exist, and
 *         while another thread reduces a loop over these processes, on this process alone;
 *         DRI_ERR_UNSUPPORTED for another type.
 */
DRI_API int DRI_loop_reduce(DRI_Loop loop, DRI_Kernel kernel, void *context, DRI_Type type, int count, DRI_Op op,
                            void *result);

/*
 * Makes a loop, executes it and destroys it: a statement in one call. It costs less than the three calls.
 *
 * Collective over the processes of the target's array, as DRI_loop_create and DRI_loop_run.
 * target, nreads, reads: as in DRI_loop_create.
 * kernel, context: as in DRI_loop_run.
 * unfinished: receives the loop if its run has timed out, so that DRI_loop_run goes on; otherwise null. NULL: the
 *             same call goes on.
 * Errors: as in DRI_loop_create and DRI_loop_run.
 */
DRI_API int DRI_loop_do(const DRI_Operand *target, int nreads, const DRI_Operand reads[], DRI_Kernel kernel,
                        void *context, DRI_Loop *unfinished);

/*
 * The same for a loop without a target: a reduction in one call.
 *
 * Collective over the processes of the leader, as DRI_loop_create and DRI_loop_reduce; synchronising.
 * nreads, reads: as in DRI_loop_create.
 * kernel, context, type, count, op, result: as in DRI_loop_reduce.
 * unfinished: as in DRI_loop_do.
 * Errors: as in DRI_loop_create and DRI_loop_reduce.
 */
DRI_API int DRI_loop_do_reduce(int nreads, const DRI_Operand reads[], DRI_Kernel kernel, void *context,
                               DRI_Type type, int count, DRI_Op op, void *result, DRI_Loop *unfinished);

/*
 * Moves the context of a run, or of a reduction, that has timed out: the call that goes on has it at this address.
 *
 * After a timeout DRI_loop_run and DRI_loop_reduce take the same context only, which is found by its address. A
 * caller that makes its contexts anew for each call compares them itself. It names an address of its own after the
 * timeout, so that no other context has it by chance, and that of an equal context before the call that goes on.
 *
 * Local.
 * loop: has the operands of the run.
 * context: of the next call. Without a run that has timed out nothing happens.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_loop_set_context(DRI_Loop loop, void *context);

/*
 * Returns the library's own kernel of an operation, to be passed to DRI_loop_run: data[0] receives the result of
 * data[1], and data[2] if the operation has two operands.
 *
 * Local.
 * op, type: see DRI_Op; the type of the operands.
 * kernel: set to the function.
 * context: set to what must be passed with it; static.
 * result: set to the type of the result, if not NULL.
 * Errors: DRI_ERR_UNSUPPORTED for a type that the operation does not have;
 *         DRI_ERR_ARG, DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_loop_kernel(DRI_Op op, DRI_Type type, DRI_Kernel *kernel, void **context, DRI_Type *result);

/*
 * Describes the plan of a loop on the calling process: leader, target, core and edges, per array its window and
 * the kind of its exchange, temporaries and bytes.
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_loop_explain(DRI_Loop loop, char *text, size_t n);

/*
 * Destroys a loop's handle. Its plan is kept for the next loop with the same operands, as long as the arrays
 * exist. A run or a reduction that has timed out goes on with that loop.
 *
 * Local.
 * loop: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_loop_destroy(DRI_Loop *loop);

/*
 * Makes an array whose dimension i is dimension order[i] of another one: a corner turn. It is in the default
 * partition.
 *
 * Collective over the array's processes; not synchronising when the plan is known.
 * array: an array or an alias.
 * order: each dimension once.
 * permuted: receives the handle of a new array; null on error.
 * Cost: the first time DRI_array_create_shape and the plan of a transfer. Then the transfer, into memory of the
 *       result before the last one if nobody uses that any more, otherwise into new memory. The plan keeps that of
 *       two results.
 * Errors: DRI_ERR_ARG for an order that is none;
 *         DRI_ERR_STATE while another thread is in the same move of this array, or of one of equal form, on this
 *         process alone;
 *         DRI_ERR_MEMORY, with a known plan on this process alone;
 *         others as in DRI_array_repartition.
 * Source: Dist runtime, copy_permute.
 */
DRI_API int DRI_array_permute(DRI_Array array, const int order[], DRI_Array *permuted);

/*
 * Makes an array of another shape with the same elements in row-major order. It is in the default partition.
 *
 * Collective over the array's processes; not synchronising when the plan is known.
 * array: cut along dimension 0 alone; no alias.
 * ndims, shape: of the result; the same number of elements.
 * reshaped: receives the handle of a new array; null on error.
 * Cost: as DRI_array_permute.
 * Errors: DRI_ERR_ARG for a shape with another number of elements;
 *         DRI_ERR_OVERFLOW for one whose number of elements does not fit into 64 bits;
 *         DRI_ERR_UNSUPPORTED for an array that is cut otherwise, and for an alias;
 *         DRI_ERR_STATE as in DRI_array_permute;
 *         others as in DRI_array_repartition.
 * Source: Dist runtime, copy_reshape.
 */
DRI_API int DRI_array_reshape(DRI_Array array, int ndims, const int64_t shape[], DRI_Array *reshaped);

/*
 * Collects a slice of an array in memory of one process or of all.
 *
 * Collective over the array's processes; not synchronising when the plan is known.
 * array: an array or an alias.
 * slice: one range per dimension, of the array's domain; NULL: all of it.
 * root: the process that receives, a rank of the world in the array's group; -1: all of them do.
 * data: on a process that receives: the elements, packed in row-major order; aligned as the type. Elsewhere
 *       unused. After DRI_ERR_TIMEOUT it stays in use until the same call, with the same memory, has returned
 *       anything else, or the array is destroyed.
 * Cost: one transfer, planned once per slice and root.
 * Errors: DRI_ERR_ARG for a slice that leaves the array, and a root that is not in the group;
 *         DRI_ERR_ARG for NULL at a receiver, on this process alone: it takes part, and the others succeed. With
 *         DRI_CHECK=1 it is one on all;
 *         DRI_ERR_STATE if the same call has timed out with other memory;
 *         others as in DRI_array_repartition.
 * Source: sharpy, gather.
 */
DRI_API int DRI_array_gather(DRI_Array array, const DRI_Range slice[], int root, void *data);

/*
 * Reduces a slice of an array to one element, the same bits on all processes.
 *
 * Collective over the array's processes; synchronising.
 * array: an array or an alias, of integers, float or double; of complex numbers for DRI_OP_SUM.
 * slice: as in DRI_array_gather.
 * op: DRI_OP_SUM, DRI_OP_MIN or DRI_OP_MAX.
 * result: a sum: int64_t, uint64_t, double or a pair of doubles, by the kind of the elements. Otherwise an
 *         element.
 * Cost: one pass, and one small exchange between all.
 * Errors: DRI_ERR_ARG for another op, and for MIN or MAX of an empty slice;
 *         DRI_ERR_UNSUPPORTED for another type;
 *         DRI_ERR_STATE if another one over the same processes has timed out, and its array still exists, and
 *         while another thread reduces an array over these processes, on this process alone;
 *         others as in DRI_array_repartition.
 */
DRI_API int DRI_array_reduce(DRI_Array array, const DRI_Range slice[], DRI_Op op, void *result);

#ifdef __cplusplus
}
#endif
#endif
