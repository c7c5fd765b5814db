/*
 * The two transfers that most programs need, each in one call: a corner turn and a halo exchange.
 *
 * Both calls declare the endpoints of all processes of a group and commit them, and no other ones, as
 * DRI_commit_ends does. The library provides the buffers. Attributes, other partitions and buffers of the user
 * need the single calls of dri/dist.h and dri/xfer.h.
 */
#ifndef DRI_TURN_H
#define DRI_TURN_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes a corner turn, ready to be executed.
 *
 * The source holds the array in balanced blocks along one dimension, in row-major order. The sink holds it in
 * balanced blocks along another one.
 *
 * Collective over the group; synchronising.
 * name: as in DRI_xfer_create; the same on all processes.
 * gdo: the array.
 * group: the processes of both sides.
 * from_dim, to_dim: the dimensions along which source and sink are cut, from 0.
 * sink_layout: how the sink's part lies in memory, such as DRI_COL_MAJOR.
 * nbuffs: number of buffers of each of the two endpoints.
 * source, sink: receive the handles; null on error. DRI_xfer_destroy destroys each of them.
 * Cost: that of two DRI_dist_create and one DRI_commit.
 * Errors: as in DRI_dist_create, DRI_xfer_create and DRI_commit_ends, on all processes;
 *         DRI_ERR_ARG for a dimension that the array does not have;
 *         DRI_ERR_HANDLE, for a wrong group on this process alone.
 * Source: deviation 45.
 */
DRI_API int DRI_turn_create(const char *name, DRI_Gdo gdo, DRI_Group group, int from_dim, int to_dim,
                            DRI_Layout sink_layout, int nbuffs, DRI_Xfer *source, DRI_Xfer *sink);

/*
 * Makes a halo exchange, ready to be executed: each frame refreshes the overlap of a distribution in place.
 *
 * The handle stands for both endpoints, which share their buffers (DRI_ATTR_IN_PLACE). DRI_do, DRI_start, DRI_test
 * and DRI_wait with the handle move both. DRI_xfer_get_buffer returns the part to fill and to refresh next, in
 * row-major order, overlap included. With one buffer that is always the same part. DRI_xfer_destroy destroys both.
 * A frame is complete when the overlap has arrived and all processes of the node have read what they need: the
 * caller may then change the part.
 *
 * Collective over the distribution's group; synchronising.
 * name: as in DRI_xfer_create; the same on all processes.
 * dist: a distribution with overlap.
 * nbuffs: number of buffers.
 * halo: receives the handle, that of the source; null on error.
 * Cost: that of one DRI_commit.
 * Errors: as in DRI_xfer_create and DRI_commit_ends, on all processes;
 *         DRI_ERR_HANDLE, for a wrong distribution on this process alone.
 * Source: deviations 45 and 58.
 */
DRI_API int DRI_halo_create(const char *name, DRI_Dist dist, int nbuffs, DRI_Xfer *halo);

#ifdef __cplusplus
}
#endif
#endif
