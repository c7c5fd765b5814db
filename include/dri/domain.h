/*
 * Domains: a map and one range per dimension. A domain says which process owns which members, in which order they
 * come, and where they lie in a local array.
 *
 * Its order is row-major over the ranges as sequences: a range that counts downwards starts with its largest
 * member. The dense index of a member has its place in each range, from 0. Data moves between dense indices, so a
 * domain is the place where strides, lower bounds and directions end.
 *
 * The queries communicate nothing. Every process may ask about every process of the map, also one that is not in
 * its group. In all of them `rank` is a rank of the world in the map's group, otherwise DRI_ERR_ARG.
 *
 * A user's map without the function `local` is asked for the owner of every index, once per domain and process,
 * by the first query that needs boxes.
 */
#ifndef DRI_DOMAIN_H
#define DRI_DOMAIN_H

#include <dri/map.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Domain;

/* Kinds of domains. The library has rectangular ones. */
typedef enum DRI_Domain_kind {
    DRI_RECTANGULAR = 0, /* one range per dimension */
    DRI_ASSOCIATIVE = 1, /* a set of keys; not supported */
    DRI_OPAQUE = 2,      /* anonymous indices; not supported */
    DRI_SPARSE = 3       /* a subset of a domain; not supported */
} DRI_Domain_kind;

/*
 * Makes a domain.
 *
 * Local.
 * map: any.
 * kind: DRI_RECTANGULAR.
 * ranges: one per dimension of the map; copied. A range without members gives an empty domain.
 * domain: receives the handle; null on error.
 * Errors: DRI_ERR_UNSUPPORTED for another kind;
 *         DRI_ERR_ARG for a range that is none, and for one that leaves the GDO of a distribution's map;
 *         DRI_ERR_OVERFLOW if the domain has more than 2^63 - 1 members;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: DSI, dsiNewRectangularDom.
 */
DRI_API int DRI_domain_create(DRI_Map map, DRI_Domain_kind kind, const DRI_Range ranges[], DRI_Domain *domain);

/*
 * Returns the ranges of a domain.
 *
 * Local.
 * ndims: set if not NULL.
 * ranges: capacity for one per dimension (DRI_MAX_DIMS always suffice), or NULL.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: DSI, dsiGetIndices.
 */
DRI_API int DRI_domain_get_ranges(DRI_Domain domain, int *ndims, DRI_Range ranges[]);

/*
 * Returns the number of members of a domain.
 *
 * Local.
 * size: set to the number.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: DSI, dsiNumIndices.
 */
DRI_API int DRI_domain_get_size(DRI_Domain domain, int64_t *size);

/*
 * Returns the map of a domain.
 *
 * Local.
 * map: receives a handle of its own, to be destroyed; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: DSI, dsiMyDist.
 */
DRI_API int DRI_domain_get_map(DRI_Domain domain, DRI_Map *map);

/*
 * Makes another domain with the same map and ranges. DRI_domain_set on one of them does not change the other.
 *
 * Local.
 * clone: receives the handle; null on error.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_domain_clone(DRI_Domain domain, DRI_Domain *clone);

/*
 * Compares two domains. They are equal if their maps are and their ranges are the same sequences.
 *
 * Local.
 * flag: set to 1 if they are equal, otherwise to 0.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE, and what a user's function returns.
 */
DRI_API int DRI_domain_equal(DRI_Domain a, DRI_Domain b, int *flag);

/*
 * Returns the place of an index in the order of the domain.
 *
 * Local.
 * index: one number per dimension; any.
 * order: set to the place, from 0, or to -1 for an index that is no member.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: DSI, dsiIndexOrder and dsiMember.
 */
DRI_API int DRI_domain_order(DRI_Domain domain, const int64_t index[], int64_t *order);

/*
 * Returns the member at a place of the domain's order.
 *
 * Local.
 * order: from 0 to the size of the domain - 1.
 * index: capacity for one number per dimension.
 * Errors: DRI_ERR_ARG for NULL, and for a place out of range;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_domain_index(DRI_Domain domain, int64_t order, int64_t index[]);

/*
 * Returns the process that owns a member.
 *
 * Local.
 * index: one number per dimension.
 * rank: set to the owner.
 * Cost: that of DRI_map_owner.
 * Errors: DRI_ERR_ARG for NULL, and for an index that is no member; the message has the index and the domain;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE, and what a user's function returns.
 */
DRI_API int DRI_domain_owner(DRI_Domain domain, const int64_t index[], int *rank);

/*
 * Returns the number of boxes that one process owns of the domain.
 *
 * The boxes of all processes are disjoint and together the domain. A box is one range per dimension. A process has
 * few boxes: one of a block or a cyclic map, one for each block of block-cyclic ones.
 *
 * Local.
 * n: set to the number.
 * Cost: that of the first query about a user's map, see above; otherwise linear in the number of dimensions.
 * Errors: DRI_ERR_ARG for NULL and for a rank that is not in the map's group;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns.
 * Source: DSI, dsiLocalSubdomains.
 */
DRI_API int DRI_domain_num_boxes(DRI_Domain domain, int rank, int64_t *n);

/*
 * Returns one of the boxes that a process owns, in the order in which its elements lie in memory.
 *
 * Local.
 * i: from 0 to the number of boxes - 1.
 * box: capacity for one range per dimension; members of the domain, in its direction. A single one has stride 1.
 * Errors: as in DRI_domain_num_boxes;
 *         DRI_ERR_ARG for i out of range.
 * Source: DSI, dsiLocalSubdomains.
 */
DRI_API int DRI_domain_get_box(DRI_Domain domain, int rank, int64_t i, DRI_Range box[]);

/*
 * Returns the place of a member in the local array of a process. Space for overlap counts.
 *
 * Local.
 * index: one number per dimension: a member that the process owns, or that its overlap has a copy of. Places
 *        beyond the domain, and copies that DRI_WRAP brings, have no index.
 * offset: set to the number of elements before it.
 * Errors: DRI_ERR_ARG for an index that the process does not hold; the message names the owner;
 *         DRI_ERR_ARG for NULL, for an index that is no member, and as in DRI_domain_num_boxes;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns.
 */
DRI_API int DRI_domain_local_index(DRI_Domain domain, int rank, const int64_t index[], int64_t *offset);

/*
 * Returns the member at a place of the local array of a process.
 *
 * Local.
 * offset: from 0 to the number of elements that the local array holds - 1.
 * index: capacity for one number per dimension. In overlap with DRI_WRAP it is the member that is copied there.
 * Errors: DRI_ERR_ARG for an offset out of range, and for a place beyond the domain;
 *         DRI_ERR_ARG for NULL, and as in DRI_domain_num_boxes;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns.
 */
DRI_API int DRI_domain_global_index(DRI_Domain domain, int rank, int64_t offset, int64_t index[]);

/*
 * Returns the number of elements that a process owns, and the number that its local array holds.
 *
 * Local.
 * owned: set if not NULL.
 * held: set if not NULL. Space for overlap counts.
 * Errors: as in DRI_domain_num_boxes.
 */
DRI_API int DRI_domain_get_count(DRI_Domain domain, int rank, int64_t *owned, int64_t *held);

/*
 * Returns the number of chunks that the leader of a process makes for a number of tasks.
 *
 * If the process has fewer boxes than tasks, each box is cut along its first dimension of at least `tasks`
 * members, otherwise along its longest one, into pieces whose sizes differ by one at most. Otherwise the boxes
 * stay whole, and each task receives the same number of neighbouring ones, or one more. The chunks of all
 * processes are disjoint and together the domain.
 *
 * Local.
 * tasks: >= 1.
 * n: set to the number. No chunk is empty.
 * Errors: as in DRI_domain_num_boxes;
 *         DRI_ERR_ARG for tasks below 1.
 * Source: DSI, the leader iterator.
 */
DRI_API int DRI_domain_num_chunks(DRI_Domain domain, int rank, int tasks, int64_t *n);

/*
 * Returns one chunk. Any process can follow any chunk, over any domain of the same shape: undensify it there.
 *
 * Local.
 * i: from 0 to the number of chunks - 1.
 * dense: capacity for one range per dimension: dense indices of the domain.
 * task: set to the task of the chunk, from 0 to tasks - 1, if not NULL.
 * Errors: as in DRI_domain_num_chunks;
 *         DRI_ERR_ARG for NULL, and for i out of range.
 * Source: DSI, "Subdomain Description".
 */
DRI_API int DRI_domain_get_chunk(DRI_Domain domain, int rank, int tasks, int64_t i, DRI_Range dense[], int *task);

/*
 * Writes the ranges of a domain as Chapel does, bounds included: "{1..2, 1..9 by 2}".
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: DSI, dsiSerialWrite.
 */
DRI_API int DRI_domain_text(DRI_Domain domain, char *text, size_t n);

/*
 * Describes a domain: its ranges and the rule of its map in a line, then a line per process with its boxes.
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns.
 * Source: DSI, dsiDisplayRepresentation.
 */
DRI_API int DRI_domain_describe(DRI_Domain domain, char *text, size_t n);

/*
 * Checks a map on all members of a domain: whoever writes a map runs it in his tests.
 *
 * The owner of every index must be a position of the group, and asked twice it must be the same. The boxes of all
 * positions must be disjoint, together the domain, and of the owner that the map names.
 *
 * Local.
 * Cost: two calls of the map for each index, and a bit of memory.
 * Errors: DRI_ERR_GAP, DRI_ERR_OVERLAP; the message has the map, the index and the positions;
 *         DRI_ERR_MISMATCH for an index in the box of another position than its owner, and for changing answers;
 *         DRI_ERR_ARG for a position outside the group;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, and what a user's function returns.
 * Source: deviation 70.
 */
DRI_API int DRI_domain_check(DRI_Domain domain);

/*
 * Writes a domain with its map as bytes, from which DRI_domain_unpack makes it again.
 *
 * Local.
 * bytes, n, needed: as in DRI_map_pack.
 * Errors: as in DRI_map_pack.
 * Source: DSI, dsiGetPrivatizeData.
 */
DRI_API int DRI_domain_pack(DRI_Domain domain, void *bytes, size_t n, size_t *needed);

/*
 * Makes a domain from the bytes of DRI_domain_pack. Any process of any run may do so.
 *
 * Local.
 * bytes, n, ops: as in DRI_map_unpack.
 * domain: receives the handle; null on error.
 * Errors: as in DRI_map_unpack.
 * Source: DSI, dsiPrivatize.
 */
DRI_API int DRI_domain_unpack(const void *bytes, size_t n, const DRI_Map_ops *ops, DRI_Domain *domain);

/*
 * Makes the dense distribution of a domain: its elements by their dense indices, for endpoints and streams.
 *
 * Where what the processes own is the product of lists along each dimension, the distribution has the dimensions
 * of the domain. So it has if each process owns one box without strides. Otherwise it has one dimension: the order
 * of the domain. Its group has the map's processes, in another order if a range counts downwards.
 *
 * A local array of an array over the domain has these elements in row-major order, with space for overlap between
 * them where the map has it (DRI_domain_local_index).
 *
 * Collective over the map's processes; synchronising.
 * type: of the elements.
 * dist: receives the handle; null on error.
 * Cost: one DRI_dist_create.
 * Errors: as in DRI_dist_create, and in DRI_domain_num_boxes;
 *         DRI_ERR_GAP, DRI_ERR_OVERLAP if the boxes of a user's map do not tile the domain;
 *         DRI_ERR_MISMATCH if a box has a corner of another owner, or processes disagree.
 * Source: deviation 70.
 */
DRI_API int DRI_domain_get_dist(DRI_Domain domain, DRI_Type type, DRI_Dist *dist);

/*
 * Gives a domain other ranges, and another map if that is not null. Its arrays follow.
 *
 * Arrays over the domain then have the same element at the same index where both have it, and zeros elsewhere,
 * also in overlap. If map and ranges are equal to the present ones, nothing changes. All arrays are made and
 * filled before any of them changes. After a failure all are as before, on all processes. Slices of them become
 * stale (DRI_ERR_STATE).
 *
 * Collective over the processes of both maps; synchronising. All have arrays over the domain in the same order.
 * map: the new map, or null for the present one.
 * ranges: one per dimension; copied.
 * Cost: one DRI_array_create and one first assignment for each array, and the memory of old and new together.
 * Errors: DRI_ERR_STATE if an array over the domain has the caller's memory, or an assignment, update, loop or
 *         move under way, also one that has timed out;
 *         DRI_ERR_STATE for the domain of an alias;
 *         DRI_ERR_ARG for a map of another number of dimensions, and as in DRI_domain_create;
 *         DRI_ERR_MISMATCH if processes disagree;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_TIMEOUT, DRI_ERR_TRANSPORT, and what a user's function returns.
 * Source: DSI, dsiSetIndices, dsiReallocate and dsiReprivatize.
 */
DRI_API int DRI_domain_set(DRI_Domain domain, DRI_Map map, const DRI_Range ranges[]);

/*
 * Destroys a domain's handle. Arrays made from it stay valid.
 *
 * Local.
 * domain: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_domain_destroy(DRI_Domain *domain);

#ifdef __cplusplus
}
#endif
#endif
