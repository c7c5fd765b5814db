/*
 * Groups and distributions.
 *
 * A group is an ordered set of processes. A distribution is a GDO, a partition and a group: which process
 * holds which elements. Parts are assigned to the group's processes in row-major order.
 *
 * The queries need no communication. A query about one process, part or index costs at most O(log) of the
 * number of parts, or the size of its result. DRI_dist_owner and DRI_dist_equal state their own cost. The first
 * query that needs the order of a part's list of indices sorts that list. The first query for an owner sorts all
 * lists. A list with a pattern counts as the few runs that it consists of, see DRI_RUNS. In every query dist is
 * the distribution in question, rank the process, and dim the dimension, from 0. A rank is always a rank of the
 * world. A rank outside the distribution's group is DRI_ERR_ARG.
 */
#ifndef DRI_DIST_H
#define DRI_DIST_H

#include <dri/group.h>
#include <dri/part.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Dist;

/* One contiguous run of one dimension inside a part, with its overlap. Unit: elements along that dimension. */
typedef struct DRI_Block {
    int64_t global;      /* first index owned */
    int64_t size;        /* number of indices owned */
    int64_t local;       /* position of the first owned one in the local array */
    int64_t left_real;   /* overlap before it that holds elements of the array, wrapped ones included */
    int64_t right_real;  /* the same behind it */
    int64_t left_pad;    /* overlap before it beyond the array: zeros, or copies of the edge; it comes first */
    int64_t right_pad;   /* the same behind it; it comes last */
    int64_t reserved[4]; /* 0 */
} DRI_Block;

/*
 * Makes a group of processes.
 *
 * Local.
 * nprocs: >= 1.
 * procs: nprocs different ranks of the world; their order is the group's order.
 * group: receives the handle; null on error.
 * Errors: DRI_ERR_ARG; the message names the position and the rank;
 *         DRI_ERR_STATE.
 * Source: minutes, "Process set object an array of handles for processes in the communication".
 */
DRI_API int DRI_group_create(int nprocs, const int procs[], DRI_Group *group);

/*
 * Makes the group of all processes of the world, in their order.
 *
 * Local.
 * group: receives the handle; null on error.
 * Errors: DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_group_create_world(DRI_Group *group);

/*
 * Returns the number of processes in a group and the position of the calling process.
 *
 * Local.
 * nprocs: set if not NULL.
 * position: set if not NULL; -1 if the calling process is not in the group.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_group_get_size(DRI_Group group, int *nprocs, int *position);

/*
 * Returns the processes of a group.
 *
 * Local.
 * ranks: capacity for one rank per process; in the group's order.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_group_get_ranks(DRI_Group group, int ranks[]);

/*
 * Destroys a group's handle. Objects made from it stay valid.
 *
 * Local.
 * group: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_group_destroy(DRI_Group *group);

/*
 * Makes a distribution, and checks that every process of the group requests the same one.
 *
 * All processes of the group call it, and no other process.
 *
 * The number of processes used is the product of the numbers of parts along all dimensions. If the group has k
 * times as many processes, it holds the data k times. Position q then holds part q modulo the number of parts.
 * Exact tuples form no grid: position q has its own piece. Pieces must lie inside the GDO; overlap may exceed it.
 *
 * Dimensions with nparts 0 share all processes. The grid is chosen in these steps:
 * - Take the grids that meet the constraints.
 * - Keep those that leave the fewest processes without data.
 * - Keep those whose largest part has at most 1/16 more elements than the smallest possible one.
 * - Keep those whose largest part has the least surface towards other parts.
 * - Take the one with more parts in the first dimensions.
 *
 * Collective over the group; synchronising.
 * gdo, part, group: the same on all processes of the group, with equal numbers of dimensions. Values
 *       of one process alone may differ: its tuples (DRI_part_create), its list (DRI_INDICES, DRI_RUNS).
 * dist: receives the handle; null on error.
 * Cost: one exchange of a digest, O(log P) steps. With tuples or lists, each process receives those of all.
 * Errors: DRI_ERR_CONSTRAINT; the message names the dimension, the part and the sizes, or how many elements
 *         are too many or too few;
 *         DRI_ERR_ARG if the number of processes is not a multiple of the number of parts;
 *         DRI_ERR_ARG if the numbers of dimensions differ;
 *         DRI_ERR_ARG if a piece or an index is outside the GDO;
 *         DRI_ERR_ARG if the calling process is not in the group;
 *         DRI_ERR_MISMATCH if processes disagree, also about the list of a part that several of them hold;
 *         DRI_ERR_MISMATCH if a process makes another collective call over the same group;
 *         DRI_ERR_OVERFLOW if the bytes of a part, overlap and pad included, exceed 64 bits;
 *         DRI_ERR_OVERFLOW if the indices of wrapped overlap or pad, counted on beyond the array, exceed 64 bits;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE, on this process alone, while another of its threads is in another collective call over
 *         processes of which two are in this group; repeat the call when that one has
 *         returned, because the others wait for it;
 *         DRI_ERR_TIMEOUT if a process does not call within the set-up deadline (environment
 *         DRI_SETUP_TIMEOUT, seconds, default 300);
 *         DRI_ERR_PEER if a process that others wait for in this call has ended without DRI_finalize, and runs on
 *         a node of one of these; otherwise DRI_ERR_TIMEOUT.
 * Source: minutes, figure 8; deviation 13.
 */
DRI_API int DRI_dist_create(DRI_Gdo gdo, DRI_Part part, DRI_Group group, DRI_Dist *dist);

/*
 * Returns the GDO of a distribution.
 *
 * Local.
 * gdo: receives a handle of its own, to be destroyed; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_dist_get_gdo(DRI_Dist dist, DRI_Gdo *gdo);

/*
 * Returns the group of a distribution.
 *
 * Local.
 * group: receives a handle of its own, to be destroyed; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_dist_get_group(DRI_Dist dist, DRI_Group *group);

/*
 * Returns the rule by which a dimension is cut.
 *
 * DRI_part_create_rule makes the same partition from the rules of all dimensions. A number of parts that the
 * library chose stays 0; DRI_dist_get_grid has the number. Lists of indices come back as DRI_RUNS, in the fewest
 * runs, however they were given.
 *
 * Exact pieces come back as DRI_PIECES, with the overlap of the calling process's piece and the edges.
 * DRI_dist_get_part has the indices that it owns. DRI_part_create and DRI_part_with_edges make the same partition
 * from both.
 *
 * Local.
 * rule: filled in. Its arrays belong to the library and stay valid until dist is destroyed. A list, and the
 *       overlap of a piece, are those of the calling process. A process outside the group gets an empty list and
 *       no overlap.
 * Cost: the first call keeps 32 bytes for each run of the calling process's lists, as long as the distribution.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 51.
 */
DRI_API int DRI_dist_get_rule(DRI_Dist dist, int dim, DRI_Part_dim *rule);

/*
 * Returns the 4-tuples of one process's part. If the part has many blocks, they are the bounding ones.
 *
 * Local.
 * tuples: capacity for one per dimension. left_v and right_v are the overlap that the part holds at its two
 *         edges, wrapped elements and pad included. DRI_TRUNCATE alone makes them smaller than the widths of the
 *         partition, at the edges of the array. A dimension without elements gives left_x = right_x: the position
 *         where the block would stand, so that blocks follow each other without gaps. For BLOCK_CYCLIC that is the
 *         dimension's size, for INDICES and RUNS 0.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_part(DRI_Dist dist, int rank, DRI_Part_tuple tuples[]);

/*
 * Returns the shape of one process's local array, overlap and pad included.
 *
 * Local.
 * extents: capacity for one number per dimension; elements.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_extents(DRI_Dist dist, int rank, int64_t extents[]);

/*
 * Returns the number of elements that one process owns, and the number that its local array holds.
 *
 * Local.
 * owned: set if not NULL. Excludes overlap. An element that a list names twice counts twice.
 * held: set if not NULL. Includes overlap and pad.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_count(DRI_Dist dist, int rank, int64_t *owned, int64_t *held);

/*
 * Returns the number of blocks of one process's part along one dimension.
 *
 * Local.
 * n: set to the number; 0 for an empty part. Each index of a list is a block.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_num_blocks(DRI_Dist dist, int rank, int dim, int64_t *n);

/*
 * Returns one block of one process's part along one dimension, in the order of the local array.
 *
 * Local.
 * i: 0 <= i < the number of blocks.
 * block: filled in.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_block(DRI_Dist dist, int rank, int dim, int64_t i, DRI_Block *block);

/*
 * Returns the number of parts along each dimension.
 *
 * Local.
 * grid: capacity for one number per dimension.
 * Errors: DRI_ERR_UNSUPPORTED for exact tuples, which form no grid;
 *         DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_grid(DRI_Dist dist, int grid[]);

/*
 * Returns the coordinates of one process's part in the grid of parts.
 *
 * Local.
 * coords: capacity for one number per dimension.
 * Errors: DRI_ERR_UNSUPPORTED for exact tuples, which form no grid;
 *         DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_coords(DRI_Dist dist, int rank, int coords[]);

/*
 * Returns the process that owns an element. If several own it, it is the first of them in the group's order.
 *
 * Local.
 * index: one number per dimension. May be NULL for a distribution of no dimensions.
 * rank: set to the owner.
 * Cost: O(log) of the number of parts. For exact tuples of two or more dimensions this holds if the pieces
 *       form a grid, come from repeated halving, are equal, or are nested. If they overlap otherwise, few parts
 *       are examined, but no bound below their number is promised. For lists with a pattern it holds beside a step
 *       for each run whose span has the index.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for an index outside the GDO, or one that no process owns;
 *         DRI_ERR_STATE.
 * Source: deviation 23.
 */
DRI_API int DRI_dist_owner(DRI_Dist dist, const int64_t index[], int *rank);

/*
 * Returns all processes that own a replica of an element, in the group's order.
 *
 * Local.
 * n: set to the number of replicas. It is 0 if no process owns the element; a sink's parts may leave elements out.
 * ranks: capacity for n ranks, or NULL.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for an index outside the GDO;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_dist_replicas(DRI_Dist dist, const int64_t index[], int *n, int ranks[]);

/*
 * Returns the position of an element in one process's local array.
 *
 * Along each dimension it is the first position where the process owns the element, otherwise the first one
 * in its overlap. Copies in a pad do not count.
 *
 * Local.
 * index: global, one number per dimension.
 * local: capacity for one number per dimension.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG if the process does not hold that element;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_dist_local_index(DRI_Dist dist, int rank, const int64_t index[], int64_t local[]);

/*
 * Returns the element at one position of one process's local array.
 *
 * Local.
 * local: a position inside the extents, overlap included.
 * index: capacity for one number per dimension.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for a position outside the extents, or one that holds zeros;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_dist_global_index(DRI_Dist dist, int rank, const int64_t local[], int64_t index[]);

/*
 * Compares two distributions.
 *
 * They are equal if they have the same GDO, hold every element at the same positions, and own the same of these.
 * Distributions made by different calls with equal arguments are equal.
 *
 * Local.
 * flag: set to 1 if they are equal, otherwise to 0.
 * Cost: a comparison of digests if the arguments are equal. Otherwise one step per part along each dimension, or
 *       per process and dimension if the grids differ or there are none. Widths of overlap do not add to the cost.
 *       Lists of indices are compared run by run.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_equal(DRI_Dist a, DRI_Dist b, int *flag);

/*
 * Describes a distribution in a line of text, such as "float [97,64] block(4),* over 0-3".
 *
 * Overlap stands behind each dimension: "<2:1w>". For exact tuples it is the range from the minimum to the maximum
 * over all pieces: "exact<0-2:1w>".
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_dist_describe(DRI_Dist dist, char *text, size_t n);

/*
 * Writes a distribution as bytes, from which DRI_dist_unpack makes it again.
 *
 * Local.
 * bytes: capacity for n bytes, without an alignment. NULL with n 0 requests only the size.
 * n: capacity of bytes.
 * needed: set to the size; may be NULL if bytes is not.
 * Cost: linear in the size: some hundred bytes, and at most 40 for each size, each weight, each run of a list, and
 *       each dimension of a piece.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG if bytes and needed are NULL, or bytes is NULL and n is not 0;
 *         DRI_ERR_ARG if n is too small: the message and needed have the size, and nothing is written to bytes;
 *         DRI_ERR_STATE.
 * Source: deviation 52.
 */
DRI_API int DRI_dist_pack(DRI_Dist dist, void *bytes, size_t n, size_t *needed);

/*
 * Makes a distribution from the bytes of DRI_dist_pack, without the other processes.
 *
 * Every process may do so, also one that is not in the group: it can then ask about all processes. The
 * distribution is equal to the packed one and serves as well, in DRI_xfer_create, too. A program may move the
 * bytes as it likes, and keep them for another run.
 *
 * Local. Nothing checks that the other processes of the group have the same one, until DRI_commit does.
 * bytes: n bytes as DRI_dist_pack has written them, in any run of a program with the same byte order.
 * dist: receives the handle; null on error.
 * Cost: as the local part of DRI_dist_create.
 * Errors: DRI_ERR_ARG for NULL, for bytes that are no packed distribution, and for damaged ones;
 *         DRI_ERR_ARG if a process of the group is not in the world;
 *         DRI_ERR_UNSUPPORTED for another byte order, or a version that this library does not read;
 *         DRI_ERR_MEMORY;
 *         DRI_ERR_STATE.
 * Source: deviation 52.
 */
DRI_API int DRI_dist_unpack(const void *bytes, size_t n, DRI_Dist *dist);

/*
 * Destroys a distribution's handle. Transfers made from it stay valid.
 *
 * Local.
 * dist: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_destroy(DRI_Dist *dist);

#ifdef __cplusplus
}
#endif
#endif
