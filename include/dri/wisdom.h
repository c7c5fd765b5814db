/*
 * Wisdom: what measured planning has found, as text to keep between runs.
 *
 * If an endpoint has DRI_ATTR_PLAN = DRI_MEASURE, DRI_commit measures which kernel, and which kind of store, is
 * the fastest for each shape of copy. The library remembers the outcome until DRI_finalize. Every later commit
 * uses what is remembered, whatever its endpoints set, and measures nothing for a known shape. Each process has
 * its own wisdom. Wisdom changes how long a frame takes, never what it moves.
 *
 * The text has one line with the version, then one line for each shape of copy. Each of these lines has the
 * highest instruction set allowed, cache sizes, threads, bytes that a frame writes, loops, alignment, and the
 * kernel. A line for another kind of machine is kept and not used.
 */
#ifndef DRI_WISDOM_H
#define DRI_WISDOM_H

#include <dri/codes.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes all that the calling process has learnt and imported.
 *
 * Local.
 * text: capacity for n bytes, receives the wisdom and a NUL byte. NULL with n 0 requests only the size.
 * n: capacity of text in bytes.
 * needed: set to the bytes of the wisdom, the NUL byte included; may be NULL if text is not.
 * Cost: linear in the text.
 * Errors: DRI_ERR_ARG if text and needed are NULL, or text is NULL and n is not 0;
 *         DRI_ERR_ARG if n is too small: the message and needed have the size, and nothing is written to text;
 *         DRI_ERR_MEMORY;
 *         DRI_ERR_STATE.
 * Source: FFTW's wisdom; deviation 25.
 */
DRI_API int DRI_wisdom_export(char *text, size_t n, size_t *needed);

/*
 * Adds wisdom to what the calling process knows.
 *
 * A shape that is known already takes the text's kernel. Nothing is added if the call fails.
 *
 * Local. Processes may import different texts, or none.
 * text: what DRI_wisdom_export has written, in this process or another; ends with a NUL byte; copied. Lines may
 *       also end with a carriage return and a line feed.
 * Cost: linear in the text.
 * Errors: DRI_ERR_ARG for NULL, and for a line that no export has written, with its number, counted from 1;
 *         DRI_ERR_UNSUPPORTED for a version of wisdom that this library does not read;
 *         DRI_ERR_MEMORY;
 *         DRI_ERR_STATE.
 * Source: FFTW's wisdom; deviation 25.
 */
DRI_API int DRI_wisdom_import(const char *text);

#ifdef __cplusplus
}
#endif
#endif
