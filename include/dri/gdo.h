/*
 * Element types and global data objects.
 *
 * A global data object (GDO) is an n-dimensional array that no process holds whole: a number of
 * dimensions, sizes and an element type. It holds no data.
 */
#ifndef DRI_GDO_H
#define DRI_GDO_H

#include <dri/codes.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of dimensions of an object. */
enum { DRI_MAX_DIMS = 8 };

/* Handles. A zero-initialised handle is the null handle. Copies name the same object. */
typedef struct {
    uint64_t id;
} DRI_Type;

typedef struct {
    uint64_t id;
} DRI_Gdo;

/* Predefined element types. They are valid whenever the library runs. */
extern DRI_API const DRI_Type DRI_INT8, DRI_INT16, DRI_INT32, DRI_INT64;
extern DRI_API const DRI_Type DRI_UINT8, DRI_UINT16, DRI_UINT32, DRI_UINT64;
extern DRI_API const DRI_Type DRI_FLOAT, DRI_DOUBLE;
/* Complex numbers, the real part first. */
extern DRI_API const DRI_Type DRI_COMPLEX_INT8, DRI_COMPLEX_INT16;
extern DRI_API const DRI_Type DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE;

/*
 * Makes an element type for any record, with or without holes. Records travel unchanged, byte for byte.
 *
 * Two types made with the same numbers are the same type.
 *
 * Local.
 * size: bytes of one record, > 0.
 * alignment: bytes, a power of two. Consecutive elements are round_up(size, alignment) bytes apart.
 *            A record of 6 bytes aligned to 8 has a pitch of 8. The bytes of a hole may be copied.
 * type: receives the handle; null on error.
 * Errors: DRI_ERR_ARG if size or alignment is out of range, or type is NULL;
 *         DRI_ERR_OVERFLOW if a number or the pitch exceeds int64_t;
 *         DRI_ERR_STATE.
 * Source: minutes, "Support a sizeof(record)".
 */
DRI_API int DRI_type_create(size_t size, size_t alignment, DRI_Type *type);

/*
 * Returns the bytes from one element to the next.
 *
 * Local.
 * pitch: set to round_up(size, alignment).
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_type_get_pitch(DRI_Type type, size_t *pitch);

/*
 * Returns the numbers that an element type was made with.
 *
 * Local.
 * size: set to the bytes of one element if not NULL.
 * alignment: set to its alignment in bytes if not NULL. That of a complex type is the alignment of its parts.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_type_get_size(DRI_Type type, size_t *size, size_t *alignment);

/*
 * Destroys a handle that DRI_type_create made. Objects made from it stay valid.
 *
 * Local.
 * type: set to null on success.
 * Errors: DRI_ERR_HANDLE (also for the predefined types), DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_type_destroy(DRI_Type *type);

/*
 * Makes a global data object.
 *
 * Local. No data is allocated.
 * ndims: 0 to DRI_MAX_DIMS; 0 is a single element.
 * type: the element type.
 * sizes: ndims sizes in elements, each >= 0; copied. May be NULL if ndims is 0.
 * gdo: receives the handle; null on error.
 * Errors: DRI_ERR_ARG if ndims or a size is out of range, or a pointer is NULL;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_OVERFLOW if the number of elements or of bytes exceeds int64_t; a size of 0 counts as 1 here;
 *         DRI_ERR_STATE.
 * Source: minutes, "D: data shape object".
 */
DRI_API int DRI_gdo_create(int ndims, DRI_Type type, const int64_t sizes[], DRI_Gdo *gdo);

/*
 * Makes a GDO that is a box of another one.
 *
 * The subset knows its parent and its offset. A transfer between a distribution of the one and a
 * distribution of the other moves the elements that both have. In all other respects the subset is an
 * array of its own. Overlap stops at the edge of the subset, even where the parent continues.
 *
 * Local.
 * offsets, sizes: one number per dimension of the parent, in elements of the parent; copied.
 * sub: receives the handle; null on error. Its own indices start at 0.
 * Errors: DRI_ERR_HANDLE;
 *         DRI_ERR_ARG if the box exceeds the parent;
 *         DRI_ERR_STATE.
 * Source: minutes, "Convenience functions create D' as function of D".
 */
DRI_API int DRI_gdo_subset(DRI_Gdo gdo, const int64_t offsets[], const int64_t sizes[], DRI_Gdo *sub);

/*
 * Returns the number of dimensions and the sizes of a GDO.
 *
 * Local.
 * ndims: set if not NULL.
 * sizes: capacity for ndims numbers (DRI_MAX_DIMS always suffice), or NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_gdo_get_sizes(DRI_Gdo gdo, int *ndims, int64_t sizes[]);

/*
 * Returns the element type of a GDO.
 *
 * Local.
 * type: of a predefined type that handle itself, so that ids can be compared. Of a record a handle of its own, to
 *       be destroyed. Null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_gdo_get_type(DRI_Gdo gdo, DRI_Type *type);

/*
 * Returns the box that a subset is of the whole array.
 *
 * The whole array is no subset itself. A subset of a subset is a box of the same whole array, so the offsets of
 * both add up. A GDO that is no subset has offsets 0 and its own sizes.
 *
 * Local.
 * offsets: where the box starts, one number per dimension, or NULL.
 * whole_sizes: the sizes of the whole array, one number per dimension, or NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_gdo_get_offset(DRI_Gdo gdo, int64_t offsets[], int64_t whole_sizes[]);

/*
 * Returns the number of elements and of bytes of a GDO, over all processes.
 *
 * Local.
 * elements, bytes: each set if not NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_gdo_get_count(DRI_Gdo gdo, int64_t *elements, int64_t *bytes);

/*
 * Destroys a GDO's handle. Objects made from it stay valid.
 *
 * Local.
 * gdo: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_gdo_destroy(DRI_Gdo *gdo);

#ifdef __cplusplus
}
#endif
#endif
