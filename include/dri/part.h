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
    DRI_SIZES = 3         /* one contiguous block per part, of the size given in `sizes` */
} DRI_Part_kind;

/* How DRI_BLOCK cuts n elements over p parts where p does not divide n. */
typedef enum DRI_Remainder {
    DRI_BALANCED = 0,      /* sizes differ by at most one, larger parts first */
    DRI_BALANCED_LAST = 1, /* sizes differ by at most one, larger parts last */
    DRI_CEIL = 2,          /* every part ceil(n/p), the last ones short or empty */
    DRI_PROPORTIONAL = 3   /* index i belongs to part floor(i*p/n) */
} DRI_Remainder;

/*
 * The rule for one dimension. A zero-initialised one leaves the dimension whole. Fields that a kind
 * does not use must be 0.
 */
typedef struct DRI_Part_dim {
    DRI_Part_kind kind;
    int nparts;              /* parts along this dimension; 0: DRI_dist_create chooses. SIZES needs it */
    DRI_Remainder remainder; /* BLOCK */
    int64_t block;           /* BLOCK_CYCLIC: elements per block, > 0; 1 is cyclic */
    const int64_t *sizes;    /* SIZES: nparts sizes, each >= 0; copied */
    /*
     * Constraints on the number of elements of every non-empty part; 0 is none; min = max says
     * exactly how many. Parts may be left empty to meet them. Only the last non-empty part may
     * break `multiple`.
     */
    int64_t min, max, multiple;
    int64_t reserved[12]; /* must be 0 */
} DRI_Part_dim;

/* Where a part lies along one dimension: it owns [left_x, right_x) and has overlap at both sides. */
typedef struct DRI_Part_tuple {
    int64_t left_v;  /* elements of overlap before left_x */
    int64_t left_x;  /* first index owned */
    int64_t right_x; /* one past the last index owned */
    int64_t right_v; /* elements of overlap from right_x on */
} DRI_Part_tuple;

/*
 * Makes a partition by rule.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS; must be that of the GDO it will be used with.
 * dims: one rule per dimension; copied. May be NULL if ndims is 0.
 * part: receives the handle; null on error.
 * Errors: DRI_ERR_ARG naming the dimension and the field; DRI_ERR_STATE.
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
