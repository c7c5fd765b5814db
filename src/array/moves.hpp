// Moves of whole arrays: corner turns, other shapes, gathering. Each is one transfer, whose sink moves from result
// to result.
#pragma once

#include "outer/any_array.hpp"

#include <dri/loop.h>
#include <dri/memory.h>

namespace dri::array {

// Fail as the calls of these names. Collective over the array's processes. The results are new handles.
DRI_Array permute(const std::shared_ptr<outer::AnyArray> &array, const int order[]);
DRI_Array reshape(const std::shared_ptr<outer::AnyArray> &array, int ndims, const int64_t shape[]);
void gather(const std::shared_ptr<outer::AnyArray> &array, const DRI_Range slice[], int root, void *data);
void reduce(const std::shared_ptr<outer::AnyArray> &array, const DRI_Range slice[], DRI_Op op, void *result);

} // namespace dri::array
