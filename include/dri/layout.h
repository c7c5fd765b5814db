/*
 * Layouts: how a part lies in memory. Strides and pitches count elements. In a split layout they count components
 * (real or imaginary parts) of one plane.
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
 * For DRI_layout_with_pitch: the library chooses the pitch that suits its kernels. A row is rounded up to whole
 * cache lines. Two more cache lines are added under these conditions: the rounded row is a multiple of 4 KB, at
 * least 12 KB, and the element size is a power of two up to 128 bytes.
 */
enum { DRI_PITCH_AUTO = -1 };

/* How complex numbers lie in memory. */
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
 * Source: minutes, "A layout object is a packed permutation of dimensions".
 */
DRI_API int DRI_layout_create_packed(int ndims, const int order[], DRI_Layout *layout);

/*
 * Makes a layout with explicit strides.
 *
 * Element (i, j, ...) of a part lies strides[0]*i + strides[1]*j + ... elements after the buffer's start.
 * Two elements must not share an address. The dimensions must nest: each stride exceeds the offset of the last
 * element that the dimensions with smaller strides span. This is checked once there is a part, by
 * DRI_layout_get_strides, DRI_layout_get_plane and DRI_xfer_create.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS.
 * strides: one per dimension, in elements, each >= 1. May be NULL if ndims is 0.
 * layout: receives the handle; null on error.
 * Errors: DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: minutes, "DRI_layout_create"; deviation 5.
 */
DRI_API int DRI_layout_create(int ndims, const int64_t strides[], DRI_Layout *layout);

/*
 * Makes the same layout with its contiguous lines padded to a multiple of elements.
 *
 * The contiguous lines are the rows in DRI_ROW_MAJOR and the columns in DRI_COL_MAJOR, here called rows. The pitch
 * is the length of a padded row. DRI_layout_get_strides returns it: it is the stride of the second
 * fastest dimension, the one above the contiguous one. Parts of one dimension have no second row, so nothing
 * changes for them. The padding behind the last row is part of the buffer.
 *
 * Local.
 * layout: a packed one.
 * multiple: elements (in a split layout, components of a plane), >= 1; or DRI_PITCH_AUTO.
 * padded: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for a multiple out of range, or a layout with explicit strides;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_layout_with_pitch(DRI_Layout layout, int64_t multiple, DRI_Layout *padded);

/*
 * Makes the same layout for complex numbers whose parts lie in pairs or in two planes.
 *
 * The real plane starts at the buffer's start. The imaginary plane starts DRI_layout_get_plane components after
 * it: half of DRI_xfer_buffer_bytes for an endpoint without strips. A buffer of strips is as large as the largest
 * strip. The imaginary plane of a smaller strip therefore starts before half of the buffer: pass the distribution
 * of that strip (DRI_xfer_get_strip) to DRI_layout_get_plane. With DRI_PITCH_AUTO and two or more dimensions both
 * planes start at the same offset in a cache line.
 *
 * Only a distribution shows whether the elements are complex. DRI_layout_get_strides, DRI_layout_get_plane and
 * DRI_xfer_create fail with DRI_ERR_ARG for a split layout of real numbers or records.
 *
 * Local.
 * layout: any. Its strides and its pitch keep their numbers. In a split layout they count components of one
 *         plane, and both planes have the same strides.
 * format: DRI_INTERLEAVED or DRI_SPLIT.
 * complex_layout: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 14.
 */
DRI_API int DRI_layout_with_complex(DRI_Layout layout, DRI_Complex_format format, DRI_Layout *complex_layout);

/*
 * Returns the strides that a layout gives to one process's part.
 *
 * Local.
 * dist: gives the part's extents and the element type.
 * rank: a process of the distribution's group.
 * strides: capacity for one number per dimension, in elements. In a split layout, in components of a plane.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for another number of dimensions;
 *         DRI_ERR_ARG for a rank outside the group;
 *         DRI_ERR_ARG for a split layout of a type that is not complex;
 *         DRI_ERR_ARG for strides that give two elements one address, or do not nest;
 *         DRI_ERR_OVERFLOW;
 *         DRI_ERR_STATE.
 */
DRI_API int DRI_layout_get_strides(DRI_Layout layout, DRI_Dist dist, int rank, int64_t strides[]);

/*
 * Returns the distance from a real part to its imaginary part in one process's part.
 *
 * Local.
 * dist, rank: as in DRI_layout_get_strides.
 * components: set to the distance in components (real or imaginary parts). It is 1 in an interleaved layout, and
 *             the number of components of a plane in a split layout. It is 0 for an empty split part.
 * Errors: as in DRI_layout_get_strides;
 *         DRI_ERR_ARG for a type that is not complex.
 * Source: deviation 14.
 */
DRI_API int DRI_layout_get_plane(DRI_Layout layout, DRI_Dist dist, int rank, int64_t *components);

/*
 * Returns the order of dimensions in a layout.
 *
 * Local.
 * ndims: 0 to DRI_MAX_DIMS. DRI_ROW_MAJOR, DRI_COL_MAJOR and layouts made from them suit any number of dimensions.
 *        Others suit the number that they were made with.
 * order: capacity for ndims numbers. order[0] is the slowest dimension, order[ndims-1] the contiguous one.
 *        Explicit strides give the order of falling strides, of equal ones the lower dimension first.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG for another number of dimensions;
 *         DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_layout_get_order(DRI_Layout layout, int ndims, int order[]);

/*
 * Returns what a layout has beside the order of its dimensions.
 *
 * DRI_layout_create makes the same layout from strides, DRI_layout_create_packed from an order.
 * DRI_layout_with_pitch and DRI_layout_with_complex add the rest.
 *
 * Local.
 * strides: explicit strides, or zeros for the others; capacity for DRI_MAX_DIMS numbers, or NULL.
 * multiple: set if not NULL: that of DRI_layout_with_pitch, or 0 if rows are not padded.
 * format: set if not NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_layout_get_options(DRI_Layout layout, int64_t strides[], int64_t *multiple,
                                   DRI_Complex_format *format);

/*
 * Destroys a layout's handle. Objects made from it stay valid.
 *
 * Local.
 * layout: set to null on success.
 * Errors: DRI_ERR_HANDLE (also for the predefined layouts), DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_layout_destroy(DRI_Layout *layout);

#ifdef __cplusplus
}
#endif
#endif
