/*
 * Ranges: evenly spaced indices of one dimension. A slice of an array is one range per dimension.
 */
#ifndef DRI_RANGE_H
#define DRI_RANGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The indices first, first + stride, ..., of which there are `size`. A negative stride counts downwards. A range
 * without indices has size 0. A range of one index that the library makes has stride 1.
 */
typedef struct DRI_Range {
    int64_t first;  /* the first index */
    int64_t stride; /* from one index to the next; not 0 */
    int64_t size;   /* number of indices, >= 0 */
} DRI_Range;

#ifdef __cplusplus
}
#endif
#endif
