/*
 * Ranges: evenly spaced indices of one dimension, as a sequence with a direction. A slice of an array is one range
 * per dimension.
 *
 * Two ranges are equal if they are the same sequence. The dense index of a member is its place in the sequence,
 * from 0.
 *
 * The functions need neither DRI_init nor MPI.
 */
#ifndef DRI_RANGE_H
#define DRI_RANGE_H

#include <dri/codes.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The indices first, first + stride, ..., of which there are `size`. A negative stride counts downwards. A range
 * without indices has size 0, and any first and stride. All members are 64-bit numbers.
 */
typedef struct DRI_Range {
    int64_t first;  /* the first index */
    int64_t stride; /* from one index to the next; not 0 */
    int64_t size;   /* number of indices, >= 0 */
} DRI_Range;

/*
 * Makes the range of every |stride|-th index between two bounds.
 *
 * Its members are those i with lo <= i < hi for which i - align is a multiple of the stride. With a negative
 * stride they count downwards.
 *
 * Local, any time.
 * lo, hi: any; hi <= lo gives an empty range.
 * stride: not 0.
 * align: any index. It need not lie between the bounds.
 * range: set to the range. An empty one starts at lo.
 * Errors: DRI_ERR_ARG for NULL and for a stride of 0;
 *         DRI_ERR_OVERFLOW for more than 2^63 - 1 indices, and a stride of -2^63.
 * Source: DSI, ranges "by" and "align".
 */
DRI_API int DRI_range(int64_t lo, int64_t hi, int64_t stride, int64_t align, DRI_Range *range);

/*
 * Returns the place of an index in a range.
 *
 * Local, any time.
 * order: set to the place, from 0, or to -1 for an index that is no member.
 * Errors: DRI_ERR_ARG for NULL and for a range that is none; the message has the range.
 * Source: DSI, indexOrder.
 */
DRI_API int DRI_range_order(DRI_Range range, int64_t index, int64_t *order);

/*
 * Returns the members that two ranges have in common.
 *
 * Local, any time.
 * common: set to the common members, in the direction of a. If there are none, its size is 0. A single one has
 *         stride 1.
 * Cost: Euclid's algorithm on the strides, less than a microsecond.
 * Errors: DRI_ERR_ARG for NULL and for a range that is none; the message has the range.
 */
DRI_API int DRI_range_common(DRI_Range a, DRI_Range b, DRI_Range *common);

/*
 * Returns the dense indices of a range inside another one: for each member of sub its place in whole.
 *
 * Local, any time.
 * sub: its members are members of whole, in any direction.
 * dense: set to the places. A single one has stride 1. An empty sub gives an empty range.
 * Errors: DRI_ERR_ARG if a member of sub is no member of whole; the message has both ranges;
 *         DRI_ERR_ARG for NULL and for a range that is none.
 * Source: DSI, densify.
 */
DRI_API int DRI_densify(DRI_Range sub, DRI_Range whole, DRI_Range *dense);

/*
 * Returns the members of a range that have these dense indices. It is the reverse of DRI_densify.
 *
 * Local, any time.
 * dense: places in whole, each from 0 to whole.size - 1.
 * sub: set to the members. A single one has stride 1. An empty range of places gives an empty range.
 * Errors: DRI_ERR_ARG for a place outside whole; the message has both ranges;
 *         DRI_ERR_ARG for NULL and for a range that is none.
 * Source: DSI, unDensify.
 */
DRI_API int DRI_undensify(DRI_Range dense, DRI_Range whole, DRI_Range *sub);

#ifdef __cplusplus
}
#endif
#endif
