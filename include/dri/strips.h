/*
 * Strips: arrays that arrive, or leave, one strip after the other, because no caller has memory for the whole.
 *
 * A strip is a box of the whole array. It is as long as the array along all dimensions except one. Strip k has the
 * elements [k * s, (k + 1) * s) of that dimension; the last strip may have fewer. Each strip is an array of its
 * own, distributed by the partition of the first one.
 *
 * A source of strips hands over one strip per frame, in order. After the last strip it starts the next array. A
 * sink of strips extracts one per frame. In between, the array lies in a store: memory of the sink's processes,
 * one store for each buffer of the sink. The strips of the sink follow each other in the store, so to extract a
 * strip is to get its address. The two sides may have strips along different dimensions, or only one side may have
 * strips. A source of whole arrays gives one to the store per frame. A sink of whole arrays receives one once all
 * strips of its source have arrived. Several sinks of one name may each have strips of their own.
 *
 * A store is filled as early as possible, and refilled once the caller has released all of its strips. A sink of n
 * stores is filled n arrays ahead of its caller. The same holds for a sink of whole arrays in n buffers of the
 * library if its source has strips. A process may therefore hold both endpoints with one store: it inserts all
 * strips of an array, then extracts those of its sink. It gets DRI_ERR_DEADLOCK if it hands over more. Both
 * endpoints together by name get it, too, if a strip of the sink needs more than one of the source.
 */
#ifndef DRI_STRIPS_H
#define DRI_STRIPS_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Declares one endpoint of a named transfer whose frames are strips.
 *
 * All processes of the side pass the same whole, dim and strip; DRI_commit fails with DRI_ERR_MISMATCH otherwise.
 * It fails with DRI_ERR_UNSUPPORTED for strips with DRI_ATTR_STREAM, DRI_ATTR_IN_PLACE or DRI_ATTR_REBASE.
 *
 * All calls take the endpoint like any other:
 * - DRI_xfer_buffer_bytes returns the bytes of the largest strip.
 * - DRI_xfer_get_buffers returns the strips of a sink's stores, in order.
 * - Frames in DRI_Xfer_info count strips. Its buffer_bytes are those of a strip.
 * - The buffer_bytes of DRI_Memory are those of all stores. A store has memory for each strip as for the largest
 *   one, rounded up to whole cache lines.
 * - What arrives in a store counts with the first strip that is extracted from it.
 * - A source has memory for the messages of as many strips as it has buffers, not of the array. It has twice that
 *   if these strips may belong to two arrays. See docs/howto/strips.md.
 *
 * Local. DRI_commit reserves buffers and messages; before that, an endpoint holds 8 bytes for each of its buffers.
 * name, role, xfer: as in DRI_xfer_create.
 * whole: the GDO whose strips these are.
 * dim: the dimension along which they follow each other, from 0.
 * strip: a distribution of the first strip. Its GDO is a subset of `whole` that starts where `whole` does. It is
 *        as long as `whole` in all dimensions except `dim`; along `dim` it has 1 to all of the elements. Choices
 *        that its partition leaves open are made for the first strip and hold for all. Exact pieces need strips
 *        of equal size.
 * layout: how the part of one strip lies. For split layouts see DRI_layout_with_complex.
 * nbuffs: 1 to DRI_MAX_BUFFERS. Of a source, number of buffers of one strip. Of a sink, number of stores, each
 *         with memory for all strips of an array. With 1, the next array arrives when the caller has released the
 *         strips of the last one. With more, arrays overlap.
 * buffs: of a source, as in DRI_xfer_create. NULL for a sink, whose stores are the library's.
 * Errors: as in DRI_xfer_create;
 *         DRI_ERR_ARG for a dimension that `whole` does not have;
 *         DRI_ERR_ARG for a strip that is not the first strip of it;
 *         DRI_ERR_ARG for buffers of a sink;
 *         DRI_ERR_ARG for exact pieces with a shorter last strip;
 *         DRI_ERR_CONSTRAINT and others of DRI_dist_create if the partition does not fit the last strip.
 * Source: minutes, "17k x 96k reduction and corner turn"; deviation 38.
 */
DRI_API int DRI_xfer_create_strips(const char *name, DRI_Role role, DRI_Gdo whole, int dim, DRI_Dist strip,
                                   DRI_Layout layout, int nbuffs, void *const buffs[], DRI_Xfer *xfer);

/*
 * Returns the distribution of one strip of an endpoint. The last strip differs from the others if it is shorter.
 *
 * Local. Also before the commit.
 * strip: 0 to the number of strips - 1; 0 for an endpoint without strips.
 * dist: receives a handle of its own, to be destroyed; null on error. Its GDO is a subset of the whole.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG if there is no such strip;
 *         DRI_ERR_STATE.
 * Source: deviation 38.
 */
DRI_API int DRI_xfer_get_strip(DRI_Xfer xfer, int64_t strip, DRI_Dist *dist);

/*
 * Returns the strips of an endpoint, and which of them the caller works on.
 *
 * Local. Also before the commit.
 * n: set to the number of strips of an array if not NULL; 1 for an endpoint without strips.
 * strip: set if not NULL: the strip in the buffer that DRI_xfer_get_buffer returns, from 0. It is -1 if there is
 *        no such buffer.
 * dim: set if not NULL: the dimension along which the strips follow each other; -1 for an endpoint without
 *      strips.
 * whole: if not NULL, receives the GDO whose strips these are: a handle of its own, to be destroyed; null on
 *        error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 38.
 */
DRI_API int DRI_xfer_get_strips(DRI_Xfer xfer, int64_t *n, int64_t *strip, int *dim, DRI_Gdo *whole);

#ifdef __cplusplus
}
#endif
#endif
