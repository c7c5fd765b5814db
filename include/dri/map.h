/*
 * Maps: which process of a group owns which index. A map covers all indices of n dimensions, negative ones too. It
 * has no sizes and no data: a domain (dri/domain.h) adds ranges, an array (dri/array.h) elements.
 *
 * A map is an immutable value. Every process makes the same one for itself and asks it: nothing here communicates.
 * The library has maps of blocks, of cyclic blocks and of both in different dimensions, with space for overlap,
 * and maps of distributions. A user's map is a structure of functions, of which one is required: the owner of an
 * index.
 */
#ifndef DRI_MAP_H
#define DRI_MAP_H

#include <dri/dist.h>
#include <dri/range.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Map;

/*
 * How a map cuts one dimension. A zero-initialised one leaves it whole. Fields that a kind does not use must be 0.
 */
typedef struct DRI_Map_dim {
    DRI_Part_kind kind; /* DRI_WHOLE, DRI_BLOCK or DRI_BLOCK_CYCLIC */

    /*
     * Number of parts along this dimension. With 0 the library chooses: the prime factors of the processes that
     * are left, from the least to the greatest, each multiply the smallest number so far, the first one of equals.
     * Then the larger numbers come first. DRI_WHOLE has 0 or 1.
     */
    int nparts;

    /*
     * BLOCK: the bounding box [lo, hi) of the dimension, not empty. Index i belongs to part
     * floor((i - lo) * p / (hi - lo)) of p. Indices outside belong to the nearest part.
     */
    int64_t lo, hi;

    /*
     * BLOCK_CYCLIC: index i belongs to part floor((i - start) / block) modulo p. The block is >= 1; with 1 the
     * map is cyclic.
     */
    int64_t start, block;

    /*
     * BLOCK: overlap before and behind each part, in members of the domain, >= 0: space for copies of what other
     * processes own. An empty part has none.
     */
    int64_t left, right;

    /*
     * BLOCK: what overlap holds beyond the domain. DRI_TRUNCATE: space that the library does not touch, zeros at
     * first. DRI_WRAP: the domain continues at its other end. Pads as in DRI_Part_dim.
     */
    DRI_Edge left_edge, right_edge;
    int64_t reserved[6]; /* must be 0 */
} DRI_Map_dim;

/* An assignment in progress, see dri/array.h. */
struct DRI_Assignment;

/*
 * A user's map: functions that answer for it. All except `owner` may be NULL.
 *
 * They are pure: for one context they always answer alike, on every process. Any thread may call them, several at
 * once. Only `known` and `any` may call the library. Each returns DRI_SUCCESS or a failure (DRI_Code). A failure
 * ends the call in progress with this code. Its message names the map and the function, and has what the function
 * reported with DRI_fail, if it did.
 *
 * `ctx` is the pointer that DRI_map_create_user was given.
 */
typedef struct DRI_Map_ops {
    size_t bytes;     /* sizeof(DRI_Map_ops) */
    const char *name; /* for messages and texts; copied. NULL: "user" */

    /* Sets the position in the group of the process that owns an index. The only function that is required. */
    int (*owner)(void *ctx, const int64_t index[], int *position);

    /*
     * Lists what a position owns of the ranges `whole`: disjoint boxes, one range per dimension, in the order in
     * which its elements lie in memory. It sets n to their number, and writes the first `most` of them one after
     * the other. The library calls once more with capacity for n if n exceeds most. Without this function the
     * library asks `owner` for every index, once per domain and process.
     */
    int (*local)(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n);

    /*
     * Does an assignment itself, or declines it by leaving done at 0, see DRI_assign. All processes decide alike.
     * It is asked first: it is for assignments between maps that it knows. A failure on one process is told to
     * those that decline. Where the others do the assignment, that process waits for them until set-up's
     * deadline, unless the failure is DRI_ERR_TIMEOUT.
     */
    int (*known)(void *ctx, const struct DRI_Assignment *assignment, int *done);

    /* As `known`, asked if none of both maps knows the assignment. */
    int (*any)(void *ctx, const struct DRI_Assignment *assignment, int *done);

    /* Sets flag to whether two contexts are the same map. Without it they are if they are the same pointer. */
    int (*equal)(void *ctx, void *other, int *flag);

    /* Writes a text of at most n bytes, which ends with a NUL byte. Without it the text is the name. */
    int (*describe)(void *ctx, char *text, size_t n);

    /*
     * Writes the context as bytes, for DRI_map_pack. It sets needed to the number of bytes, and writes them if n
     * suffices. Without this function and the next one the map cannot be packed.
     */
    int (*pack)(void *ctx, void *bytes, size_t n, size_t *needed);

    /* Makes a new context from the bytes of `pack`. */
    int (*unpack)(const void *bytes, size_t n, void **ctx);

    /* Called with the last map that has the context, on any thread. */
    void (*destroy)(void *ctx);
    void *reserved[4]; /* must be NULL */
} DRI_Map_ops;

/*
 * Makes a map from a rule per dimension.
 *
 * The parts are assigned to the group's processes in row-major order.
 *
 * Local.
 * ndims: 1 to DRI_MAX_DIMS.
 * dims: one rule per dimension; copied.
 * group: as many processes as there are parts.
 * map: receives the handle; null on error.
 * Cost: linear in the number of processes.
 * Errors: DRI_ERR_ARG; the message names the dimension and the field;
 *         DRI_ERR_ARG if the product of the numbers of parts is not the number of processes;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: DSI, the constructors of GlobalDistribution; deviation 70.
 */
DRI_API int DRI_map_create(int ndims, const DRI_Map_dim dims[], DRI_Group group, DRI_Map *map);

/*
 * Makes the map of a distribution. Its domains lie inside [0, sizes) of the distribution's GDO.
 *
 * Local.
 * dist: its parts tile the GDO, each element once. Parts of one block may have overlap. The domain of
 *       the whole GDO has the same; any other domain has none.
 * map: receives the handle; null on error. dist may be destroyed.
 * Cost: linear in the number of parts along each dimension, or of pieces.
 * Errors: DRI_ERR_GAP, DRI_ERR_OVERLAP if the parts do not tile; the message names an element, or the numbers of
 *         elements;
 *         DRI_ERR_UNSUPPORTED for overlap of parts with several blocks, and for a group that holds the data
 *         several times;
 *         DRI_ERR_ARG without dimensions;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: deviation 70.
 */
DRI_API int DRI_map_create_dist(DRI_Dist dist, DRI_Map *map);

/*
 * Makes a map of the user's own.
 *
 * Local. Calls none of the functions.
 * ndims: 1 to DRI_MAX_DIMS.
 * ops: the functions; copied.
 * ctx: passed to them. It must stay valid until ops->destroy.
 * group: positions are places in this group.
 * map: receives the handle; null on error. Then ctx is not destroyed.
 * Errors: DRI_ERR_ARG for NULL, for `bytes` that are not sizeof(DRI_Map_ops), and without `owner`;
 *         DRI_ERR_ARG if one of pack and unpack is there without the other;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: DSI, "the interface that a domain map must implement".
 */
DRI_API int DRI_map_create_user(int ndims, const DRI_Map_ops *ops, void *ctx, DRI_Group group, DRI_Map *map);

/*
 * Returns the process that owns an index.
 *
 * Local.
 * index: one number per dimension; any.
 * rank: set to the owner.
 * Cost: linear in the number of dimensions. For a distribution that of DRI_dist_owner, for a user's map its own.
 * Errors: DRI_ERR_ARG for NULL, for an index outside a distribution, and for a position outside the group;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE, and what a user's function returns.
 * Source: DSI, dsiIndexToLocale.
 */
DRI_API int DRI_map_owner(DRI_Map map, const int64_t index[], int *rank);

/*
 * Returns the number of dimensions of a map.
 *
 * Local.
 * ndims: set to the number.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_map_get_ndims(DRI_Map map, int *ndims);

/*
 * Returns the number of parts along each dimension.
 *
 * Local.
 * grid: capacity for one number per dimension.
 * Errors: DRI_ERR_UNSUPPORTED for a user's map, and for exact pieces, which form no grid;
 *         DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: DSI, target locales.
 */
DRI_API int DRI_map_get_grid(DRI_Map map, int grid[]);

/*
 * Returns the processes of a map.
 *
 * Local.
 * group: receives a handle of its own, to be destroyed; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_map_get_group(DRI_Map map, DRI_Group *group);

/*
 * Makes another handle of the same map. Each is destroyed on its own.
 *
 * Local.
 * clone: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: DSI, dsiClone.
 */
DRI_API int DRI_map_clone(DRI_Map map, DRI_Map *clone);

/*
 * Compares two maps.
 *
 * They are equal if they are of the same sort, give every index the same owner, and have the same overlap and
 * bounding boxes. Starts of cyclic maps count modulo the block times the number of parts. The order of the group's
 * processes matters.
 *
 * Local.
 * flag: set to 1 if they are equal, otherwise to 0.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE, and what a user's function returns.
 * Source: DSI, dsiEqualDMaps.
 */
DRI_API int DRI_map_equal(DRI_Map a, DRI_Map b, int *flag);

/*
 * Describes a map: a line with the rule of each dimension and the number of processes, then a line per process
 * with the indices that it owns in the bounding box. Bounds are included in these texts: "1..8".
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE, and what a user's function returns.
 * Source: DSI, dsiDisplayRepresentation.
 */
DRI_API int DRI_map_describe(DRI_Map map, char *text, size_t n);

/*
 * Writes a map as bytes, from which DRI_map_unpack makes it again.
 *
 * Local.
 * bytes: capacity for n bytes, without an alignment. NULL with n 0 requests only the size.
 * n: capacity of bytes.
 * needed: set to the size; may be NULL if bytes is not.
 * Errors: DRI_ERR_ARG if n is too small: the message and needed have the size, and nothing is written to bytes;
 *         DRI_ERR_ARG if bytes and needed are NULL, or bytes is NULL and n is not 0;
 *         DRI_ERR_UNSUPPORTED for a user's map without `pack`;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns.
 * Source: DSI, dsiGetPrivatizeData.
 */
DRI_API int DRI_map_pack(DRI_Map map, void *bytes, size_t n, size_t *needed);

/*
 * Makes a map from the bytes of DRI_map_pack. Any process of any run may do so.
 *
 * Local.
 * bytes: n bytes of DRI_map_pack, written with the same byte order.
 * ops: the functions of a user's map, otherwise NULL. Its name must be that of the packed map.
 * map: receives the handle; null on error.
 * Errors: DRI_ERR_ARG for NULL, for bytes that are no packed map, and for damaged ones;
 *         DRI_ERR_ARG if ops do not fit, or a process is not in the world;
 *         DRI_ERR_UNSUPPORTED for another byte order or version;
 *         DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns.
 * Source: DSI, dsiPrivatize.
 */
DRI_API int DRI_map_unpack(const void *bytes, size_t n, const DRI_Map_ops *ops, DRI_Map *map);

/*
 * Destroys a map's handle. Objects made from it stay valid.
 *
 * Local.
 * map: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_map_destroy(DRI_Map *map);

#ifdef __cplusplus
}
#endif
#endif
