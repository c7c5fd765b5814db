#include "copy_box.hpp"

#include "transpose.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

BoxCopy::BoxCopy(int64_t element_bytes, const Dims &extents, const Dims &from_strides, const Dims &to_strides)
    : element_bytes_(element_bytes) {
    std::vector<Loop> loops;
    for (size_t dim = 0; dim < extents.size(); ++dim) {
        is_empty_ |= extents[dim] == 0;
        if (extents[dim] > 1)
            loops.push_back({extents[dim], from_strides[dim], to_strides[dim]});
    }
    std::sort(loops.begin(), loops.end(), [](const Loop &a, const Loop &b) { return a.to_stride > b.to_stride; });
    for (const Loop &inner : loops) {
        const bool continues = !outer_.empty() && outer_.back().to_stride == inner.count * inner.to_stride &&
                               outer_.back().from_stride == inner.count * inner.from_stride;
        if (continues)
            outer_.back() = {outer_.back().count * inner.count, inner.from_stride, inner.to_stride};
        else
            outer_.push_back(inner);
    }
    if (outer_.empty() || outer_.back().to_stride != 1)
        return; // nothing is contiguous in the destination: single elements are copied
    along_ = outer_.back();
    outer_.pop_back();
    if (along_.from_stride == 1)
        return; // contiguous on both sides: rows are copied
    const auto contiguous =
        std::find_if(outer_.begin(), outer_.end(), [](const Loop &loop) { return loop.from_stride == 1; });
    if (contiguous != outer_.end()) {
        across_ = *contiguous;
        outer_.erase(contiguous);
    }
}

void BoxCopy::run(std::byte *to, const std::byte *from) const {
    if (!is_empty_)
        run_loops(0, to, from);
}

void BoxCopy::run_loops(size_t k, std::byte *to, const std::byte *from) const {
    if (k == outer_.size())
        return run_core(to, from);
    const Loop &loop = outer_[k];
    for (int64_t i = 0; i < loop.count; ++i)
        run_loops(k + 1, to + i * loop.to_stride * element_bytes_, from + i * loop.from_stride * element_bytes_);
}

void BoxCopy::run_core(std::byte *to, const std::byte *from) const {
    if (along_.from_stride == 1)
        std::memcpy(to, from, static_cast<size_t>(along_.count * element_bytes_));
    else
        transpose({element_bytes_, across_.count, along_.count, along_.from_stride, across_.to_stride}, to, from);
}

} // namespace bench
