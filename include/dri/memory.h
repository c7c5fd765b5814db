/*
 * Memory of buffers: memory that many transfers name, a buffer that moves from frame to frame, and buffers that
 * outlive their endpoint.
 *
 * An array that several transfers read and write is one piece of memory of DRI_alloc. Buffers at any address in it
 * move as the library's own buffers do: processes of one node read those of a source where they lie, in one pass.
 * They are otherwise the user's: frames leave them alone between the calls, so a sink is not filled ahead there.
 *
 * All memory that the library provides starts at a multiple of 64 bytes: that of DRI_alloc, and each buffer of an
 * endpoint.
 */
#ifndef DRI_MEMORY_H
#define DRI_MEMORY_H

#include <dri/xfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Provides memory, filled with zeros.
 *
 * The system gives pages to the memory when they are touched, or at the commit of an endpoint with buffers there.
 * Address space that is never used therefore costs nothing. The memory stays valid until DRI_free, also after
 * DRI_finalize. A child that is forked shares it: each sees what the other writes.
 *
 * Local.
 * bytes: may be 0.
 * alignment: a power of two up to 2^30. 0 and everything below 64 count as 64.
 * memory: receives the address; NULL on error.
 * Cost: some microseconds, and at least two pages. Take few large pieces rather than many small ones. Memory of
 *       2 MB or more starts at a huge page. Every process that reads buffers there maps the whole piece once.
 * Errors: DRI_ERR_ARG for NULL, or an alignment out of range;
 *         DRI_ERR_MEMORY;
 *         DRI_ERR_STATE.
 * Source: deviation 47.
 */
DRI_API int DRI_alloc(size_t bytes, size_t alignment, void **memory);

/*
 * Frees memory of DRI_alloc.
 *
 * Any thread may call it, also after DRI_finalize. In a forked child it is refused.
 *
 * Local.
 * memory: what DRI_alloc returned. NULL does nothing.
 * Errors: DRI_ERR_ARG for another address, or memory that is freed already;
 *         DRI_ERR_STATE while an endpoint of this process has a buffer there. The message names the endpoint;
 *         DRI_ERR_STATE in a forked child.
 * Source: deviation 47.
 */
DRI_API int DRI_free(void *memory);

/*
 * Moves the buffer of an endpoint to other memory of the user, for the frames to come. The plan stays the same.
 *
 * For a source these are the frames that are handed over after this call. For a sink they are those that it has
 * not started to wait for. A frame that is started, or whose wait timed out, keeps its address. So does a frame of
 * a source that is under way. Its memory must stay until the source may fill its next buffer.
 *
 * DRI_xfer_get_buffer returns the new address for a source at once, and for a sink after its next frame. The sink
 * is not filled ahead of its caller, see dri/stream.h. Processes set addresses of their own; they need not agree.
 *
 * Local. Does not wait.
 * xfer: an endpoint with DRI_ATTR_REBIND, committed.
 * buffer: DRI_xfer_buffer_bytes bytes, aligned as the element type, that no other buffer of the transfer shares. A
 *         buffer that the library has provided is the library's again after the first call.
 * Cost: less than a microsecond; nothing is sent. Memory of DRI_alloc is read where it lies; the first frame in a
 *       piece of it maps the piece at each process that reads it. For other memory of a source see DRI_do: it is
 *       read with the system's help, or copied.
 * Errors: DRI_ERR_ARG for NULL, memory that is not aligned, or that ends before the buffer does;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE before the commit, and without DRI_ATTR_REBIND;
 *         DRI_ERR_STATE while another thread uses the transfer, and after a frame that failed half-way.
 * Source: deviation 48.
 */
DRI_API int DRI_xfer_rebind(DRI_Xfer xfer, void *buffer);

/* Buffers of the library that the user keeps. */
typedef struct DRI_Kept DRI_Kept;

/*
 * Keeps the library's buffers of an endpoint after the endpoint is destroyed.
 *
 * The addresses that DRI_xfer_get_buffers returns stay valid until DRI_kept_free, also after DRI_xfer_destroy and
 * DRI_finalize. Then they have the contents that they had last. While the endpoint exists, nothing changes:
 * frames move in the same buffers. A child that is forked may read them.
 *
 * The user's own buffers are not kept. Several calls for one endpoint each keep its buffers. DRI_xfer_destroy of
 * a source whose buffers are kept waits for the processes that read frames there.
 *
 * Local.
 * xfer: an endpoint that is committed.
 * kept: receives what DRI_kept_free takes; NULL on error.
 * Cost: no memory is copied.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_MEMORY;
 *         DRI_ERR_STATE before the commit, and while another thread uses the transfer.
 * Source: deviation 49.
 */
DRI_API int DRI_xfer_keep_buffers(DRI_Xfer xfer, DRI_Kept **kept);

/*
 * Ends the user's hold on buffers. They are freed with their endpoint, or now if that is destroyed.
 *
 * Any thread may call it at any time, also after DRI_finalize and in a forked child, which frees its own copy.
 *
 * Local.
 * kept: of DRI_xfer_keep_buffers, not freed yet. NULL does nothing.
 * Errors: none.
 * Source: deviation 49.
 */
DRI_API int DRI_kept_free(DRI_Kept *kept);

#ifdef __cplusplus
}
#endif
#endif
