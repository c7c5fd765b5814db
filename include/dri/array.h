/*
 * Arrays: elements over a domain. An array is spread over the processes of the domain's map. Each holds its own
 * elements, with space for overlap, in memory that it reads and writes directly.
 *
 * Nothing communicates unless its label says so. In particular an access to an element of another process is an
 * error that names the owner. Data moves by assignment between arrays over any two maps. The plan of an
 * assignment is made once and kept.
 *
 * A slice is one range per dimension. An alias is a slice that is an array itself, in the same memory.
 */
#ifndef DRI_ARRAY_H
#define DRI_ARRAY_H

#include <dri/domain.h>
#include <dri/memory.h>
#include <dri/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Array;

/* Settings of an array. All processes set the same value, before or between its assignments. */
typedef enum DRI_Array_attr {
    DRI_ARRAY_BULK = 1,      /* 0: assignments go element by element. Default: 1 */
    DRI_ARRAY_PLANS = 2,     /* assignments to this array from one other array whose plans are kept. Default: 16 */
    DRI_ARRAY_THREADS = 3,   /* DRI_ATTR_THREADS of its transfers. Default: 1 */
    DRI_ARRAY_TIMEOUT_MS = 4 /* DRI_ATTR_TIMEOUT_MS of its transfers. Default: that of DRI_TIMEOUT, otherwise 0 */
} DRI_Array_attr;

/* The way in which an assignment went. `tried` in DRI_Assigned is a sum of these. */
typedef enum DRI_Assign_path {
    DRI_ASSIGN_KNOWN = 1,  /* planned in closed form, or by a user's `known` */
    DRI_ASSIGN_ANY = 2,    /* by lists of runs, or by a user's `any` */
    DRI_ASSIGN_ELEMENT = 4 /* element by element */
} DRI_Assign_path;

/* How an assignment went. */
typedef struct DRI_Assigned {
    DRI_Assign_path path; /* the way that did it */
    int tried;            /* sum of the ways that were asked of a map: KNOWN, ANY */
    int planned;          /* 1: a plan was made now; 0: a kept one was used, or none was needed */
    int64_t packed_bytes; /* bytes that this process packed or unpacked in buffers of the library */
    int64_t reserved[4];  /* 0 */
} DRI_Assigned;

/* An assignment in progress, as the functions of a user's map see it. Slices of aliases are those of their base.
 */
typedef struct DRI_Assignment {
    DRI_Array dst, src;    /* the arrays */
    const DRI_Range *to;   /* one range per dimension of dst */
    const DRI_Range *from; /* one range per dimension of src */
    int role;              /* DRI_SINK if the map of dst is asked, DRI_SOURCE if that of src is */
    int64_t reserved[4];   /* 0 */
} DRI_Assignment;

/*
 * Makes an array over a domain.
 *
 * Its local arrays are row-major in the dense indices of each process, with space for overlap. The boxes of a
 * user's map that form no grid lie one after the other. The library's memory of an array without overlap that is
 * cut along dimension 0 alone has address space before and behind the rows, where halos may land (dri/loop.h). It
 * costs nothing until then.
 *
 * Collective over the map's processes; synchronising. Local on other processes, where the array holds nothing.
 * domain: the array keeps it.
 * type: of the elements.
 * data: NULL: the library provides the memory, filled with zeros. Otherwise the caller's memory of the process,
 *       aligned as the type, for as many elements as DRI_domain_get_count says the local array holds. It stays
 *       the caller's, and must stay valid until the array is destroyed. Its contents stay.
 * array: receives the handle; null on error.
 * Cost: an agreement as that of DRI_dist_create, and the memory. The first update makes the distribution.
 * Errors: DRI_ERR_GAP, DRI_ERR_OVERLAP if the boxes of a user's map do not tile the domain; the message has an
 *         index and positions;
 *         DRI_ERR_MISMATCH if a corner of a box has another owner, or processes disagree;
 *         DRI_ERR_ARG for memory that is not aligned;
 *         DRI_ERR_TIMEOUT if a process does not come in time; the message names a user's map, which may be slow;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns, on all processes.
 * Source: DSI, dsiBuildArray.
 */
DRI_API int DRI_array_create(DRI_Domain domain, DRI_Type type, void *data, DRI_Array *array);

/*
 * Makes an alias: an array of a slice, in the same memory.
 *
 * Its domain has these ranges, and the owners of the array's elements. Overlap is not part of it. Assignments
 * treat it as a slice of its array, so they are no slower.
 *
 * Local.
 * array: an array or an alias.
 * ranges: one per dimension, of members of its domain. A range may count in the other direction.
 * dropped: bit d drops dimension d, which must have one member: the alias has a dimension less. One must stay.
 * alias: receives the handle; null on error. It is stale once DRI_domain_set has changed the array.
 * Errors: DRI_ERR_ARG for a range with members that are not of the domain; the message has both;
 *         DRI_ERR_ARG for a dropped dimension with more or fewer than one member;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: DSI, "Transfers for Aliasing Domain Maps".
 */
DRI_API int DRI_array_slice(DRI_Array array, const DRI_Range ranges[], unsigned dropped, DRI_Array *alias);

/*
 * Returns the domain of an array.
 *
 * Local.
 * domain: receives another handle of the same domain, to be destroyed; null on error. DRI_domain_set on it changes
 *         the array. The domain of an alias is one of its own, which DRI_domain_set refuses.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: DSI, dsiGetBaseDom.
 */
DRI_API int DRI_array_get_domain(DRI_Array array, DRI_Domain *domain);

/*
 * Returns the element type of an array.
 *
 * Local.
 * type: as in DRI_gdo_get_type.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: DSI, eltType.
 */
DRI_API int DRI_array_get_type(DRI_Array array, DRI_Type *type);

/*
 * Returns one box of the calling process as memory.
 *
 * Boxes are those of DRI_domain_num_boxes over the array's domain. Ranges of the view are indices of the domain,
 * in its direction. Its steps may be negative in an alias.
 *
 * Local.
 * box: from 0 to the number of boxes - 1. 0 is right also without boxes; at least one range has size 0 then.
 * view: set to a view of the library's. That of box 0 stays at its place as long as the array, and describes the
 *       present memory also after DRI_domain_set. That of another box is valid until the thread's next call.
 * Errors: DRI_ERR_ARG for NULL, and for box out of range;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_array_view(DRI_Array array, int64_t box, const DRI_View **view);

/*
 * Returns the address of an element that the calling process owns.
 *
 * Local.
 * index: one number per dimension.
 * element: set to the address.
 * Errors: DRI_ERR_ARG for an index that is no member of the domain; the message says "is no member of";
 *         DRI_ERR_ARG for an element of another process; the message says "belongs to process";
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: DSI, dsiAccess.
 */
DRI_API int DRI_array_at(DRI_Array array, const int64_t index[], void **element);

/*
 * Keeps the memory in which an array has its elements now.
 *
 * Addresses in it stay valid until DRI_kept_free, also after DRI_domain_set, DRI_array_destroy and DRI_finalize.
 * Then they have the contents that they had last. The caller's own memory is not kept.
 *
 * Local.
 * array: an array or a piece. The halos of a piece are kept, too.
 * kept: receives what DRI_kept_free takes; NULL on error.
 * Cost: no memory is copied.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: deviation 49.
 */
DRI_API int DRI_array_keep(DRI_Array array, DRI_Kept **kept);

/*
 * Sets a setting of an array. That of an alias is its array's.
 *
 * Local. All processes of the array set the same.
 * attr: the setting.
 * value: BULK 0 or 1, PLANS 0 to 1024, the others as the attributes of endpoints. Plans that are kept stay as
 *        they are, but wait as TIMEOUT_MS says.
 * Errors: DRI_ERR_ARG for an unknown setting, and for a value out of range;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_array_set_attr(DRI_Array array, DRI_Array_attr attr, int64_t value);

/*
 * Declares that elements of the array are not plain: an assignment to or from it puts each by this function.
 *
 * Local. All processes of the array set the same.
 * copy: copies one element from an address to another one. NULL: elements are plain, the default. Both addresses
 *       hold an element: `from` one that the library has copied byte for byte, `to` one of the array. It may be
 *       called on any thread of an assignment.
 * ctx: passed to copy. It must stay valid as long as the array.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: DSI, "When Does a Bulk-Transfer Occur?".
 */
DRI_API int DRI_array_set_copy(DRI_Array array, void (*copy)(const void *from, void *to, void *ctx), void *ctx);

/*
 * Assigns a slice of one array to a slice of another one.
 *
 * The members of both slices are paired in their order. A slice has as many dimensions as its array. Dimensions of
 * one member do not count, so that a row may be assigned to a column. If both slices lie in one array, the result
 * is as if the right side were read first.
 *
 * The ways are tried in an order. First `known` is asked of the map of dst, then of src. The library knows
 * assignments between its own maps, if memory runs the same way on both sides. A dimension of cyclic blocks longer
 * than 1 must have a stride of 1 or -1, and the slice start at a border of a block.
 * Then `any` is asked in the same order; the library does it if it can list what both maps own: of its own maps,
 * and of user's maps with `local`. Otherwise each element is sent to its place. Types that differ, an array with
 * a copy function, and DRI_ARRAY_BULK 0 of either array skip `known` and `any`. So does DRI_BULK=off in the
 * environment. Types that differ are converted as with DRI_ATTR_CONVERT.
 *
 * Collective over the processes of both maps; not synchronising. A first call with these slices makes a plan, and
 * is synchronising. The plan is kept as DRI_ARRAY_PLANS says; the least recently used one of the pair goes. On
 * processes of neither map nothing happens, and info is filled with zeros.
 * A process that is wrong alone is told to all if the two arrays have no plan yet, or with DRI_CHECK=1. Otherwise
 * it fails at once, and the others wait for it as for one that does not come.
 * dst: receives the elements. Elements outside the slice, and overlap, stay as they are.
 * to: one range per dimension of dst, of members of its domain; NULL: the whole domain.
 * src: may be dst.
 * from: one range per dimension of src, of members of its domain; NULL: the whole domain.
 * info: filled in if not NULL.
 * Cost: again: one DRI_do and a lookup. The first time: two DRI_dist_create and a commit. A plan of the library's
 *       `known` is independent of the sizes, one of `any` grows with the runs. Without bulk the cost of the first
 *       call grows with the elements.
 * Errors: DRI_ERR_ARG on all processes if a range has members outside the domain, shapes differ, or types that
 *         differ have no conversion, as records; dst is unchanged;
 *         DRI_ERR_MISMATCH if processes disagree (found in the first call, with DRI_CHECK=1 in the environment in
 *         each);
 *         DRI_ERR_TIMEOUT, see DRI_ARRAY_TIMEOUT_MS; the same call goes on;
 *         DRI_ERR_STATE for an alias that is stale, and for arrays with an update of overlap under way;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_TRANSPORT;
 *         what a user's function returns; on all processes as long as the two arrays have no plan.
 * Source: DSI, phase 4.
 */
DRI_API int DRI_assign(DRI_Array dst, const DRI_Range to[], DRI_Array src, const DRI_Range from[],
                       DRI_Assigned *info);

/*
 * Hands an assignment over to the map of the other array. Only a user's `known` or `any` may call it, for the
 * assignment that it was given.
 *
 * Collective over the processes of both maps.
 * done: set to 1 if the other map has done the assignment. A map that is being asked already is not asked again:
 *       done is 0 then.
 * Errors: DRI_ERR_STATE outside `known` and `any`;
 *         DRI_ERR_ARG for NULL;
 *         what the other map's function returns, and as in DRI_assign.
 * Source: DSI, "This pattern can lead to potential recursion".
 */
DRI_API int DRI_assign_hand_over(const DRI_Assignment *assignment, int *done);

/*
 * Fills the overlap of an array with the elements that it stands for. Corners are filled, too. Space beyond the
 * domain of DRI_TRUNCATE edges stays as it is.
 *
 * Collective over the map's processes; not synchronising. The first call makes a plan and is synchronising.
 * array: no alias. Without overlap nothing happens.
 * Cost: one frame in place.
 * Errors: DRI_ERR_UNSUPPORTED for an alias;
 *         DRI_ERR_STATE while an update is under way;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_MISMATCH, DRI_ERR_TIMEOUT, DRI_ERR_TRANSPORT.
 * Source: Chapel, StencilDist.updateFluff.
 */
DRI_API int DRI_array_update_overlap(DRI_Array array);

/*
 * The first half of DRI_array_update_overlap. Until the second half owned elements may be read, and nothing may be
 * written.
 *
 * Collective over the map's processes; not synchronising.
 * Errors: as in DRI_array_update_overlap.
 */
DRI_API int DRI_array_update_overlap_start(DRI_Array array);

/*
 * The second half of DRI_array_update_overlap.
 *
 * Collective over the map's processes; not synchronising.
 * Errors: as in DRI_array_update_overlap;
 *         DRI_ERR_STATE without the first half.
 */
DRI_API int DRI_array_update_overlap_wait(DRI_Array array);

/*
 * Writes an array as text, in the order of its domain, on the first process of its map.
 *
 * Elements are separated by a space, rows end with a newline, planes with an empty line: "1 2 3\n4 5 6\n". One
 * dimension has no newline. Floating-point numbers have the fewest digits that read back as the same number,
 * complex ones are written as (re,im).
 *
 * Collective over the map's processes; synchronising.
 * put: called on that process alone, several times, with 1 to 16,384 bytes of text, none of them NUL. It returns
 *      DRI_SUCCESS or a failure (DRI_Code), which ends the call on all processes.
 * ctx: passed to put.
 * Cost: slabs of 1 MiB travel to that process, each in one frame of a plan of its own.
 * Errors: DRI_ERR_UNSUPPORTED for records, which have no text;
 *         DRI_ERR_ARG for NULL;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_MISMATCH, DRI_ERR_STATE, DRI_ERR_TIMEOUT, DRI_ERR_TRANSPORT, and
 *         what put returns.
 * Source: DSI, dsiSerialWrite.
 */
DRI_API int DRI_array_write(DRI_Array array, int (*put)(void *ctx, const char *text, size_t n), void *ctx);

/*
 * Describes an array: type, memory and settings in a line, then its domain as DRI_domain_describe.
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: DSI, dsiDisplayRepresentation.
 */
DRI_API int DRI_array_describe(DRI_Array array, char *text, size_t n);

/*
 * Destroys an array's handle. The last handle that uses the memory, an alias included, frees it, and the plans
 * with it.
 *
 * Local. Memory of the caller may still be in use by a loop or a move that has timed out. Then the last handle
 * waits until the other processes have come to that call, at most for the deadline of set-up calls.
 * array: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_array_destroy(DRI_Array *array);

#ifdef __cplusplus
}
#endif
#endif
