/*
 * Strips: arrays that come, or go, one strip after the other, because no caller ever has room for the whole.
 *
 * A strip is a box of the whole that is as long as the whole along all dimensions but one. Strip k has the
 * elements [k * s, (k + 1) * s) of that one; the last strip may have fewer. Each is an array of its own,
 * distributed by the partition of the first one.
 *
 * A source of strips hands over one strip per frame, in order, and begins the next array after the last one. A
 * sink of strips extracts one per frame. In between the array lies in the memory of the sink's processes, once
 * for each buffer of the sink: a store, in which the strips of the sink follow each other, so that to extract one
 * is to get its address. The two ends need not have strips along the same dimension, or both have any: a source
 * of whole arrays gives one to the store per frame, and a sink of whole arrays gets one once all strips of its
 * source have come. Several sinks of one name may each have strips of their own.
 *
 * A store is refilled once the caller has released all of its strips, and filled as soon as it may be: a sink of n
 * stores is filled n arrays ahead of its caller, and so is a sink of whole arrays in n buffers of the library
 * whose source has strips. So a process may hold both ends with one store: it inserts all strips of an array, then
 * extracts those of its sink. What it hands over ahead of that fails with DRI_ERR_DEADLOCK, as do both ends
 * together by name where a strip of the sink needs more than one of the source.
 */
#ifndef DRI_STRIPS_H
#define DRI_STRIPS_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Declares one end of a named transfer whose frames are strips.
 *
 * Local. Nothing is allocated or sent before DRI_commit. All processes of the end say the same.
 * name, role, xfer: as of DRI_xfer_create.
 * whole: the GDO whose strips these are.
 * dim: the dimension that they follow each other along, from 0 on.
 * strip: a distribution of the first strip: its GDO is a subset of `whole` from the beginning, as long as that in
 *        all dimensions but `dim`, and at least 1 and at most all of it along `dim`. What its partition leaves
 *        open is chosen for the first strip and holds for all. Exact pieces need strips of equal size.
 * layout: how the part of one strip lies.
 * nbuffs: of a source, number of buffers of one strip, >= 1. Of a sink, number of stores, each with room for all
 *         strips of an array: 1, and the next array comes when the caller has released the strips of the last
 *         one; or more, and arrays overlap.
 * buffs: of a source, as of DRI_xfer_create; NULL for a sink, whose stores are the library's.
 *
 * Afterwards all calls take the end like any other. DRI_xfer_buffer_bytes tells the bytes of the largest strip,
 * DRI_xfer_get_buffers the strips of a sink's stores, in order. Frames in DRI_Xfer_info count strips; its
 * buffer_bytes are those of a strip, the buffer_bytes of DRI_Memory those of all stores. What comes into a store
 * counts with the first strip that is extracted of it. The room for messages is that of strips of the source, not
 * of the array.
 * Errors: as of DRI_xfer_create; DRI_ERR_ARG for a dimension that `whole` does not have, a strip that is no first
 *         strip of it, buffers of a sink, and exact pieces with a shorter last strip; what DRI_dist_create gives
 *         where the partition does not fit the last strip. DRI_commit fails with DRI_ERR_MISMATCH where processes
 *         of an end disagree about their strips, and with DRI_ERR_UNSUPPORTED where the source has
 *         DRI_ATTR_STREAM.
 * Source: minutes, the turn of 17k by 96k; deviation 38.
 */
DRI_API int DRI_xfer_create_strips(const char *name, DRI_Role role, DRI_Gdo whole, int dim, DRI_Dist strip,
                                   DRI_Layout layout, int nbuffs, void *const buffs[], DRI_Xfer *xfer);

/*
 * The distribution of one strip of an end. The last one differs from the others where it is shorter.
 *
 * Local. Also before the commit.
 * strip: 0 to the number of strips - 1; 0 for an end without strips.
 * dist: receives a handle of its own, to be destroyed; null on error. Its GDO is a subset of the whole.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG if there is no such strip; DRI_ERR_STATE.
 * Source: deviation 38.
 */
DRI_API int DRI_xfer_get_strip(DRI_Xfer xfer, int64_t strip, DRI_Dist *dist);

#ifdef __cplusplus
}
#endif
#endif
