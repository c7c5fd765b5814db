// Checks, then closed forms.
#include "array/pure.hpp"

#include "base/checked.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::array {

namespace {

int64_t clamp_to(int64_t value, int64_t lo, int64_t hi) { return std::min(std::max(value, lo), hi); }

} // namespace

void require_ndims(int ndims) {
    if (ndims < 0 || ndims > DRI_MAX_DIMS)
        fail(DRI_ERR_ARG, "ndims is {}, but must be 0 to {}", ndims, int{DRI_MAX_DIMS});
}

void require_shape(int ndims, const int64_t shape[]) {
    require_ndims(ndims);
    if (ndims > 0)
        outer::require_pointer(shape, "shape");
    for (int d = 0; d < ndims; ++d)
        if (shape[d] < 0)
            fail(DRI_ERR_ARG, "shape, dimension {}: the size is {}, but must not be negative", d, shape[d]);
}

void require_box(int ndims, const DRI_Box *box, const char *name) {
    outer::require_pointer(box, name);
    for (int d = 0; d < ndims; ++d) {
        if (box->offset[d] < 0 || box->size[d] < 0)
            fail(DRI_ERR_ARG, "{}, dimension {}: offset {} and size {} must not be negative", name, d,
                 box->offset[d], box->size[d]);
        checked_add(box->offset[d], box->size[d]);
    }
}

void require_view(int ndims, const DRI_Range view[], const char *name) {
    if (ndims > 0)
        outer::require_pointer(view, name);
    for (int d = 0; d < ndims; ++d) {
        if (view[d].stride < 1 || view[d].size < 0)
            fail(DRI_ERR_ARG, "{}, dimension {}: stride {} must be 1 or more, size {} not negative", name, d,
                 view[d].stride, view[d].size);
        if (view[d].size > 0)
            checked_add(checked_add(view[d].first, checked_mul(view[d].size - 1, view[d].stride)), 1);
    }
}

DRI_Box default_part(int nprocs, int member, int ndims, const int64_t shape[]) {
    DRI_Box part{};
    if (ndims == 0)
        return part;
    std::copy(shape, shape + ndims, part.size);
    const int64_t least = shape[0] / nprocs, larger = shape[0] % nprocs, first_larger = nprocs - larger;
    part.offset[0] = member * least + std::max<int64_t>(0, member - first_larger);
    part.size[0] = least + (member >= first_larger ? 1 : 0);
    return part;
}

int64_t position_at(const DRI_Range &range, int64_t index) {
    int64_t near = 0; // most are; a wide division takes three times as long
    if (!__builtin_sub_overflow(index, range.first, &near))
        return near / range.stride + (near % range.stride > 0);
    const Wide distance = static_cast<Wide>(index) - range.first, stride = range.stride;
    return static_cast<int64_t>(-floor_div(-distance, stride));
}

void target_along(int64_t offset, int64_t size, const DRI_Range &slice, int64_t &target, int64_t &count) {
    target = clamp_to(position_at(slice, offset), 0, slice.size);
    count = clamp_to(position_at(slice, offset + size), target, slice.size) - target;
}

DRI_Box target_of(int ndims, const DRI_Box &held, const DRI_Range slice[]) {
    DRI_Box target{};
    for (int d = 0; d < ndims; ++d)
        target_along(held.offset[d], held.size[d], slice[d], target.offset[d], target.size[d]);
    return target;
}

DRI_Box reads_of(int ndims, const DRI_Range view[], const DRI_Box &target) {
    DRI_Box box{};
    for (int d = 0; d < ndims; ++d) {
        const int64_t t = target.offset[d];
        const int64_t k = std::max<int64_t>(0, std::min(t + target.size[d], view[d].size) - t);
        box.offset[d] = checked_add(view[d].first, checked_mul(t, view[d].stride));
        box.size[d] = k ? checked_add(checked_mul(k - 1, view[d].stride), 1) : 0;
    }
    return box;
}

} // namespace dri::array
