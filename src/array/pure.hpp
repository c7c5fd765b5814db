// The arithmetic of Dist: default partitions, targets, bounding boxes, cores. Values in, values out.
#pragma once

#include "array/boxes.hpp"

namespace dri::array {

// Fail with DRI_ERR_ARG for what is out of range.
void require_ndims(int ndims);
void require_shape(int ndims, const int64_t shape[]);
void require_box(int ndims, const DRI_Box *box, const char *name);
// Ranges with strides >= 1.
void require_view(int ndims, const DRI_Range view[], const char *name);

// The others take what has been checked. See dri/piece.h.
DRI_Box default_part(int nprocs, int member, int ndims, const int64_t shape[]);
// ceil((index - first) / stride): the first position at or behind an index.
int64_t position_at(const DRI_Range &range, int64_t index);
// Along one dimension; positions are [offset, offset + size).
void target_along(int64_t offset, int64_t size, const DRI_Range &slice, int64_t &target, int64_t &count);
DRI_Box target_of(int ndims, const DRI_Box &held, const DRI_Range slice[]);
DRI_Box reads_of(int ndims, const DRI_Range view[], const DRI_Box &target);

} // namespace dri::array
