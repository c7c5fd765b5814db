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

/* Most dimensions that an object may have. */
enum { DRI_MAX_DIMS = 8 };

/* Handles. A zero-initialised handle is the null handle. Copies name the same object. */
typedef struct {
    uint64_t id;
} DRI_Type;

typedef struct {
    uint64_t id;
} DRI_Gdo;

/* The element types that need not be created. They are valid whenever the library runs. */
extern DRI_API const DRI_Type DRI_INT8, DRI_INT16, DRI_INT32, DRI_INT64;
extern DRI_API const DRI_Type DRI_UINT8, DRI_UINT16, DRI_UINT32, DRI_UINT64;
extern DRI_API const DRI_Type DRI_FLOAT, DRI_DOUBLE;
/* Complex numbers, the real part first. */
extern DRI_API const DRI_Type DRI_COMPLEX_INT8, DRI_COMPLEX_INT16;
extern DRI_API const DRI_Type DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE;

/*
 * Makes an element type for any record, holes and all. Records travel as they are, byte for byte.
 *
 * Local.
 * size: bytes of one record, > 0.
 * alignment: bytes, a power of two. Consecutive elements lie round_up(size, alignment) bytes apart:
 *            a record of 6 bytes aligned to 8 has a pitch of 8. The bytes of a hole may be copied.
 * type: receives the handle; null on error.
 * Two types made with the same numbers are the same type.
 * Errors: DRI_ERR_ARG, DRI_ERR_OVERFLOW, DRI_ERR_STATE.
 * Source: minutes, "support a sizeof(record)".
 */
DRI_API int DRI_type_create(size_t size, size_t alignment, DRI_Type *type);

/*
 * Bytes from one element to the next.
 *
 * Local.
 * pitch: set to round_up(size, alignment).
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_type_get_pitch(DRI_Type type, size_t *pitch);

/*
 * Gives up a handle that DRI_type_create made. Objects made from it live on.
 *
 * Local.
 * type: set to null on success.
 * Errors: DRI_ERR_HANDLE (also for the library's own types), DRI_ERR_ARG, DRI_ERR_STATE.
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
 * Errors: DRI_ERR_ARG, DRI_ERR_HANDLE; DRI_ERR_OVERFLOW if the elements or the bytes do not fit into
 *         int64_t, also where a size is 0 and those of the other dimensions do not; DRI_ERR_STATE.
 * Source: minutes, object D.
 */
DRI_API int DRI_gdo_create(int ndims, DRI_Type type, const int64_t sizes[], DRI_Gdo *gdo);

/*
 * Makes a GDO that is a box of another one. It knows its parent and its offset: a transfer between
 * a distribution of the one and a distribution of the other moves the elements that both have. It is
 * an array of its own otherwise: overlap ends at its edges, also where the parent goes on.
 *
 * Local.
 * offsets, sizes: one number per dimension of the parent, in elements of the parent; copied.
 * sub: receives the handle; null on error. Its own indices start at 0.
 * Errors: DRI_ERR_HANDLE; DRI_ERR_ARG if the box leaves the parent; DRI_ERR_STATE.
 * Source: minutes, "convenience functions create D' as function of D".
 */
DRI_API int DRI_gdo_subset(DRI_Gdo gdo, const int64_t offsets[], const int64_t sizes[], DRI_Gdo *sub);

/*
 * Number of dimensions and sizes of a GDO.
 *
 * Local.
 * ndims: set if not NULL.
 * sizes: room for ndims numbers (DRI_MAX_DIMS always suffice), or NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_gdo_get_sizes(DRI_Gdo gdo, int *ndims, int64_t sizes[]);

/*
 * Number of elements and bytes of a GDO, over all processes.
 *
 * Local.
 * elements, bytes: each set if not NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: deviation 2.
 */
DRI_API int DRI_gdo_get_count(DRI_Gdo gdo, int64_t *elements, int64_t *bytes);

/*
 * Gives up a GDO's handle. Objects made from it live on.
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
