// Strides of buffers, and the layouts that they are.
#pragma once

#include "outer/owned.hpp"

#include <dri/dap.h>

#include <cstdint>
#include <vector>

namespace dri::dap {

// Fails with DRI_ERR_ARG if DRI has no layout for the strides of the buffer. Strides along which there is at most
// one element do not count.
void require_strides(const DRI_Dap &dap);

// The layout of a part of the buffer, of these extents. The strides keep to require_strides().
void make_layout(const DRI_Dap &dap, const std::vector<int64_t> &extents, outer::OwnedLayout &layout);

} // namespace dri::dap
