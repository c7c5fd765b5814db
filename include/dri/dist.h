/*
 * Groups and distributions.
 *
 * A group is an ordered set of processes. A distribution is a GDO, a partition and a group: it says
 * which process holds which elements. Parts go to the group's processes in row-major order.
 *
 * The queries are free of communication. Those of one process, part or index cost at most O(log) of the
 * number of parts, or what they return; DRI_dist_owner and DRI_dist_equal say their own cost. Lists of indices are
 * sorted once: a part's with the first question that needs it, those of all with the first for an owner. A rank is
 * always a rank of the world; one outside the distribution's group is DRI_ERR_ARG.
 */
#ifndef DRI_DIST_H
#define DRI_DIST_H

#include <dri/part.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Group;

typedef struct {
    uint64_t id;
} DRI_Dist;

/* One contiguous run of one dimension inside a part, with its overlap. Elements along that dimension. */
typedef struct DRI_Block {
    int64_t global;      /* first index owned */
    int64_t size;        /* how many are owned */
    int64_t local;       /* where the first owned one lies in the local array */
    int64_t left_real;   /* overlap before it that holds elements of the array, wrapped ones too */
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
 * Errors: DRI_ERR_ARG naming the position and the rank; DRI_ERR_STATE.
 * Source: minutes, process set.
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
 * Number of processes in a group, and the position of the calling one.
 *
 * Local.
 * nprocs: set if not NULL.
 * position: set if not NULL; -1 if the calling process is not in the group.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_group_get_size(DRI_Group group, int *nprocs, int *position);

/*
 * Gives up a group's handle. Objects made from it live on.
 *
 * Local.
 * group: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_group_destroy(DRI_Group *group);

/*
 * Makes a distribution, and checks that every process of the group asks for the same one.
 *
 * Collective over the group; synchronising. Processes outside the group must not call it.
 * gdo, part, group: the same on all processes of the group, with equal numbers of dimensions. What a
 *       process says of itself alone may differ: its tuples (DRI_part_create), its list (DRI_INDICES).
 * dist: receives the handle; null on error.
 * The product of the parts along all dimensions is the number of processes used. Dimensions with
 * nparts 0 share all processes: of the grids that meet the constraints, those that leave the fewest
 * processes without data; of these, those whose largest part has at most 1/16 more elements than the
 * least possible; of these, the one whose largest part has the least surface towards other parts;
 * of equal ones, that with more parts in the first dimensions. A group of k times as many processes
 * as parts holds the data k times: position q holds part q modulo the parts.
 * Exact tuples form no grid: position q has its own piece. Pieces must lie inside the GDO; overlap may
 * reach beyond it.
 * Cost: one exchange of a digest, O(log P) steps; with tuples or lists, each process gets those of all.
 * Errors: DRI_ERR_CONSTRAINT naming dimension, part and sizes, or by how much it fails; DRI_ERR_ARG if the
 *         number of processes is no multiple of the parts, the numbers of dimensions differ, or a piece or
 *         an index is outside the GDO; DRI_ERR_MISMATCH if processes disagree, also about the list of a part
 *         that several of them hold; DRI_ERR_OVERFLOW if the bytes that a part holds, overlap and
 *         pad included, or the indices of wrapped overlap or pad, counted on beyond the array, do not fit into
 *         64 bits; DRI_ERR_HANDLE; DRI_ERR_STATE; DRI_ERR_TIMEOUT if a process does not come within the
 *         set-up deadline (environment DRI_SETUP_TIMEOUT, seconds, default 300).
 * Source: minutes, figure 8; deviation 13.
 */
DRI_API int DRI_dist_create(DRI_Gdo gdo, DRI_Part part, DRI_Group group, DRI_Dist *dist);

/*
 * The 4-tuples of one process's part; the bounding ones where it has many blocks.
 *
 * Local.
 * tuples: room for one per dimension. left_v and right_v are the overlap that the part really has at the
 *         ends, clipped at the array's edges, pad included. A dimension without elements gives
 *         left_x = right_x: where the block would stand, so that blocks follow each other without
 *         gaps; the dimension's size for BLOCK_CYCLIC, 0 for INDICES.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_part(DRI_Dist dist, int rank, DRI_Part_tuple tuples[]);

/*
 * Shape of one process's local array, overlap and pad included.
 *
 * Local.
 * extents: room for one number per dimension; elements.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_extents(DRI_Dist dist, int rank, int64_t extents[]);

/*
 * Number of elements that one process owns, and that its local array holds.
 *
 * Local.
 * owned: without overlap; an element that a list names twice counts twice. held: with overlap and pad.
 *        Each set if not NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_count(DRI_Dist dist, int rank, int64_t *owned, int64_t *held);

/*
 * Number of blocks of one process's part along one dimension.
 *
 * Local.
 * n: set to the number; 0 for an empty part. Each index of a list is a block.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_num_blocks(DRI_Dist dist, int rank, int dim, int64_t *n);

/*
 * One block of one process's part along one dimension, in the order of the local array.
 *
 * Local.
 * i: 0 <= i < the number of blocks.
 * block: filled in.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_block(DRI_Dist dist, int rank, int dim, int64_t i, DRI_Block *block);

/*
 * Number of parts along each dimension.
 *
 * Local.
 * grid: room for one number per dimension.
 * Errors: DRI_ERR_UNSUPPORTED for exact tuples, which form no grid; DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_grid(DRI_Dist dist, int grid[]);

/*
 * Place of one process's part in the grid of parts.
 *
 * Local.
 * coords: room for one number per dimension.
 * Errors: DRI_ERR_UNSUPPORTED for exact tuples, which form no grid; DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_get_coords(DRI_Dist dist, int rank, int coords[]);

/*
 * The process that owns an element; where several do, the first of them in the group's order.
 *
 * Local.
 * index: one number per dimension. May be NULL for a distribution of no dimensions.
 * rank: set to the owner.
 * Cost: O(log) of the number of parts. With exact tuples of two or more dimensions that holds where the pieces are
 *       those of a grid or of cuts in two, are equal, or lie one in the other. Where they overlap otherwise, the
 *       parts looked at are few, but no bound below their number is promised.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for an index outside the GDO, or one that nobody owns; DRI_ERR_STATE.
 * Source: deviation 23.
 */
DRI_API int DRI_dist_owner(DRI_Dist dist, const int64_t index[], int *rank);

/*
 * All processes that own a copy of an element, in the group's order.
 *
 * Local.
 * n: set to the number of copies; 0 where nobody owns it, as parts of a sink may leave it out.
 * ranks: room for that many, or NULL.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for an index outside the GDO; DRI_ERR_STATE.
 */
DRI_API int DRI_dist_replicas(DRI_Dist dist, const int64_t index[], int *n, int ranks[]);

/*
 * Where an element lies in one process's local array.
 *
 * Local.
 * index: global; local: room for one number per dimension. Along each dimension the first place where the
 *        process owns it, or else the first one in its overlap. Copies in a pad do not count.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG if the process does not hold that element; DRI_ERR_STATE.
 */
DRI_API int DRI_dist_local_index(DRI_Dist dist, int rank, const int64_t index[], int64_t local[]);

/*
 * Which element lies at a place of one process's local array.
 *
 * Local.
 * local: a place inside the extents, overlap included; index: room for one number per dimension.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for a place outside, or one that holds zeros; DRI_ERR_STATE.
 */
DRI_API int DRI_dist_global_index(DRI_Dist dist, int rank, const int64_t local[], int64_t index[]);

/*
 * Tells whether two distributions put every element of the same GDO in the same places, and the same of
 * these are owned.
 *
 * Local.
 * flag: set to 1 or 0. Distributions made from different calls with equal arguments are equal.
 * Cost: a comparison of digests if the arguments are equal, else one step per part along each dimension, or per
 *       process and dimension where the grids differ or there are none. Widths of overlap do not enter. Lists of
 *       indices are compared run by run.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_dist_equal(DRI_Dist a, DRI_Dist b, int *flag);

/*
 * A line of text that describes a distribution, such as "8B [97,64] block(4),* over 0-3". Overlap stands
 * behind each dimension, "<2:1w>"; of exact tuples from the least to the most of all, "exact<0-2:1w>".
 *
 * Local.
 * text: room for n bytes; what does not fit is cut, and the text always ends with a NUL byte.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for NULL or n 0; DRI_ERR_STATE.
 */
DRI_API int DRI_dist_describe(DRI_Dist dist, char *text, size_t n);

/*
 * Gives up a distribution's handle. Transfers made from it live on.
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
