/*
 * Layouts: how a part lies in memory. Strides are in elements, in a split layout in components.
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

/*
 * For DRI_layout_with_pitch: the library chooses the pitch that its kernels like best: whole cache lines, and two
 * more where rows are whole pages of 4 KB, at least three of them, and elements of a power of two up to 128 bytes.
 */
enum { DRI_PITCH_AUTO = -1 };

/* How complex numbers lie. */
typedef enum DRI_Complex_format {
    DRI_INTERLEAVED = 0, /* real part, imaginary part, real part, ... */
    DRI_SPLIT = 1        /* a plane of all real parts, then a plane of all imaginary parts */
} DRI_Complex_format;

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
 * Makes the same layout with its contiguous rows padded to a multiple of elements. Parts of one
 * dimension have no second row, so that nothing changes for them.
 *
 * Local.
 * layout: a packed one.
 * multiple: elements, >= 1; or DRI_PITCH_AUTO.
 * padded: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG, also for a layout with explicit strides; DRI_ERR_STATE.
 */
DRI_API int DRI_layout_with_pitch(DRI_Layout layout, int64_t multiple, DRI_Layout *padded);

/*
 * Makes the same layout for complex numbers whose parts lie in pairs or in two planes.
 *
 * Local.
 * layout: any. Its strides and its pitch keep their numbers; in a split layout they count components
 *         (real or imaginary parts) of one plane, so both planes have the same strides.
 * format: DRI_INTERLEAVED or DRI_SPLIT.
 * complex_layout: receives the handle; null on error.
 * The real plane begins at the buffer's start, the imaginary plane half a buffer (half of
 * DRI_xfer_buffer_bytes) after it; DRI_layout_get_plane tells the same in components. With
 * DRI_PITCH_AUTO and two or more dimensions both begin alike in a cache line.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE. Whether the elements are complex is known once there is
 *         a distribution: DRI_layout_get_strides and DRI_xfer_create give DRI_ERR_ARG for a split layout of
 *         real numbers or records.
 */
DRI_API int DRI_layout_with_complex(DRI_Layout layout, DRI_Complex_format format, DRI_Layout *complex_layout);

/*
 * The strides that a layout gives to one process's part.
 *
 * Local.
 * dist: gives the part's extents and the element type.
 * rank: a process of the distribution's group.
 * strides: room for one number per dimension; in elements; in components of a plane where the layout is
 *          split.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG for another number of dimensions, a rank outside the group, a split
 *         layout of a type that is not complex, or strides that put two elements in one place;
 *         DRI_ERR_OVERFLOW; DRI_ERR_STATE.
 */
DRI_API int DRI_layout_get_strides(DRI_Layout layout, DRI_Dist dist, int rank, int64_t strides[]);

/*
 * How far an imaginary part lies from its real part in one process's part.
 *
 * Local.
 * dist, rank: as in DRI_layout_get_strides.
 * components: set to the distance in components (real or imaginary parts): 1 where the layout is
 *             interleaved, the components of a plane where it is split; 0 for an empty split part.
 * Errors: as DRI_layout_get_strides; DRI_ERR_ARG also for a type that is not complex.
 * Source: deviation 14.
 */
DRI_API int DRI_layout_get_plane(DRI_Layout layout, DRI_Dist dist, int rank, int64_t *components);

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
