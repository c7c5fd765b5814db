/*
 * Layouts: how a part lies in memory. Strides are in elements.
 */
#ifndef DRI_LAYOUT_H
#define DRI_LAYOUT_H

#include <dri/dist.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Layout;

/*
 * Packed layouts for any number of dimensions. Row-major: the last dimension is contiguous;
 * column-major: the first one is. They are valid whenever the library runs.
 */
extern DRI_API const DRI_Layout DRI_ROW_MAJOR, DRI_COL_MAJOR;

/* For DRI_layout_with_pitch: the library chooses the pitch that its kernels like best. */
enum { DRI_PITCH_AUTO = -1 };

/*
 * Makes a layout without gaps whose dimensions lie in the given order.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS.
 * order: order[0] is the slowest dimension, order[ndims-1] the contiguous one; a permutation of
 *        0 .. ndims-1. May be NULL if ndims is 0.
 * layout: receives the handle; null on error.
 * Errors: DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: minutes, "a layout object is a packed permutation of dimensions".
 */
DRI_API int DRI_layout_create_packed(int ndims, const int order[], DRI_Layout *layout);

/*
 * Makes a layout with explicit strides: element (i, j, ...) of a part lies strides[0]*i +
 * strides[1]*j + ... elements after the buffer's start.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS.
 * strides: one per dimension, in elements, each >= 1. May be NULL if ndims is 0.
 * layout: receives the handle; null on error.
 * Errors: DRI_ERR_ARG; DRI_ERR_STATE. Whether two elements of a part would share a place is known
 *         once there is a part: DRI_layout_get_strides and DRI_xfer_create then give DRI_ERR_ARG.
 *         The dimensions must nest: each stride passes all that the smaller ones span.
 */
DRI_API int DRI_layout_create(int ndims, const int64_t strides[], DRI_Layout *layout);

/*
 * Makes the same layout with its contiguous rows padded to a multiple of elements.
 *
 * Local.
 * layout: a packed one.
 * multiple: elements, >= 1; or DRI_PITCH_AUTO.
 * padded: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG, also for a layout with explicit strides; DRI_ERR_STATE.
 */
DRI_API int DRI_layout_with_pitch(DRI_Layout layout, int64_t multiple, DRI_Layout *padded);

/*
 * The strides that a layout gives to one process's part.
 *
 * Local.
 * dist: gives the part's extents and the element type.
 * rank: a process of the distribution's group.
 * strides: room for one number per dimension; in elements.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for another number of dimensions, a rank outside the group or
 *         strides that put two elements in one place; DRI_ERR_OVERFLOW; DRI_ERR_STATE.
 */
DRI_API int DRI_layout_get_strides(DRI_Layout layout, DRI_Dist dist, int rank, int64_t strides[]);

/*
 * Gives up a layout's handle. Objects made from it live on.
 *
 * Local.
 * layout: set to null on success.
 * Errors: DRI_ERR_HANDLE (also for the library's own layouts), DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_layout_destroy(DRI_Layout *layout);

#ifdef __cplusplus
}
#endif
#endif
