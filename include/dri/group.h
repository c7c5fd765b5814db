/*
 * What the processes of a group do together outside transfers: they agree on an outcome and exchange a few bytes.
 *
 * dri/dist.h has the functions that make and describe groups.
 */
#ifndef DRI_GROUP_H
#define DRI_GROUP_H

#include <dri/codes.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Group;

/*
 * Agrees on a code, and gives every process what all processes bring.
 *
 * If all codes are DRI_SUCCESS, every process receives the bytes of all, in the group's order. Otherwise all
 * return the code of the first process in that order that brings another one. The message has that process, the
 * code, and its DRI_error_message. A library that checks its arguments on each process thus fails on all of them
 * alike. DRI_END_OF_STREAM is returned in the same way.
 *
 * The call is for set-up and for small data. Frames are faster, and a transfer moves large arrays.
 *
 * Collective over the group; synchronising.
 * code: DRI_SUCCESS, or why this process cannot go on.
 * mine: the bytes that this process brings; may be NULL if bytes is 0.
 * bytes: their number, >= 0. Processes may differ.
 * sizes: capacity for one number per process: set to the bytes of each, also with DRI_ERR_LIMIT. May be NULL.
 * all: receives the bytes of all processes; may be NULL if capacity is 0.
 * capacity: bytes that all can hold. With 0 on all processes the call exchanges sizes, if there are any bytes.
 * Cost: one exchange, O(log P) steps. Each process receives the bytes of all.
 * Errors: the code of a process that brings one;
 *         DRI_ERR_LIMIT on all processes if the capacity of any is too small; the message names it and the sum;
 *         DRI_ERR_ARG for NULL, a negative number, or a code that is none of DRI_Code;
 *         DRI_ERR_ARG if the calling process is not in the group;
 *         DRI_ERR_MISMATCH if a process makes another collective call over the same group, or names its processes
 *         in another order;
 *         DRI_ERR_HANDLE;
 *         DRI_ERR_STATE, on this process alone, as in DRI_dist_create;
 *         DRI_ERR_TIMEOUT and DRI_ERR_PEER as in DRI_dist_create.
 * Source: deviation 44.
 */
DRI_API int DRI_group_gather(DRI_Group group, int code, const void *mine, int64_t bytes, int64_t sizes[],
                             void *all, int64_t capacity);

#ifdef __cplusplus
}
#endif
#endif
