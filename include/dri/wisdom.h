/*
 * Wisdom: what measured planning has found, as text to keep between runs.
 *
 * Where an end has DRI_ATTR_PLAN = DRI_MEASURE, DRI_commit measures which kernel, and which way to store, is the
 * fastest for each shape of copy, and the library remembers the outcome until DRI_finalize. Every later commit
 * uses what is remembered, whatever its ends say, and measures nothing for a shape that is known. Each process has
 * its own wisdom. It changes how long a frame takes, never what it moves.
 *
 * The text has one line with the version, then one line for each shape of copy: the highest instruction set
 * allowed, cache sizes, threads, bytes that a frame writes, loops and alignment; then the kernel. A line for
 * another kind of machine is kept and not used.
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
 * text: room for n bytes, receives the wisdom and a NUL byte; NULL with n 0 to ask for the size alone.
 * needed: set to the bytes that the wisdom takes, the NUL byte included; may be NULL where text is not.
 * Cost: linear in the text.
 * Errors: DRI_ERR_ARG if text and needed are NULL, if text is NULL and n is not 0, or if n is too small, with the
 *         size in the message and in needed (nothing is written to text then); DRI_ERR_MEMORY; DRI_ERR_STATE.
 * Source: FFTW's wisdom; deviation 25.
 */
DRI_API int DRI_wisdom_export(char *text, size_t n, size_t *needed);

/*
 * Adds wisdom to what the calling process knows. A shape that is known already takes the text's kernel.
 *
 * Local. Processes may import different texts, or none.
 * text: what DRI_wisdom_export has written, here or elsewhere; ends with a NUL byte; copied. Lines may
 *       also end with a carriage return and a line feed.
 * Cost: linear in the text.
 * Errors: DRI_ERR_ARG for NULL, and for a line that no export has written, with its number, counted from 1;
 *         DRI_ERR_UNSUPPORTED for a version of wisdom that this library does not read; DRI_ERR_MEMORY;
 *         DRI_ERR_STATE. Nothing is added then.
 * Source: FFTW's wisdom; deviation 25.
 */
DRI_API int DRI_wisdom_import(const char *text);

#ifdef __cplusplus
}
#endif
#endif
