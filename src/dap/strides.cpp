// From strides in bytes to layouts: packed ones where they are, because the library knows more about those.
#include "dap/strides.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <numeric>

namespace dri::dap {

namespace {

// The dimensions along which there are several elements, from the slowest to the contiguous one.
std::vector<int> by_stride(const DRI_Dap &dap, const int64_t extents[]) {
    std::vector<int> dims;
    for (int d = 0; d < dap.ndims; ++d)
        if (extents[d] > 1)
            dims.push_back(d);
    std::stable_sort(dims.begin(), dims.end(), [&](int a, int b) { return dap.strides[a] > dap.strides[b]; });
    return dims;
}

bool has_no_elements(int ndims, const int64_t extents[]) { return std::count(extents, extents + ndims, 0) > 0; }

} // namespace

void require_strides(const DRI_Dap &dap) {
    if (has_no_elements(dap.ndims, dap.shape))
        return;
    const auto itemsize = static_cast<int64_t>(dap.itemsize);
    const std::vector<int> dims = by_stride(dap, dap.shape);
    int64_t last = 0; // bytes from the first to the last element of the faster dimensions
    for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
        const int64_t stride = dap.strides[*d];
        if (stride <= 0)
            fail(DRI_ERR_ARG, "dimension {}: the stride is {} bytes, but must be positive", *d, stride);
        if (stride % itemsize != 0)
            fail(DRI_ERR_ARG, "dimension {}: the stride is {} bytes, but must be a multiple of the itemsize {}",
                 *d, stride, itemsize);
        if (stride <= last)
            fail(DRI_ERR_ARG,
                 "dimension {}: the stride is {} bytes, but elements of faster dimensions lie up to {} bytes away",
                 *d, stride, last);
        last = checked_add(last, checked_mul(stride, dap.shape[*d] - 1));
    }
}

void make_layout(const DRI_Dap &dap, const std::vector<int64_t> &extents, outer::OwnedLayout &layout) {
    const auto itemsize = static_cast<int64_t>(dap.itemsize);
    std::vector<int> order(static_cast<size_t>(dap.ndims));
    std::iota(order.begin(), order.end(), 0);
    const bool is_empty = has_no_elements(dap.ndims, extents.data());
    const std::vector<int> dims = is_empty ? std::vector<int>{} : by_stride(dap, extents.data());
    int64_t packed = 1; // stride of the next dimension if there are no gaps, in elements
    bool is_packed = true;
    for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
        const int64_t stride = dap.strides[*d] / itemsize, extent = extents[static_cast<size_t>(*d)];
        is_packed = is_packed && stride == packed;
        packed = stride * extent;
    }
    if (is_packed) {
        // Dimensions of one element may stand anywhere. Rows and columns keep their usual order then.
        if (!std::is_sorted(dims.begin(), dims.end())) {
            const auto is_free = [&](int d) { return std::find(dims.begin(), dims.end(), d) == dims.end(); };
            std::copy(dims.begin(), dims.end(), std::stable_partition(order.begin(), order.end(), is_free));
        }
        return outer::require(DRI_layout_create_packed(dap.ndims, order.data(), layout.out()));
    }
    std::vector<int64_t> strides(order.size(), 1);
    for (const int d : dims)
        strides[static_cast<size_t>(d)] = dap.strides[d] / itemsize;
    outer::require(DRI_layout_create(dap.ndims, strides.data(), layout.out()));
}

} // namespace dri::dap
