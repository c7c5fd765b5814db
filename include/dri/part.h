/*
 * Partitions: how each dimension of a global data object is cut.
 *
 * A partition is made without an object and without processes; DRI_dist_create brings the three
 * together and checks them.
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
    DRI_BLOCK_CYCLIC = 2, /* blocks of `block` elements dealt to the parts in turn */
    DRI_SIZES = 3,        /* one contiguous block per part, of the size given in `sizes` */
    DRI_WEIGHTS = 4,      /* one contiguous block per part, its size in proportion to `weights` */
    DRI_INDICES = 5       /* each process names the indices of its part in `indices`; each is a block */
} DRI_Part_kind;

/* How DRI_BLOCK cuts n elements over p parts where p does not divide n. */
typedef enum DRI_Remainder {
    DRI_BALANCED = 0,      /* sizes differ by at most one, larger parts first */
    DRI_BALANCED_LAST = 1, /* sizes differ by at most one, larger parts last */
    DRI_CEIL = 2,          /* every part ceil(n/p), the last ones short or empty */
    DRI_PROPORTIONAL = 3   /* index i belongs to part floor(i*p/n) */
} DRI_Remainder;

/* What overlap becomes that reaches over an edge of the array. */
typedef enum DRI_Edge {
    DRI_TRUNCATE = 0,     /* there is none beyond the edge */
    DRI_WRAP = 1,         /* the array's other end follows, as often as the width asks for */
    DRI_PAD_ZERO = 2,     /* zeros */
    DRI_PAD_REPLICATE = 3 /* the element at the edge, repeated */
} DRI_Edge;

/*
 * The rule for one dimension. A zero-initialised one leaves the dimension whole. Fields that a kind
 * does not use must be 0.
 *
 * WEIGHTS: a part's quota is n * weight / sum of the weights. Sizes by largest remainder; of equal
 * remainders the lower part gets more. A weight of 0 gives an empty part. Under constraints, of all
 * sizes that meet them those with the least sum of squared distances to the quotas, parts left empty
 * included. The arithmetic is exact, with weights taken to 2^-61 of the largest.
 *
 * INDICES: every process gives its own list, in any order, which is the local order. Processes whose
 * parts have the same place along the dimension give equal lists. With nparts 0 there are as many parts
 * as the other dimensions leave processes. A list may name an index twice, and lists may share or leave
 * out indices, for sinks; a source is checked when its end is declared.
 *
 * Overlap: `left` elements before and `right` elements behind every block, whoever owns them; it may
 * reach past neighbours and be wider than the array: with DRI_TRUNCATE, INT64_MAX is all that there is.
 * Each block is stored with its overlap around it, so an element may lie in several places. An empty part
 * has none. The blocks of BLOCK_CYCLIC are blocks over one part, too. Beyond the array means beyond the
 * GDO: of a subset beyond the subset, also where its parent goes on. DRI_commit writes out one by one the
 * blocks whose overlap reaches over an edge of the array; whole turns round the array count as one.
 */
typedef struct DRI_Part_dim {
    DRI_Part_kind kind;
    int nparts;              /* parts along this dimension; 0: DRI_dist_create chooses. SIZES, WEIGHTS need it */
    DRI_Remainder remainder; /* BLOCK */
    int64_t block;           /* BLOCK_CYCLIC: elements per block, > 0; 1 is cyclic */
    const int64_t *sizes;    /* SIZES: nparts sizes, each >= 0; copied */
    /*
     * Constraints on the number of elements of every non-empty part; 0 is none; min = max says
     * exactly how many. Parts may be left empty to meet them. Only the last non-empty part may
     * break `multiple`.
     */
    int64_t min, max, multiple;
    const double *weights;  /* WEIGHTS: nparts finite numbers >= 0, not all 0; copied */
    const int64_t *indices; /* INDICES: nindices global indices of this process's part; copied */
    int64_t nindices;
    int64_t left, right;            /* overlap wanted at each side of every block, elements, >= 0 */
    DRI_Edge left_edge, right_edge; /* what it becomes beyond the array */
    int64_t reserved[6];            /* must be 0 */
} DRI_Part_dim;

/* Where a part lies along one dimension: it owns [left_x, right_x) and has overlap at both sides. */
typedef struct DRI_Part_tuple {
    int64_t left_v;  /* elements of overlap before left_x */
    int64_t left_x;  /* first index owned */
    int64_t right_x; /* one past the last index owned */
    int64_t right_v; /* elements of overlap from right_x on */
} DRI_Part_tuple;

/*
 * Makes the partition of exact pieces: each process says what it owns, and how much overlap it wants.
 * Pieces need not form a grid. A source's must tile the GDO, which is checked when its end is declared;
 * a sink's may leave elements out, share them, and be empty.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS; must be that of the GDO it will be used with.
 * tuples: one per dimension, of the calling process: it owns [left_x, right_x), 0 <= left_x <= right_x, and
 *         wants left_v and right_v elements of overlap, >= 0. Copied. May be NULL if ndims is 0; without
 *         dimensions every process holds the one element.
 * part: receives the handle; null on error. Overlap beyond the array is cut off; DRI_part_with_edges
 *       changes that.
 * Errors: DRI_ERR_ARG naming the dimension and the field; DRI_ERR_STATE.
 * Source: minutes, "specific or a reasonable default".
 */
DRI_API int DRI_part_create(int ndims, const DRI_Part_tuple tuples[], DRI_Part *part);

/*
 * Makes the same partition with other edges: what overlap beyond the array becomes.
 *
 * Local.
 * left_edges, right_edges: one per dimension. May be NULL if there are no dimensions.
 * with_edges: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG naming the dimension and the edge; DRI_ERR_STATE.
 * Source: deviation 18.
 */
DRI_API int DRI_part_with_edges(DRI_Part part, const DRI_Edge left_edges[], const DRI_Edge right_edges[],
                                DRI_Part *with_edges);

/*
 * Makes a partition by rule.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS; must be that of the GDO it will be used with.
 * dims: one rule per dimension; copied. May be NULL if ndims is 0.
 * part: receives the handle; null on error.
 * Errors: DRI_ERR_ARG naming the dimension and the field; DRI_ERR_OVERFLOW if the sum of sizes does not
 *         fit into int64_t; DRI_ERR_STATE.
 * Source: minutes, "specific or a reasonable default".
 */
DRI_API int DRI_part_create_rule(int ndims, const DRI_Part_dim dims[], DRI_Part *part);

/*
 * Makes the partition that cuts one dimension into balanced blocks, one for every process of the
 * group it will meet, and leaves the others whole. Rows over processes: ndims 2, dim 0.
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
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG if perm is no permutation; DRI_ERR_STATE.
 */
DRI_API int DRI_part_turn(DRI_Part part, const int perm[], DRI_Part *turned);

/*
 * Gives up a partition's handle. Objects made from it live on.
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
