/*
 * Sliding windows: frames of the same shapes at a changing offset in a larger array, without a new plan.
 *
 * The window of a transfer is the box of elements that its source and its sink both have. One side has a longer
 * array: a recording from which each frame takes a stretch, or a whole into which each frame writes a piece. The
 * GDO of the other side is a subset of it (DRI_gdo_subset), as large as the window and cut in any way. The side
 * with the longer array sets DRI_ATTR_REBASE before the commit: the dimensions along which the window may slide.
 * Between frames it sets the offset with DRI_xfer_rebase. The other side sets nothing. Its buffers hold the
 * window throughout.
 *
 * A source that slides reads each frame at the offset that is set when the frame is handed over. The offset goes
 * with the frame, so frames on their way may have different ones. All processes of the source set the same offset
 * for each frame. If they differ, no memory is harmed. A sink's process that takes from two that differ fails with
 * DRI_ERR_MISMATCH. The message names both, and the transfer of that process is broken. The windows of several
 * sinks move together. For windows that move apart, use transfers of several names; they may have the same buffers
 * of the user's.
 *
 * A sink that slides writes each frame at the offset that was set when it started to wait for that frame. This is
 * in DRI_do, DRI_start or DRI_extract. Elements outside the window keep their values in that buffer. One buffer is
 * therefore needed to put a whole together. The sink is not filled ahead of its caller, however many buffers it
 * has, see dri/stream.h. Its processes do not learn of each other's offsets. Each writes its part at its own
 * offset.
 *
 * Along a dimension that slides every process of that side holds all elements in their order. The dimension is not
 * cut, and in a sink it has no overlap. Other dimensions may be cut in any way. The other side is free: its
 * partition, overlap and layout, conversions, streams, sinks that drop, all ways and threads work with windows
 * that slide. Strips and transfers in place do not. Both sides of a transfer may slide, each in its own array.
 */
#ifndef DRI_WINDOW_H
#define DRI_WINDOW_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Moves the window in an endpoint's array, for the frames to come.
 *
 * For a source these are the frames that are handed over after this call. For a sink they are those that it has
 * not started to wait for. A frame that is started, or whose wait timed out, keeps its offset.
 *
 * Local. Does not wait.
 * xfer: an endpoint with DRI_ATTR_REBASE, committed.
 * offset: one number per dimension of its GDO, in elements, copied: the distance of the window from its position
 *         at the commit, not from its last position. If the other side's subset starts at 0, that is the index of
 *         the window's first element. It is 0 along dimensions that do not slide. May be NULL if the GDO has no
 *         dimensions. The window must stay in the array of this endpoint. For a source with several sinks, all of
 *         their windows must.
 * Cost: no allocation; nothing is sent. Each frame costs an addition to addresses. Messages of a source that
 *       slides are 72 bytes longer, which DRI_Xfer_info does not count. The user's source buffers that are copied
 *       into shared memory (see DRI_do) are copied from the first byte of the window to its last.
 * Errors: DRI_ERR_ARG for an offset out of range; the message names the dimension and the range; nothing is moved
 *         then;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE before the commit, and without DRI_ATTR_REBASE;
 *         DRI_ERR_STATE while another thread uses the transfer, and after a frame that failed half-way.
 * Source: minutes, "We might want to consider an offset change"; deviation 39.
 */
DRI_API int DRI_xfer_rebase(DRI_Xfer xfer, const int64_t offset[]);

#ifdef __cplusplus
}
#endif
#endif
