/*
 * Partitions: how each dimension of a global data object is cut.
 *
 * A partition is made without an object and without processes. DRI_dist_create combines the three and
 * checks them.
 */
#ifndef DRI_PART_H
#define DRI_PART_H

#include <dri/gdo.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Part;

/* How a dimension is cut. */
typedef enum DRI_Part_kind {
    DRI_WHOLE = 0,        /* not cut */
    DRI_BLOCK = 1,        /* one contiguous block per part */
    DRI_BLOCK_CYCLIC = 2, /* blocks of `block` elements, dealt to the parts round-robin */
    DRI_SIZES = 3,        /* one contiguous block per part, of the size given in `sizes` */
    DRI_WEIGHTS = 4,      /* one contiguous block per part, its size in proportion to `weights` */
    DRI_INDICES = 5,      /* each process lists the indices of its part in `indices`; each index is a block */
    DRI_RUNS = 6,         /* the same, written short: each process lists runs of indices in `runs` */
    DRI_PIECES = 7        /* exact pieces; DRI_dist_get_rule returns it, DRI_part_create makes them */
} DRI_Part_kind;

/* How DRI_BLOCK cuts n elements over p parts if p does not divide n. */
typedef enum DRI_Remainder {
    DRI_BALANCED = 0,      /* sizes differ by at most one, larger parts first */
    DRI_BALANCED_LAST = 1, /* sizes differ by at most one, larger parts last */
    DRI_CEIL = 2,          /* every part ceil(n/p), the last ones short or empty */
    DRI_PROPORTIONAL = 3   /* index i belongs to part floor(i*p/n) */
} DRI_Remainder;

/* What overlap becomes beyond an edge of the array. */
typedef enum DRI_Edge {
    DRI_TRUNCATE = 0,     /* there is none beyond the edge */
    DRI_WRAP = 1,         /* the array continues at its other edge, as often as the width requires */
    DRI_PAD_ZERO = 2,     /* zeros */
    DRI_PAD_REPLICATE = 3 /* the element at the edge, repeated */
} DRI_Edge;

/*
 * Equal stretches of consecutive indices at equal distances, as an entry of a list. It stands for the indices
 * first, first + 1, ... first + size - 1, then for `size` indices from first + step on, and so on `count` times.
 */
typedef struct DRI_Run {
    int64_t first; /* first index, >= 0 */
    int64_t size;  /* consecutive indices of a stretch, > 0 */
    int64_t count; /* number of stretches, > 0 */
    int64_t step;  /* from the first index of a stretch to that of the next one; negative if they fall; any number
                      if count is 1 */
} DRI_Run;

/*
 * The rule for one dimension. A zero-initialised rule leaves the dimension whole. Fields that a kind
 * does not use must be 0.
 */
typedef struct DRI_Part_dim {
    DRI_Part_kind kind; /* how the dimension is cut */

    /*
     * Number of parts along this dimension. With 0, DRI_dist_create chooses. SIZES and WEIGHTS need a number.
     * INDICES and RUNS with 0 have as many parts as the other dimensions leave processes.
     */
    int nparts;

    DRI_Remainder remainder; /* BLOCK */
    int64_t block;           /* BLOCK_CYCLIC: elements per block, > 0; 1 is cyclic */
    const int64_t *sizes;    /* SIZES: nparts sizes, each >= 0; copied */

    /*
     * Constraints on the number of elements of every non-empty part; 0 is none; min = max is an exact
     * number. Parts may be left empty to meet them. Only the last non-empty part may break `multiple`.
     */
    int64_t min, max, multiple;

    /*
     * WEIGHTS: nparts finite numbers >= 0, not all 0; copied. The quota of a part is n * weight / sum of the
     * weights. Sizes follow by largest remainder. If remainders are equal, the lower part receives the extra
     * element. A weight of 0 gives an empty part. Under constraints, the share of a part is factor * weight,
     * raised to `min` or lowered to `max`. One factor serves all parts; with it, the shares add up to n. Shares
     * are rounded to whole multiples by largest remainder. The last part of positive weight has the elements
     * beyond whole multiples. If not all parts can hold `min`, the lightest are empty. The arithmetic is exact,
     * with weights taken to 2^-61 of the largest.
     */
    const double *weights;

    /*
     * INDICES: nindices global indices of this process's part, in any order; copied. This order is the local
     * order. Processes whose parts have the same position along the dimension pass equal lists. The lists of a
     * sink may name an index twice, share indices and leave indices out. A source is checked when its endpoint is
     * declared.
     */
    const int64_t *indices;
    int64_t nindices; /* INDICES: number of indices, >= 0 */

    /*
     * Overlap before and behind every block, in elements, >= 0, whichever process owns them. It may reach past
     * neighbours and exceed the array. With DRI_TRUNCATE, INT64_MAX requests everything up to the edge. Each block
     * is stored with its overlap around it, so an element may have several addresses. An empty part has no
     * overlap. A BLOCK_CYCLIC dimension has blocks even if it has one part. DRI_commit expands, one by one, the
     * blocks whose overlap crosses an edge of the array; full circuits of the array count as one.
     */
    int64_t left, right;

    /*
     * What overlap becomes beyond the array, that is beyond the GDO. The overlap of a subset stops at the
     * subset's edge, even where its parent continues.
     */
    DRI_Edge left_edge, right_edge;

    /*
     * BLOCK_CYCLIC: the part that has the first block, 0 <= phase < number of parts. Block b belongs to part
     * (b + phase) modulo the number of parts, as with RSRC and CSRC of ScaLAPACK.
     */
    int64_t phase;

    /*
     * RUNS: nruns runs; copied. One after the other they stand for the list that INDICES names one by one, and all
     * else is as there. Processes of a group may mix the two. Rising stretches cost as little as their run,
     * however many there are. Three kinds of stretches cost memory one by one: falling ones, those of a list that
     * names an index twice, and those of several indices in a dimension with overlap.
     */
    const DRI_Run *runs;
    int64_t nruns; /* RUNS: number of runs, >= 0 */

    int64_t reserved[3]; /* must be 0 */
} DRI_Part_dim;

/* Position of a part along one dimension: it owns [left_x, right_x) and has overlap at both sides. */
typedef struct DRI_Part_tuple {
    int64_t left_v;  /* elements of overlap before left_x */
    int64_t left_x;  /* first index owned */
    int64_t right_x; /* one past the last index owned */
    int64_t right_v; /* elements of overlap starting from right_x */
} DRI_Part_tuple;

/*
 * Makes the partition of exact pieces: each process passes the tuples of its own piece.
 *
 * It takes one DRI_Part_tuple per dimension. DRI_part_create_rule takes one DRI_Part_dim per dimension:
 * a rule for all parts. Pieces need not form a grid. The pieces of a source must tile the GDO. This is
 * checked when the source's endpoint is declared. The pieces of a sink may leave elements out, share them, and
 * be empty. Overlap beyond the array is cut off; DRI_part_with_edges changes that.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS; must equal that of the GDO it will be used with.
 * tuples: one per dimension, of the calling process. It owns [left_x, right_x), 0 <= left_x <= right_x, and
 *         requests left_v and right_v elements of overlap, >= 0. Copied. May be NULL if ndims is 0. Without
 *         dimensions every process holds the one element.
 * part: receives the handle; null on error.
 * Errors: DRI_ERR_ARG; the message names the dimension and the field;
 *         DRI_ERR_STATE.
 * Source: minutes, "specific or a reasonable default".
 */
DRI_API int DRI_part_create(int ndims, const DRI_Part_tuple tuples[], DRI_Part *part);

/*
 * Makes the same partition with other edges: what overlap beyond the array becomes.
 *
 * Local.
 * left_edges, right_edges: one per dimension. May be NULL if there are no dimensions.
 * with_edges: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG; the message names the dimension and the edge;
 *         DRI_ERR_STATE.
 * Source: deviation 18.
 */
DRI_API int DRI_part_with_edges(DRI_Part part, const DRI_Edge left_edges[], const DRI_Edge right_edges[],
                                DRI_Part *with_edges);

/*
 * Makes a partition by rule.
 *
 * It takes one DRI_Part_dim per dimension. DRI_part_create takes the exact piece of the calling process
 * instead, one DRI_Part_tuple per dimension.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS; must equal that of the GDO it will be used with.
 * dims: one rule per dimension; copied. May be NULL if ndims is 0.
 * part: receives the handle; null on error.
 * Errors: DRI_ERR_ARG; the message names the dimension and the field;
 *         DRI_ERR_OVERFLOW if the sum of sizes exceeds int64_t;
 *         DRI_ERR_STATE.
 * Source: minutes, "specific or a reasonable default".
 */
DRI_API int DRI_part_create_rule(int ndims, const DRI_Part_dim dims[], DRI_Part *part);

/*
 * Makes the partition that cuts one dimension into balanced blocks and leaves the others whole.
 *
 * There is one block for every process of the group that the partition will meet. Rows over processes: ndims 2,
 * dim 0.
 *
 * Local.
 * ndims: 1 to DRI_MAX_DIMS.
 * dim: the dimension to cut, 0 <= dim < ndims.
 * part: receives the handle; null on error.
 * Errors: DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_part_create_blocks(int ndims, int dim, DRI_Part *part);

/*
 * Makes the turned partition of a partition: dimension i of the new one is cut as dimension perm[i]
 * of the old one.
 *
 * Local.
 * perm: a permutation of 0 .. ndims-1. May be NULL if ndims is 0.
 * turned: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG if perm is not a permutation;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_part_turn(DRI_Part part, const int perm[], DRI_Part *turned);

/*
 * Returns the number of dimensions of a partition. DRI_dist_get_rule returns the rules of a distribution.
 *
 * Local.
 * ndims: set to the number.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_part_get_ndims(DRI_Part part, int *ndims);

/*
 * Destroys a partition's handle. Objects made from it stay valid.
 *
 * Local.
 * part: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_part_destroy(DRI_Part *part);

#ifdef __cplusplus
}
#endif
#endif
