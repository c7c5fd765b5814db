/*
 * Plans: graphs of all processes, matched, checked and cut into parts.
 *
 * An operation is one communication: a send with its receive, or a whole transfer with its ports. Operations come
 * in batches: those of a batch need none of the same batch. A part is what a process computes between two batches:
 * it waits for its receives, computes, and sends. Parts of a process run one after the other, from 0.
 *
 * The result does not depend on the order in which nodes were added. Queries are local and return what the plan
 * has; strings and arrays belong to the plan and are valid until it is destroyed.
 */
#ifndef DRI_GRAPH_PLAN_H
#define DRI_GRAPH_PLAN_H

#include <dri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Plan;

/* One communication. Valid when filled with zeros, except the tag. */
typedef struct DRI_Operation {
    int src, dest;   /* ranks; both -1 for the transfer with the name `tag` */
    const char *tag; /* ends with a NUL byte */
    DRI_Gdo shape;   /* sizes and type; null for a transfer. DRI_graph_verify skips comparing it if it is null */

    /*
     * In a part: name of the node that is sent or received on this process, one of the part's outputs or inputs.
     * Otherwise NULL; DRI_graph_verify accepts NULL.
     */
    const char *name;
} DRI_Operation;

/*
 * A part of this process. DRI_plan_get_part fills it in, and users fill it in for DRI_graph_verify. Valid when
 * filled with zeros.
 *
 * Operations are sorted by (src, dest, tag), transfers first; names are sorted by their bytes. A node that the
 * user has not named as an output has a name "_dri_0", "_dri_1", ...: first those of the process's operations in
 * their order, then other ones.
 */
typedef struct DRI_Graph_part {
    int pid; /* its number in the process, from 0; for DRI_graph_verify any number that the process uses once */
    int nneeded, nrecvs, nsends, ninputs, npart_inputs, noutputs; /* lengths of the arrays below */
    const int *needed;                                            /* parts of this process that must run before */
    const DRI_Operation *recvs;                                   /* what it waits for */
    const DRI_Operation *sends;                                   /* what it hands over */
    const char *const *inputs;                                    /* the user's inputs that it reads */
    const char *const
        *part_inputs;           /* nodes that it reads and that are received in it, or outputs of other parts */
    const char *const *outputs; /* nodes that it sends, that other parts read, and outputs of the computation */
    int64_t reserved[4];        /* 0 */
} DRI_Graph_part;

/*
 * Matches, checks and partitions the graphs of all processes of their group.
 *
 * If anything is wrong on any process, the call fails on all of them with the same code and message, nothing is
 * made, and the graphs can be mended. DRI_graph_get_faults then has every fault. On success the graph is closed:
 * no node can be added.
 *
 * Collective over the graph's group; synchronising.
 * plan: receives the handle; null on error.
 * Cost: two exchanges of O(log P) steps. Every process holds the operations of all: 28 bytes each, 8 for each
 *       need and each list of needs, and 32 or more for each different tag. Time and memory are linear in nodes
 *       and operations, also where each depends on all before.
 * Errors: DRI_ERR_UNMATCHED for a receive without a send, and a send without a receive;
 *         DRI_ERR_UNMATCHED for a transfer without source or sink, or of which a process lacks its port;
 *         DRI_ERR_DUPLICATE for an operation that is sent twice or received twice;
 *         DRI_ERR_CYCLE for operations, or calls of one process, that need each other;
 *         DRI_ERR_MISMATCH if the ends of an operation have other sizes or types;
 *         DRI_ERR_UNSUPPORTED for an operation from a process to itself, and for 2^31 sends and receives;
 *         DRI_ERR_UNSUPPORTED for a sink with DRI_DROP in a graph that receives something else, too;
 *         DRI_ERR_ARG for NULL, and for a value that is needed and that no call writes; the message says by what;
 *         DRI_ERR_STATE if the graph is partitioned already;
 *         DRI_ERR_HANDLE, on this process alone;
 *         as in DRI_group_gather.
 */
DRI_API int DRI_graph_partition(DRI_Graph graph, DRI_Plan *plan);

/*
 * Returns the number of parts of this process, at least 1.
 *
 * Local.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_plan_num_parts(DRI_Plan plan, int *n);

/*
 * Returns a part of this process.
 *
 * Local.
 * pid: 0 to the number of parts - 1.
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_plan_get_part(DRI_Plan plan, int pid, const DRI_Graph_part **part);

/*
 * Returns the operations of a batch, of all processes, in order.
 *
 * Local.
 * batch: from 0. Batches are never empty: *n is 0 from the number of batches on.
 * most: number of operations that ops can hold, >= 0.
 * ops: the first `most` of them are written; may be NULL if most is 0.
 * n: set to their number.
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_plan_get_batch(DRI_Plan plan, int batch, int most, DRI_Operation ops[], int *n);

/*
 * Returns the operations that must be complete on some process before it can start an operation, in order.
 *
 * Local. For operations of all processes.
 * operation: src, dest and tag are read.
 * most, ops, n: as in DRI_plan_get_batch.
 * Cost: linear in what is found; it is not kept.
 * Errors: as in DRI_plan_get_batch;
 *         DRI_ERR_ARG for an operation that the plan does not have.
 */
DRI_API int DRI_plan_get_needs(DRI_Plan plan, DRI_Operation operation, int most, DRI_Operation ops[], int *n);

/*
 * Returns the part in which a node is stored.
 *
 * Stored are nodes that are received, sent, marked by DRI_graph_store, or outputs, and ports. A received node is
 * in the part of its receive. Another one is in the first part whose sends depend on it; if there is none, in the
 * last.
 *
 * Local.
 * node: of the graph from which the plan was made. A staple stands for its node, a send for its data.
 * pid: set to the part, or to -1 if the node is not stored or does not exist.
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_plan_part_of(DRI_Plan plan, DRI_Node node, int *pid);

/*
 * Returns the name that a node has in the parts of this process: as an input or an output of a part, and in its
 * operations.
 *
 * Local.
 * node: as in DRI_plan_part_of.
 * name: set to the name, or to NULL if the parts do not name the node. Of several names of an output it is the
 *       first one by its bytes.
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 74.
 */
DRI_API int DRI_plan_get_name(DRI_Plan plan, DRI_Node node, const char **name);

/*
 * Writes the plan in words: batches of all processes, parts of this one. Equal graphs have equal texts.
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_ARG for NULL or n 0; DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_plan_describe(DRI_Plan plan, char *text, size_t n);

/*
 * Destroys a plan with its memory and its transfers. Addresses that DRI_plan_get_output returned become invalid.
 *
 * Local. It may wait as DRI_xfer_destroy does.
 * plan: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG;
 *         DRI_ERR_STATE, also while another thread uses the plan.
 */
DRI_API int DRI_plan_destroy(DRI_Plan *plan);

/*
 * Computes levels of tasks: that of a task is one more than the largest of what it needs, and 0 if it needs
 * nothing. Tasks of one level may run together; no other levels are smaller.
 *
 * Local. May be called at any time.
 * n: number of tasks, >= 0.
 * first: n + 1 places in needs, not decreasing, from 0: task i needs needs[first[i]] to needs[first[i + 1] - 1].
 * needs: numbers of tasks. May be NULL if there are none.
 * level: n numbers, set. May be NULL if n is 0.
 * nlevels: set to the number of levels; 0 on error.
 * Cost: O(n + needs); no recursion.
 * Errors: DRI_ERR_CYCLE if tasks need each other or themselves; the message names the first one;
 *         DRI_ERR_ARG, DRI_ERR_MEMORY.
 */
DRI_API int DRI_task_levels(int64_t n, const int64_t first[], const int64_t needs[], int64_t level[],
                            int64_t *nlevels);

/*
 * Numbers the tags of all processes in the order in which they first appear, process by process.
 *
 * Collective over the group; synchronising.
 * n, tags: this process's tags, each 1 to DRI_MAX_NAME bytes; a tag may be there several times. NULL if n is 0.
 * base: number of the first tag, the same on all processes.
 * numbers: n numbers, set; may be NULL if n is 0.
 * next: set to base plus the number of different tags, if not NULL.
 * Errors: DRI_ERR_MISMATCH if processes give different bases;
 *         DRI_ERR_OVERFLOW if a number exceeds an int;
 *         DRI_ERR_ARG, DRI_ERR_HANDLE, and as in DRI_group_gather.
 */
DRI_API int DRI_number_tags(DRI_Group group, int n, const char *const tags[], int base, int numbers[], int *next);

/* What is wrong with graphs or parts, in the order in which faults are reported. */
typedef enum DRI_Fault_kind {
    DRI_FAULT_SELF = 1,             /* DRI_ERR_UNSUPPORTED: an operation from a process to itself */
    DRI_FAULT_DUPLICATE_SEND = 2,   /* DRI_ERR_DUPLICATE: an operation is sent twice */
    DRI_FAULT_DUPLICATE_RECV = 3,   /* DRI_ERR_DUPLICATE: an operation is received twice */
    DRI_FAULT_MISSING_SEND = 4,     /* DRI_ERR_UNMATCHED: a receive without a send; a transfer without a source */
    DRI_FAULT_MISSING_RECV = 5,     /* DRI_ERR_UNMATCHED: a send without a receive; a transfer without a sink */
    DRI_FAULT_UNDEFINED_INPUT = 6,  /* DRI_ERR_UNMATCHED: a part reads what no part gives and nobody sends */
    DRI_FAULT_OWN_OUTPUT = 7,       /* DRI_ERR_CYCLE: a part reads its own output */
    DRI_FAULT_DUPLICATE_OUTPUT = 8, /* DRI_ERR_DUPLICATE: two parts of a process give one name */
    DRI_FAULT_MISMATCH = 9,         /* DRI_ERR_MISMATCH: both ends have other sizes or types */
    DRI_FAULT_CYCLE = 10,           /* DRI_ERR_CYCLE: the operation needs itself, through others or not */
    DRI_FAULT_PARTS_CYCLE = 11      /* DRI_ERR_CYCLE: the part waits for itself, through others or not */
} DRI_Fault_kind;

/* A fault of graphs or parts. */
typedef struct DRI_Fault {
    DRI_Fault_kind kind;     /* what is wrong */
    int rank;                /* the process where it shows: for a missing end, the one that lacks it */
    int pid;                 /* the part, or -1 where parts play no role */
    DRI_Operation operation; /* tag NULL where operations play no role; shape and name are null */
    const char *name;        /* of an input or an output, or NULL */
    int64_t reserved[4];     /* 0 */
} DRI_Fault;

/*
 * Checks parts that processes describe: parts of a plan, or parts that somebody else has made.
 *
 * It checks that each operation is sent once and received once, that a transfer has a source and a sink, that no
 * process sends it twice or receives it in two parts, that every input of a part is given, that no two parts of a
 * process give the same name, as an output or by a receive, and that all parts can run in some order. The parts of
 * a plan pass.
 *
 * Collective over the group; synchronising.
 * nparts, parts: those of this process; NULL if nparts is 0.
 * Cost: as in DRI_graph_partition.
 * Errors: the code of the first fault on all processes; the message has this fault and the number of all;
 *         DRI_ERR_ARG for NULL, a tag or a name out of range, and a rank that is not in the group;
 *         DRI_ERR_HANDLE, DRI_ERR_UNSUPPORTED for 2^31 sends and receives, and as in DRI_group_gather.
 */
DRI_API int DRI_graph_verify(DRI_Group group, int nparts, const DRI_Graph_part parts[]);

/*
 * Returns the faults of this thread's last DRI_graph_partition or DRI_graph_verify: those of all processes, the
 * same on each, sorted by kind, then by operation. None if it did not fail by them.
 *
 * Local. May be called at any time.
 * most: number of faults that `faults` can hold, >= 0.
 * faults: the first `most` are written; may be NULL if most is 0. Strings are valid until this thread's next
 *         DRI_graph_partition or DRI_graph_verify.
 * n: set to the number of faults.
 * Errors: DRI_ERR_ARG.
 */
DRI_API int DRI_graph_get_faults(int most, DRI_Fault faults[], int *n);

#ifdef __cplusplus
}
#endif
#endif
