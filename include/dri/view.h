/*
 * Views: memory with strides. A view says where the elements of a box lie that a process has in memory, which
 * indices they have, and how much overlap surrounds them.
 */
#ifndef DRI_VIEW_H
#define DRI_VIEW_H

#include <dri/range.h>
#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Element (i0, i1, ...) of the view, counted from 0 along each dimension, lies
 * i0 * step[0] + i1 * step[1] + ... elements after `data`. Its index along dimension d is
 * range[d].first + i * range[d].stride. Overlap continues both: i is negative on the left, and range[d].size or
 * more on the right. Entries of dimensions that the view does not have are 0.
 */
typedef struct DRI_View {
    void *data;                                      /* the first owned element; any address if none is owned */
    int64_t element_bytes;                           /* of a step of 1: an element; if split, a component */
    int64_t plane;                                   /* split layout: from a real part to its imaginary part, in
                                                        components; otherwise 0 */
    int64_t ndims;                                   /* number of dimensions */
    DRI_Range range[DRI_MAX_DIMS];                   /* indices of the owned elements */
    int64_t step[DRI_MAX_DIMS];                      /* from one owned element to the next, in elements */
    int64_t left[DRI_MAX_DIMS], right[DRI_MAX_DIMS]; /* overlap before the first and behind the last element */
    int64_t boxes;                                   /* number of boxes of the process, of an array's view;
                                                        otherwise 0 */
    int64_t reserved[7];                             /* 0 */
} DRI_View;

/*
 * Returns the buffer to work on as a view: the address of its first owned element, with indices and strides.
 *
 * The buffer is that of DRI_xfer_get_buffer. Indices count in the endpoint's GDO. For strips they count in the GDO
 * of the strip that is in the buffer, see DRI_xfer_get_strip. Overlap includes wrapped elements and pad, as in
 * DRI_dist_get_part.
 *
 * Local.
 * view: filled in. If the part has no elements, at least one range has size 0.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG;
 *         DRI_ERR_STATE as in DRI_xfer_get_buffer;
 *         DRI_ERR_UNSUPPORTED if the owned indices of a dimension are not evenly spaced;
 *         DRI_ERR_UNSUPPORTED if overlap lies between them. The message names the dimension. DRI_dist_get_block
 *         describes such a part.
 * Source: deviation 46.
 */
DRI_API int DRI_xfer_get_view(DRI_Xfer xfer, DRI_View *view);

#ifdef __cplusplus
}
#endif
#endif
