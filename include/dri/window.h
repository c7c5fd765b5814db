/*
 * Windows that slide: frames of the same shapes from, or to, another place of a larger array, without a new plan.
 *
 * The window of a transfer is the box of elements that its source and its sink both have. At one end lies an array
 * that is longer: a recording of which each frame takes a stretch, or a whole into which each frame writes a
 * piece. The GDO of the other end is a subset of it, see DRI_gdo_subset, as large as the window, and cut as that
 * end likes. The end with the longer array says with DRI_ATTR_REBASE, before the commit, along which dimensions
 * the window may slide, and with DRI_xfer_rebase, between frames, where it is. The other end says nothing, and its
 * buffers are those of the window throughout.
 *
 * A source that slides reads each frame where the window is when it is handed over. The place goes with the frame:
 * those that are on their way may each have another one. All processes of the source say the same for each frame.
 * Where they do not, no memory is harmed, but a sink's process that takes from two that differ fails with
 * DRI_ERR_MISMATCH, which names both, and its transfer is broken. The windows of several sinks move together; for
 * windows that move apart there are transfers of several names, which may have the same buffers of the user's.
 *
 * A sink that slides writes each frame where the window was when it began to wait for that frame: in DRI_do,
 * DRI_start or DRI_extract. What lies outside of the window stays as it is in that buffer, so it takes one buffer
 * to put a whole together. It is not filled ahead of its caller, however many buffers it has, see dri/stream.h.
 * Its processes do not hear of each other: each writes its part where it says itself.
 *
 * Along a dimension that slides every process of that end holds all elements, in their order and, in a sink,
 * without overlap: the dimension is not cut. The others may be cut in any way. The other end is free: its
 * partition, overlap and layout, conversions, streams, sinks that drop, all ways and threads go with windows that
 * slide. Strips and transfers in place do not. Both ends of a transfer may slide, each in its own array.
 */
#ifndef DRI_WINDOW_H
#define DRI_WINDOW_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Moves the window in an end's array, for the frames to come.
 *
 * Local. Does not wait. Of a source, for the frames that are handed over from now on; of a sink, for those that it
 * has not begun to wait for: a frame that is started, or whose wait timed out, keeps its place.
 * xfer: an end with DRI_ATTR_REBASE, committed.
 * offset: one number per dimension of its GDO, in elements: how far the window is from where it was at the commit,
 *         and not from where it was last. Where the other end's subset begins at 0, that is the index of the
 *         window's first element. 0 along dimensions that do not slide. Copied. NULL is allowed if the GDO has no
 *         dimensions. The window stays in the array of this end; of a source with several sinks, all of theirs do.
 * Cost: no allocation; nothing is sent. In each frame an addition to addresses; messages of a source that slides
 *       are 72 bytes longer, which DRI_Xfer_info does not count. Buffers of the user's at a source that are copied
 *       into shared memory, see DRI_do, are copied from the first byte of the window to its last.
 * Errors: DRI_ERR_ARG for an offset out of range, which names the dimension and the range, nothing is moved then;
 *         DRI_ERR_HANDLE; DRI_ERR_STATE before the commit, without DRI_ATTR_REBASE, while the transfer is in use
 *         by another thread, and after a frame that failed half-way.
 * Source: deviation 39.
 */
DRI_API int DRI_xfer_rebase(DRI_Xfer xfer, const int64_t offset[]);

#ifdef __cplusplus
}
#endif
#endif
